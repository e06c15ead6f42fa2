"""What the source of Triton kernels says: names, masks, undefined lanes, shapes, loops, tuning, launches."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from triton_surveying import HEAD, KERNEL, LAUNCH, found, of_kernel, value

from advisor.model.records import Value

NAMES = [
    "import triton\nimport triton.language as tl\n\n@triton.jit\n",
    "import triton\nfrom triton import language as tl\n\n@triton.jit()\n",
    "from triton import jit\nimport triton.language as tl\n\n@jit\n",
    "import triton as t\nimport triton.language as tl\n\n@t.jit(noinline=True)\n",
    "import triton\ntl = triton.language\n\n@triton.jit\n",
    "from project.triton_utils import tl, triton\n\n@triton.jit\n",
]


@pytest.mark.parametrize("head", NAMES)
def test_kernels_under_all_names(tmp_path: Path, head: str) -> None:
    text = head + "def k(x):\n    tl.store(x + tl.arange(0, 64), tl.program_id(0))\n"
    (kernel,) = found(tmp_path, "triton_kernel", text)
    assert kernel.label == "k"
    (store,) = found(tmp_path, "triton_access", text)
    assert (value(store, "kind"), store.label, store.owner) == ("store", "x", kernel.key)


def test_a_function_that_is_handed_to_jit_is_a_kernel(tmp_path: Path) -> None:
    text = HEAD + "def k(x):\n    tl.store(x, 1)\n\n\nfast = triton.jit(k)\n"
    assert [one.label for one in found(tmp_path, "triton_kernel", text)] == ["k"]


REDUCED = [
    ("tl.sum(v, axis=0)", True),
    ("tl.sum(tl.exp(v))", True),
    ("tl.max(v.to(tl.float32) * 2, axis=0)", True),
    ("v.sum(0)", True),
    ("tl.sum(tl.where(at < n, v, 0.0))", False),
    ("tl.sum(v * (at < n))", False),
    ("tl.cumsum(v, 0)", False),
    ("v + 1", False),
]


@pytest.mark.parametrize(("result", "reduced"), REDUCED)
def test_lanes_without_a_value_that_reach_a_reduction(tmp_path: Path, result: str, reduced: bool) -> None:
    body = (
        f"at = tl.arange(0, BLOCK)\nv = tl.load(x + at, mask=at < n)\ntl.store(y + at, {result}, mask=at < n)"
    )
    load = next(one for one in of_kernel(tmp_path, "triton_access", body) if value(one, "kind") == "load")
    assert (value(load, "reduction") != "none") is reduced


@pytest.mark.parametrize(
    ("mask", "axis", "reduced"),
    [
        ("i[:, None] < n", 1, False),
        ("i[:, None] < n", 0, True),
        ("j[None, :] < n", 1, True),
        ("j < n", -1, True),
        ("j < n", 0, False),
        ("(i[:, None] < n) & (j[None, :] < n)", 1, True),
        ("(i < n)[:, None]", -2, True),
    ],
)
def test_only_axes_that_the_mask_divides_count(tmp_path: Path, mask: str, axis: int, reduced: bool) -> None:
    body = f"""
        i, j = tl.arange(0, 32), tl.arange(0, BLOCK)
        v = tl.load(x + i[:, None] * stride + j, mask={mask})
        tl.store(y, tl.sum(v, axis={axis}))
    """
    load = next(one for one in of_kernel(tmp_path, "triton_access", body) if value(one, "kind") == "load")
    assert (value(load, "reduction") != "none") is reduced


def test_lanes_flow_through_functions_and_loops(tmp_path: Path) -> None:
    text = (
        HEAD
        + "@triton.jit\ndef squared(v):\n    return v * v\n\n\n"
        + KERNEL
        + "    acc = tl.zeros((BLOCK,), dtype=tl.float32)\n"
        + "    for s in range(0, n, BLOCK):\n"
        + "        at = s + tl.arange(0, BLOCK)\n"
        + "        acc += squared(tl.load(x + at, mask=at < n))\n"
        + "    tl.store(y, tl.sum(acc))\n"
    )
    (load, _) = found(tmp_path, "triton_access", text)
    assert value(load, "reduction") == "sum"


MASKS = [
    ("tl.store(y + at, v)", True),
    ("tl.store(y + at * stride, v)", True),
    ("tl.store(y + at, v, mask=at < n)", False),
    ("tl.store(y + tl.arange(0, BLOCK), v)", False),
    ("tl.store(y + at % 64, v)", False),
    ("if n > 5:\n    tl.store(y + at, v)", False),
    ("tl.store(y + n_rounded + at, v)", None),
]


@pytest.mark.parametrize(("store", "expected"), MASKS)
def test_positions_that_are_masked_elsewhere(tmp_path: Path, store: str, expected: bool | None) -> None:
    body = "at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\nv = tl.load(x + at, mask=at < n)\n"
    text = HEAD + KERNEL.replace("stride", "n_rounded") + textwrap.indent(body + store, "    ")
    text = text.replace("stride", "4")
    last = found(tmp_path, "triton_access", text + "\n" + LAUNCH)[-1]
    assert value(last, "masked_elsewhere") is expected


def test_a_block_is_always_below_its_own_extent(tmp_path: Path) -> None:
    body = """
        at = tl.arange(0, BLOCK)
        v = tl.load(x + at, mask=at < BLOCK)
        tl.store(y + at, v)
    """
    (_, store) = of_kernel(tmp_path, "triton_access", body)
    assert value(store, "masked_elsewhere") is False


STRIDES = [
    ("x + at", 1.0, False),
    ("x + 3 * at + 1", 3.0, False),
    ("x + at * n + j", None, True),
    ("x + at * stride + j", None, False),
    ("x + at * at", None, False),
]


@pytest.mark.parametrize(("address", "stride", "column"), STRIDES)
def test_the_distance_of_lanes(tmp_path: Path, address: str, stride: float | None, column: bool) -> None:
    body = f"j = tl.program_id(1)\nat = tl.arange(0, BLOCK)\ntl.store({address}, 0, mask=at < n)"
    (store,) = of_kernel(tmp_path, "triton_access", body)
    assert (value(store, "lane_stride"), value(store, "walks_down_column")) == (stride, column)


LOOPS = [
    ("v = tl.load(x + tl.arange(0, BLOCK))", True),
    ("v = tl.load(x + i * BLOCK + tl.arange(0, BLOCK))", False),
    ("v = tl.load(p)\n    p += BLOCK", False),
    ("v = tl.load(x)\n    tl.store(x, v + 1)", False),
    ("if i == 0:\n        v = tl.load(x)", False),
    ("v = tl.load(x)\n    tl.store(y + i, v)", True),
]


@pytest.mark.parametrize(("inside", "invariant"), LOOPS)
def test_loads_that_a_loop_repeats(tmp_path: Path, inside: str, invariant: bool) -> None:
    body = f"p = x + tl.arange(0, BLOCK)\nfor i in range(n):\n    {inside}"
    load = of_kernel(tmp_path, "triton_access", body)[0]
    assert value(load, "loop_invariant") is invariant


@pytest.mark.parametrize(
    ("loop", "collected"),
    [
        ("acc += tl.load(x + i)", True),
        ("acc = max(acc, tl.load(x + i))", True),
        ("v = tl.load(x + i).to(tl.float32)\n    acc += v * v", True),
        ("v = tl.load(x + i)\n    tl.store(y + v, acc)", False),
        ("v = tl.load(x + i)\n    acc += tl.load(y + v)", False),
        ("acc += tl.load(x + 2 * i)", False),
    ],
)
def test_numbers_that_are_only_collected(tmp_path: Path, loop: str, collected: bool) -> None:
    body = f"acc = 0.0\nfor i in range(n):\n    {loop}\ntl.store(y, acc)"
    load = of_kernel(tmp_path, "triton_access", body)[0]
    assert value(load, "one_element_each_turn") is collected


def test_the_extents_of_a_product(tmp_path: Path) -> None:
    text = HEAD + (
        "@triton.autotune(configs=[triton.Config({'M': m, 'K': 16}) for m in (32, 64)], key=['n'])\n"
        "@triton.jit\n"
        "def k(a, b, n, M: tl.constexpr, K: tl.constexpr):\n"
        "    i, j, c = tl.arange(0, M), tl.arange(0, 128), tl.arange(0, K)\n"
        "    x = tl.load(a + i[:, None] * n + c[None, :])\n"
        "    y = tl.load(b + j[:, None] * n + c[None, :])\n"
        "    d = tl.dot(x, tl.trans(y), out_dtype=tl.float16)\n"
        "    tl.store(a + i, tl.sum(d, 1))\n"
    )
    (dot,) = found(tmp_path, "triton_dot", text)
    assert value(dot, "result_type") == "float16"
    (kernel,) = found(tmp_path, "triton_kernel", text)
    assert [value(kernel, name) for name in ("tuned", "configurations", "keys")] == [True, 2, 1]


def test_block_pointers_check_their_bounds(tmp_path: Path) -> None:
    body = """
        p = tl.make_block_ptr(x, (n,), (1,), (tl.program_id(0) * BLOCK,), (BLOCK,), (0,))
        v = tl.load(p, boundary_check=(0,))
        tl.store(tl.make_block_ptr(y, (n,), (1,), (0,), (BLOCK,), (0,)), v)
    """
    (kernel,) = of_kernel(tmp_path, "triton_kernel", body)
    assert (value(kernel, "masked_accesses"), value(kernel, "unmasked_blocks")) == (1, 0)


BRANCHES = [
    ("if tl.program_id(0) == 0:\n    tl.store(x, 1)", False),
    ("if v > 0:\n    tl.store(x, 1)", True),
    ("if tl.sum(v) > 0:\n    tl.store(x, 1)", False),
    ("if y is not None:\n    tl.store(x, 1)", False),
    ("if (v is None):\n    tl.store(x, 1)", False),
    ("tl.store(x, 1 if v > 0 else 2)", True),
]


@pytest.mark.parametrize(("branch", "on_block"), BRANCHES)
def test_branches_on_blocks(tmp_path: Path, branch: str, on_block: bool) -> None:
    choices = of_kernel(tmp_path, "triton_choice", "v = tl.load(x + tl.arange(0, BLOCK))\n" + branch)
    assert [value(one, "on_block") for one in choices] == [on_block]


def test_parameters_of_functions_may_be_blocks(tmp_path: Path) -> None:
    text = HEAD + "@triton.jit\ndef softplus(v):\n    return tl.where(v < 15, tl.log(1 + tl.exp(v)), v)\n"
    (choice,) = found(tmp_path, "triton_choice", text)
    assert value(choice, "on_block") is None


@pytest.mark.parametrize(
    ("options", "restored"),
    [
        ("", False),
        (", reset_to_zero=['y']", True),
        (", restore_value=['x']", False),
        (", pre_hook=clear", True),
    ],
)
def test_memory_that_trials_update(tmp_path: Path, options: str, restored: bool) -> None:
    head = f"@triton.autotune([triton.Config({{}}, num_warps=w) for w in (2, 4)], ['n']{options})\n"
    text = HEAD + head + KERNEL + "    tl.atomic_add(y + tl.program_id(0) // 2, tl.load(x))\n"
    (kernel,) = found(tmp_path, "triton_kernel", text)
    assert (value(kernel, "updates"), value(kernel, "restored")) == ("y", restored)


LAUNCHES = [
    ("k[(8,)](x, y, n, 4, BLOCK=256)", "block_elements", 256.0),
    ("k[(8,)](x, y, n, 4, 256, num_warps=2)", "elements_per_thread", 4.0),
    ("k[(8,)](x, y, n, 4, BLOCK=SIZE * 2)", "block_elements", 1024.0),
    ("k[(8,)](x, y, n, 4, BLOCK=size_of(n))", "block_elements", None),
    ("k[(8,)](x, y, n, 4, **sizes)", "chooses_warps", None),
    ("k[(8,)](x, y, n, 4, BLOCK=256)", "chooses_warps", False),
    ("k[(n // b,)](x, y, n, 4, BLOCK=b)", "rounds_down", True),
    ("k[lambda meta: (n // meta['BLOCK'],)](x, y, n, 4, BLOCK=b)", "rounds_down", True),
    ("k[((n + b - 1) // b,)](x, y, n, 4, BLOCK=b)", "rounds_down", False),
    ("k[(triton.cdiv(n, b),)](x, y, n, 4, BLOCK=b)", "rounds_up", True),
    ("k[(1, 1)](x, y, n, 4, BLOCK=b)", "single_program", True),
    ("k[grid](x, y, n, 4, BLOCK=b)", "single_program", None),
]


@pytest.mark.parametrize(("launch", "metric", "expected"), LAUNCHES)
def test_launches(tmp_path: Path, launch: str, metric: str, expected: Value | None) -> None:
    body = "    at = tl.arange(0, BLOCK)\n    tl.store(y + at, tl.load(x + at, mask=at < n), mask=at < n)\n"
    text = (
        HEAD + "SIZE = 512\n\n\n" + KERNEL + body + f"\n\ndef run(x, y, n, b, grid, **sizes):\n    {launch}\n"
    )
    (record,) = found(tmp_path, "triton_launch", text)
    assert value(record, metric) == expected


def test_a_size_that_depends_on_itself_ends(tmp_path: Path) -> None:
    lines = "".join(f"    b, w = settings(b, w, {number})\n" for number in range(12))
    body = "    tl.store(y + tl.arange(0, BLOCK), 1)\n"
    text = HEAD + "def settings(b, w, k):\n    if b > k:\n        return b, w\n    return w, b\n\n\n"
    text += (
        KERNEL + body + f"\n\ndef run(x, y, n, b, w):\n{lines}    k[(8,)](x, y, n, 4, BLOCK=b, num_warps=w)\n"
    )
    (record,) = found(tmp_path, "triton_launch", text)
    assert value(record, "block_elements") is None


def test_a_launch_belongs_to_the_kernel_of_another_file(tmp_path: Path) -> None:
    (tmp_path / "kernels.py").write_text(HEAD + KERNEL + "    tl.store(x + tl.arange(0, BLOCK), n)\n")
    text = "import triton\nfrom kernels import k\n\n\ndef run(x, n):\n    k[(4,)](x, x, n, 1, BLOCK=64)\n"
    (launch,) = found(tmp_path, "triton_launch", text)
    assert launch.owner == "kernels.py::k@6"
    assert value(launch, "block_elements") == 64


@pytest.mark.parametrize(
    ("body", "single"),
    [
        ("for i in range(n):\n    tl.store(y + i, tl.load(x + i))", True),
        ("for i in range(n):\n    tl.store(y + tl.arange(0, BLOCK), tl.load(x + i))", False),
        ("tl.store(y, tl.load(x))", False),
        ("for i in range(n):\n    pass\ntl.store(y, tl.load(x))", False),
        ("for i in range(n):\n    tl.store(make(y), tl.load(x + i))", None),
        ("pass", False),
    ],
)
def test_a_kernel_that_moves_one_element_after_the_other(
    tmp_path: Path, body: str, single: bool | None
) -> None:
    (kernel,) = of_kernel(tmp_path, "triton_kernel", body)
    assert value(kernel, "single_elements") is single


def test_an_access_tells_whether_its_block_fills_a_warp(tmp_path: Path):
    body = """
    i = tl.arange(0, 16)
    a = tl.load(x + i[:, None] * stride + tl.arange(0, 2)[None, :], mask=i[:, None] < n)
    b = tl.load(x + i, mask=i < n)
    c = tl.load(x)
    tl.store(y + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), c)
    """
    found = [value(one, "fills_warp") for one in of_kernel(tmp_path, "triton_access", body)]
    assert found == [True, False, False, True]
