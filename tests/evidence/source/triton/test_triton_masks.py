"""Masks of Triton kernels: what they bound, and where lanes that they hold back go."""

from __future__ import annotations

from pathlib import Path

import pytest
from triton_surveying import HEAD, KERNEL, found, of_kernel, value

EXTREMES = [
    ("tl.max(v, axis=0)", "max", True),
    ("tl.max(v.to(tl.float32)[:, None], axis=0)", "max", True),
    ("tl.max(tl.maximum(v, 0.5))", "max", True),
    ("tl.min(v)", "min", True),
    ("tl.max(v * 2.0)", "max", False),
    ("tl.max(-v)", "max", False),
    ("tl.min(tl.abs(v))", "min", False),
    ("tl.sum(v) + tl.max(v)", "max", True),
    ("tl.max(tl.abs(v))", "none", False),
    ("tl.max(abs(v.to(tl.float32)) / 127)", "none", False),
    ("tl.max(v * v)", "none", False),
    ("tl.max(v ** 2)", "none", False),
    ("tl.max(tl.math.abs(2 * v + 1))", "none", False),
]


@pytest.mark.parametrize(("result", "reduction", "as_loaded"), EXTREMES)
def test_what_becomes_of_a_value_before_a_maximum(
    tmp_path: Path, result: str, reduction: str | None, as_loaded: bool
) -> None:
    body = f"at = tl.arange(0, BLOCK)\nv = tl.load(x + at, mask=at < n)\ntl.store(y, {result})"
    load = of_kernel(tmp_path, "triton_access", body)[0]
    assert (value(load, "reduction"), value(load, "reduced_as_loaded")) == (reduction, as_loaded)


def test_a_kernel_with_several_such_loads_is_told_once(tmp_path: Path) -> None:
    body = """
        at = tl.arange(0, BLOCK)
        v, w = tl.load(x + at, mask=at < n), tl.load(y + at, mask=at < n)
        tl.store(y, tl.max(v) - tl.min(v) + tl.max(w))
    """
    first, second, _ = of_kernel(tmp_path, "triton_access", body)
    assert [value(one, "reduced_before") for one in (first, second)] == [False, True]
    assert [value(one, "reduced_both_ways") for one in (first, second)] == [True, False]
    assert value(first, "reduced_alike") == 2.0


@pytest.mark.parametrize(("second", "met"), [("A", True), ("B", False), ("A == 1", False)])
def test_other_settings_of_the_compilation_do_not_meet(tmp_path: Path, second: str, met: bool) -> None:
    text = (
        HEAD
        + "@triton.jit\ndef k(x, y, n, A: tl.constexpr, B: tl.constexpr):\n"
        + "    at = tl.arange(0, 64)\n    v = tl.load(x + at)\n"
        + "    if A:\n        v += tl.load(y + at, mask=at < n)\n"
        + f"    if {second}:\n        tl.store(y, tl.max(v))\n"
    )
    masked = found(tmp_path, "triton_access", text)[1]
    assert (value(masked, "reduction") != "none") is met


BOUNDS = [
    # The mask's position and limit, then the access without a mask.
    ("at < n", "tl.load(y + at)", True),
    ("at < n // 2", "tl.load(y + at)", True),
    ("at < SIZE", "tl.load(y + at)", True),
    ("lanes < SIZE", "tl.load(y + lanes)", False),
    ("lanes < n", "tl.load(y + lanes)", True),
    ("at < tl.load(x)", "tl.load(y + at)", False),
    ("at < tl.load(x + 1) - tl.load(x)", "tl.load(y + at)", False),
    ("at < n", "tl.store(y + at, tl.where(at < n, at, 0).to(tl.float32))", False),
    ("at < n", "tl.store(y + at, at)", True),
]


@pytest.mark.parametrize(("mask", "access", "expected"), BOUNDS)
def test_the_size_that_a_mask_compares_with(tmp_path: Path, mask: str, access: str, expected: bool) -> None:
    text = HEAD + "@triton.jit\ndef k(x, y, n, SIZE: tl.constexpr, BLOCK: tl.constexpr):\n"
    text += "    lanes = tl.arange(0, BLOCK)\n    at = tl.program_id(0) * BLOCK + lanes\n"
    text += f"    tl.store(x + at, 1.0, mask={mask})\n    {access}\n"
    last = [one for one in found(tmp_path, "triton_access", text) if one.label == "y"][-1]
    assert value(last, "masked_elsewhere") is expected


def test_a_tail_behind_whole_blocks(tmp_path: Path) -> None:
    body = """
        at = stride * BLOCK + tl.arange(0, BLOCK)
        for i in range(n // BLOCK):
            tl.load(x + at + i * BLOCK)
            tl.load(y + at)
        tl.load(x + at, mask=at < n)
    """
    first, second, _ = of_kernel(tmp_path, "triton_access", body)
    assert [value(one, "masked_elsewhere") for one in (first, second)] == [False, True]


@pytest.mark.parametrize(("end", "expected"), [("n", True), ("tl.program_id(0) * BLOCK", False)])
def test_a_loop_that_ends_before_the_own_block(tmp_path: Path, end: str, expected: bool) -> None:
    body = f"""
        for start in range(0, {end}, BLOCK):
            at = start + tl.arange(0, BLOCK)
            tl.store(y + at, tl.load(x + at, mask=at < n))
    """
    accesses = of_kernel(tmp_path, "triton_access", body)
    store = next(one for one in accesses if value(one, "kind") == "store")
    assert value(store, "masked_elsewhere") is expected


ROUNDED = [
    ("z = torch.empty(triton.cdiv(n, 64) * 64)", ["y"]),
    ("z = torch.empty([4, (n + 63) // 64 * 64])", ["y"]),
    ("m = triton.cdiv(n, 64)\n    rows = 64 * m\n    z = torch.zeros((2, rows))", ["y"]),
    ("z = torch.empty((n_padded, 4))", ["y"]),
    ("z = torch.empty(n)", []),
    ("z = torch.empty(triton.cdiv(n, 64) * 32)", []),
    ("z = torch.empty(triton.cdiv(n, 64))", []),
]


@pytest.mark.parametrize(("made", "rounded"), ROUNDED)
def test_arrays_of_rounded_length(tmp_path: Path, made: str, rounded: list[str]) -> None:
    text = "import torch\n" + HEAD + KERNEL + "    tl.store(y + tl.arange(0, BLOCK), 1)\n\n\n"
    text += f"def run(x, n, n_padded):\n    {made}\n    k[(8,)](x, z, n, 4, BLOCK=64)\n"
    arguments = found(tmp_path, "triton_argument", text)
    assert [one.label for one in arguments if value(one, "rounded")] == rounded


@pytest.mark.parametrize(("around", "kernels"), [("pytest.raises(Exception)", 0), ("torch.no_grad()", 1)])
def test_what_a_test_wants_to_fail_is_left_out(tmp_path: Path, around: str, kernels: int) -> None:
    text = "import pytest\nimport torch\n" + HEAD + "def test_it(x):\n    @triton.jit\n    def k(x):\n"
    text += "        tl.store(x + tl.arange(0, 48), 1)\n\n"
    text += f"    with {around}:\n        k[(1,)](x)\n"
    assert len(found(tmp_path, "triton_kernel", text)) == kernels
    assert len(found(tmp_path, "triton_launch", text)) == kernels
