"""Records of torch and cupy in host code: what is told, and what is not."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from surveying import value

from advisor.evidence.source.analysis import analyse
from advisor.model.records import Record

HEAD = "import time\nimport numpy as np\nimport cupy as cp\nimport torch\nfrom torch import nn\n\n\n"


def found(folder: Path, entity: str, body: str, name: str = "program.py") -> list[Record]:
    """The records of an entity in a function with this body."""
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    indented = textwrap.indent(textwrap.dedent(body), "    ")
    file.write_text(f"{HEAD}def run(given, steps, flag):\n{indented}", encoding="utf-8")
    records = [one for one in analyse([file], folder).records if one.entity == entity]
    return sorted(records, key=lambda one: (one.span.line, one.span.column))


LOOP = "x = given.cuda()\nfor k in range(steps):\n    x = torch.sin(x)\n"


@pytest.mark.parametrize(
    ("lines", "every_iteration"),
    [
        ("    y = x.item()", True),
        ("    if torch.cuda.is_available():\n        y = x.item()", True),
        ("    if k % 10 == 0:\n        y = x.item()", False),
        ("    if flag.verbose:\n        y = x.item()", False),
        ("    if flag.other:\n        y = x.item()", None),
        ("    y = flag and x.item()", None),
        ("    y = x.item()\n    break", False),
        ("    if flag.other:\n        y = x.item()\n        return y", False),
        ("    try:\n        x = x + 1\n    except ValueError:\n        y = x.item()", False),
        ("    try:\n        y = x.item()\n        return y\n    except ValueError:\n        pass", False),
        ("    for j in range(9):\n        x = x + 1\n    y = x.item()", False),
    ],
)
def test_whether_every_iteration_waits(tmp_path: Path, lines: str, every_iteration: bool | None) -> None:
    (record,) = found(tmp_path, "synchronisation", LOOP + lines)
    assert value(record, "every_iteration") is every_iteration


def test_a_loop_over_items_that_are_written_out_is_none(tmp_path: Path) -> None:
    (record,) = found(tmp_path, "synchronisation", "x = given.cuda()\nfor k in [1, 2]:\n    x.item()")
    assert value(record, "host_loop_depth") == 0


def test_waits_for_one_stream_after_the_other_let_the_others_go_on(tmp_path: Path) -> None:
    assert found(tmp_path, "synchronisation", "for k in given:\n    torch.cuda.Stream(k).synchronize()") == []
    assert (
        len(found(tmp_path, "synchronisation", "for k in given:\n    torch.cuda.Stream().synchronize()")) == 1
    )


@pytest.mark.parametrize(
    ("body", "waits"),
    [
        ("f = lambda x: x.to(flag if flag else 'cuda')\ng = lambda: torch.zeros(9, device=flag)", 0),
        ("x = given.cuda()\ny = " + " + ".join(["x"] * 3000), 0),
        ("match given:\n    case 1:\n        x = given.cuda()\n        x.item()", 1),
        ("async def f():\n    async for x in given:\n        x.cuda().item()", 1),
        ("class A:\n    x = torch.zeros(9, device='cuda')\n    y = x.item()", 1),
        ("[x.cuda().item() for x in given if (y := x.cuda().sum()) > 1]", 1),
    ],
)
def test_code_of_any_form_is_looked_at(tmp_path: Path, body: str, waits: int) -> None:
    assert len(found(tmp_path, "synchronisation", body)) == waits


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("y = x.item()", "read"),
        ("y = x.tolist()", "read"),
        ("y = float(x.sum())", "read"),
        ("y = int(x[0])", "read"),
        ("print(x)", "print"),
        ("print(f'{x}')", "print"),
        ("if x > 1:\n    y = 1", "read"),
        ("while x > 1:\n    x = x / 2", "read"),
        ("torch.cuda.synchronize()", "wait"),
        ("torch.cuda.empty_cache()", "free"),
        ("s = torch.cuda.Stream()\ns.synchronize()", "wait"),
        ("cp.get_default_memory_pool().free_all_blocks()", "free"),
    ],
)
def test_kinds_of_waits(tmp_path: Path, line: str, kind: str) -> None:
    records = found(tmp_path, "synchronisation", f"x = given.cuda()\n{line}")
    assert [value(one, "kind") for one in records] == [kind]


@pytest.mark.parametrize(
    "line",
    [
        "y = given.item()",
        "y = float(given)",
        "print(given)",
        "print(x.shape)",
        "y = x.size(0)",
        "if x is None:\n    y = 1",
        "if x.shape[0] > 1:\n    y = 1",
        "if flag:\n    y = 1",
        "given.synchronize()",
        "cp.get_default_memory_pool().free_all_blocks(stream=given)",
        "y = np.zeros(4).tolist()",
    ],
)
def test_what_waits_for_nothing(tmp_path: Path, line: str) -> None:
    assert found(tmp_path, "synchronisation", f"x = given.cuda()\n{line}") == []


def test_tests_are_looked_at_only_for_what_is_told_of_in_tests(tmp_path: Path) -> None:
    assert found(tmp_path, "synchronisation", LOOP + "    y = x.item()", "tests/test_it.py") == []
    timed = LOOP + "    y = x.item()\nt = time.time()"
    (record,) = found(tmp_path, "synchronisation", timed, "tests/test_it.py")
    assert value(record, "in_test_or_benchmark") is True


@pytest.mark.parametrize(
    ("line", "reusable"),
    [
        ("b = torch.zeros(9, device='cuda')\n    x = x + b", True),
        ("b = torch.zeros(k, device='cuda')\n    x = x + b", False),
        ("b = torch.randn(9, device='cuda')\n    x = x + b", False),
        ("b = torch.zeros(9, device='cuda')\n    flag.append(b)", False),
        ("b = torch.zeros(9, device='cuda')\n    flag.keep = b", False),
        ("b = torch.zeros(9, device='cuda')\n    flag(b)", None),
        ("x = x + torch.zeros(9, device='cuda')", None),
    ],
)
def test_buffers_that_could_be_used_again(tmp_path: Path, line: str, reusable: bool | None) -> None:
    (record,) = found(tmp_path, "allocation", LOOP + f"    {line}")
    assert value(record, "reusable") is reusable


def test_a_buffer_that_is_read_behind_the_loop_is_kept(tmp_path: Path) -> None:
    (record,) = found(
        tmp_path, "allocation", LOOP + "    b = torch.zeros(9, device='cuda')\n    x = x + b\nreturn b"
    )
    assert value(record, "reusable") is False


@pytest.mark.parametrize(
    ("line", "metrics"),
    [
        ("y = torch.zeros(9).cuda()", {"created_for_copy": True, "non_blocking": False}),
        ("y = torch.randn(9).cuda()", {"created_for_copy": False}),
        (
            "y = torch.from_numpy(given).cuda(non_blocking=True)",
            {"non_blocking": True, "source_pinned": False},
        ),
        (
            "y = torch.zeros(9).pin_memory().cuda(non_blocking=flag)",
            {"non_blocking": None, "source_pinned": True},
        ),
        ("y = cp.asarray(np.zeros(9))", {"direction": "to_device", "library": "cupy"}),
        ("y = cp.zeros(9).get()", {"direction": "to_host", "library": "cupy"}),
        ("y = given.cuda().cpu()", {"direction": "to_host", "library": "torch"}),
    ],
)  # fmt: skip
def test_copies(tmp_path: Path, line: str, metrics: dict[str, object]) -> None:
    (record,) = found(tmp_path, "transfer", line)
    assert {name: value(record, name) for name in metrics} == metrics


@pytest.mark.parametrize(
    "line", ["y = given.to(flag)", "y = given.cuda()", "y = cp.asarray(cp.zeros(9))", "y = cp.asarray(given)",
             "y = given.cpu()", "m = nn.Linear(9, 9).cuda()", "y = torch.zeros(9).to('cpu')",
             "y = given.get()"],
)  # fmt: skip
def test_no_copies_for_certain(tmp_path: Path, line: str) -> None:
    assert found(tmp_path, "transfer", line) == []


@pytest.mark.parametrize(
    ("lines", "waits"),
    [
        ("y = x @ x", False),
        ("y = x @ x\ntorch.cuda.synchronize()", True),
        ("torch.cuda.synchronize()\ny = x @ x", False),
        ("y = (x @ x).item()", True),
        ("y = x @ x\nflag(y)", None),
        ("y = x @ x\nprint(y)", True),
        ("y = x @ x\nprint('done')", False),
        ("for k in range(9):\n    y = x @ x", False),
        ("for k in range(9):\n    y = (x @ x).sum().item()\n    z = x @ x", True),
    ],
)
def test_measurements(tmp_path: Path, lines: str, waits: bool | None) -> None:
    body = f"x = given.cuda()\nt = time.perf_counter()\n{lines}\nreturn time.perf_counter() - t"
    (record,) = found(tmp_path, "measurement", body)
    assert value(record, "waits") is waits


@pytest.mark.parametrize(
    ("lines", "uploads"),
    [
        ("y = cp.asarray(np.ones(9))", True),
        ("y = cp.asarray(np.ones(9)).reshape(3, 3)", True),
        ("y = cp.array(given)", True),
        ("y = torch.tensor([1.0], device='cuda')", True),
        ("y = cp.asarray(np.ones(9))\nz[0] = y", True),
        ("y = cp.asarray(np.ones(9))\nz = y + y", False),
        ("y = cp.zeros(9)", False),
        ("y = x @ x", False),
    ],
)
def test_copies_to_the_device_as_the_last_work(tmp_path: Path, lines: str, uploads: bool) -> None:
    body = (
        f"x = given.cuda()\nz = cp.zeros(9)\nt = time.perf_counter()\n{lines}\nreturn time.perf_counter() - t"
    )
    (record,) = found(tmp_path, "measurement", body)
    assert (value(record, "waits"), value(record, "uploads")) == (False, uploads)


@pytest.mark.parametrize(
    "body",
    [
        "t = time.time()\ny = given @ given\nreturn time.time() - t",
        "x = given.cuda()\nt = time.time()\nreturn time.time() - t",
        "x = given.cuda()\nt = time.time()\ny = x @ x\nreturn time.time()",
        "x = given.cuda()\nt = time.time()\ny = x @ x\nt = flag\nreturn time.time() - t",
        "x = given.cuda()\nt = time.time()\ny = x @ x\nif flag:\n    return time.time() - t",
    ],
)
def test_nothing_is_measured_for_certain(tmp_path: Path, body: str) -> None:
    assert found(tmp_path, "measurement", body) == []


@pytest.mark.parametrize(
    ("line", "operations"),
    [
        ("x = x * 2 + cp.sin(x)", [3]),
        ("x = cp.maximum(x * 2, -x * 3)", [3]),
        ("x = x + 1", []),
        ("x = x @ x + 1", []),
        ("y = given * 2 + given * 3", []),
        ("y = k * 2 + k * 3 - k", []),
    ],
)
def test_chains(tmp_path: Path, line: str, operations: list[float]) -> None:
    body = f"x = cp.zeros(9)\nfor k in range(steps):\n    {line}"
    assert [value(one, "operations") for one in found(tmp_path, "expression", body)] == operations


@pytest.mark.parametrize(
    ("line", "items", "independent"),
    [
        ("out[k] = torch.matmul(x[k], x[k])", 2, True),
        ("flag.append(x[k] @ w)", 1, True),
        ("w = w @ x[k]", 1, False),
        ("out[0] = torch.matmul(x[k], w)", 1, False),
        ("out[k] = torch.matmul(x, w)", 0, True),
        ("x[k] = torch.matmul(x[k], x[k - 1])", 1, False),
    ],
)
def test_products(tmp_path: Path, line: str, items: int, independent: bool) -> None:
    head = "x, w = given.cuda(), flag.w.cuda()\nout = torch.zeros(9, device='cuda')\n"
    body = f"{head}for k in range(steps):\n    {line}"
    (record,) = found(tmp_path, "product", body)
    assert (value(record, "item_operands"), value(record, "independent")) == (items, independent)
