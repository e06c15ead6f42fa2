"""Kernels of Triton as texts that need no other file, and the launches that are made up for them by hand."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from advisor.evidence.source.analysis import analyse
from advisor.model.machine_code.triton_unit import TritonUnit

HEAD = "import torch\nimport triton\nimport triton.language as tl\n\n"
ROW = """
@triton.jit
def row(x, o, stride, n, B: tl.constexpr):
    i = tl.arange(0, B)
    at = tl.program_id(0) * stride + i
    tl.store(o + at, tl.load(x + at, mask=i < n), mask=i < n)
"""


def units(folder: Path, *texts: str) -> list[TritonUnit]:
    """The units of files with these texts: program.py, then other1.py …"""
    files = []
    for number, text in enumerate(texts):
        file = folder / (f"other{number}.py" if number else "program.py")
        file.write_text(HEAD + textwrap.dedent(text))
        files.append(file)
    return analyse(files, folder, with_units=True).triton_units


def unit(folder: Path, *texts: str) -> TritonUnit:
    (found,) = units(folder, *texts)
    return found


def test_a_launch_by_shapes_and_strides_is_followed(tmp_path: Path):
    found = unit(
        tmp_path,
        ROW
        + """
def center(x):
    rows, n = x.shape
    o = torch.empty_like(x)
    row[(rows,)](x, o, x.stride(0), n, B=triton.next_power_of_2(n), num_warps=8)
""",
    )
    first, other, odd = found.plans
    assert found.where == "program.py:15"
    # 512 rows of 1,024; 768 of 1,536, of which the next power of two is 2,048; 509 of 1,021.
    assert [one.grid for one in found.plans] == [(512, 1, 1), (768, 1, 1), (509, 1, 1)]
    assert first.scalars == (("stride", 1024), ("n", 1024))
    assert [dict(one.constants)["B"] for one in found.plans] == [1024, 2048, 1024]
    assert first.options == (("num_warps", 8),)
    assert (first.varies, other.varies, odd.varies) == ("", "", "rows")
    assert first.assumed == ("x", "o") and first.pointers[0] == ("x", "fp32", 512 * 1024)


def test_sizes_and_types_that_the_source_states_stay(tmp_path: Path):
    found = unit(
        tmp_path,
        ROW
        + """
x = torch.randn((100, 600), dtype=torch.float16, device="cuda")
row[(100,)](x, torch.empty_like(x), x.stride(0), x.shape[1], 1024)
""",
    )
    assert {one.grid for one in found.plans} == {(100, 1, 1)}
    assert {one.scalars for one in found.plans} == {(("stride", 600), ("n", 600))}
    assert found.plans[0].assumed == () and found.plans[0].pointers[0] == ("x", "fp16", 60_000)


def test_a_grid_follows_the_configuration_of_tuning(tmp_path: Path):
    found = unit(
        tmp_path,
        """
@triton.autotune([triton.Config({"B": 256}, num_warps=2), triton.Config({"B": 1024})], key=["n"])
@triton.heuristics({"EVEN": lambda args: args["n"] % args["B"] == 0})
@triton.jit
def copy(x, o, n, B: tl.constexpr, EVEN: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + i, tl.load(x + i, mask=i < n), mask=i < n)


def run(x):
    o = torch.empty_like(x)
    copy[lambda meta: (triton.cdiv(x.numel(), meta["B"]),)](x, o, x.numel())
""",
    )
    by_name = {one.variant: one for one in found.plans}
    assert by_name["round sizes"].grid == (65_536 // 256, 1, 1)
    assert by_name["round sizes"].options == (("num_warps", 2),)
    assert by_name["another configuration"].grid == (65_536 // 1024, 1, 1)
    assert dict(by_name["round sizes"].constants)["EVEN"] is True
    assert dict(by_name["odd sizes"].constants)["EVEN"] is False


def test_a_kernel_takes_with_it_what_it_calls_and_names(tmp_path: Path):
    found = units(
        tmp_path,
        """
from other1 import twice

WIDTH = tl.constexpr(64)

@triton.jit
def k(x, o):
    i = tl.arange(0, WIDTH)
    tl.store(o + i, twice(tl.load(x + i)))


def run(x):
    k[(4,)](x, torch.empty_like(x))
""",
        """
FACTOR: tl.constexpr = 2

@triton.jit
def twice(x):
    return x * FACTOR
""",
    )
    (kernel,) = [one for one in found if one.name == "k"]
    assert [one.name for one in kernel.functions] == ["k", "twice"]
    assert dict(kernel.functions[0].constants) == {"WIDTH": 64}
    assert kernel.functions[0].links == (("twice", 1),) and kernel.functions[1].path == "other1.py"
    assert dict(kernel.functions[1].constants) == {"FACTOR": 2}


def test_a_launch_in_another_module_is_the_pattern(tmp_path: Path):
    launch = """
from program import row

def go(x):
    row[(7,)](x, torch.empty_like(x), 32, 32, B=32)
"""
    found = unit(tmp_path, ROW, launch)
    assert found.where == "other1.py:9"
    assert {one.grid for one in found.plans} == {(7, 1, 1)}


def test_without_a_launch_parameters_are_made_up_by_their_use(tmp_path: Path):
    found = unit(tmp_path, ROW)
    first, other = found.plans[:2]
    assert dict(first.scalars) == {"stride": 1024, "n": 1024}
    # An extent that nothing tells is another one in the second launch.
    assert dict(first.constants)["B"] != dict(other.constants)["B"]
    assert "Nothing tells B, which is taken to be 128." in found.assumptions
    assert "Nothing tells the grid." in found.assumptions


def test_elements_that_are_places_are_whole_numbers(tmp_path: Path):
    found = unit(
        tmp_path,
        """
@triton.jit
def gather(x, index, o, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    at = tl.load(index + i)
    tl.store(o + i, tl.load(x + at))
""",
    )
    kinds = {name: kind for name, kind, _ in found.plans[0].pointers}
    assert kinds == {"x": "fp32", "index": "i64", "o": "fp32"}


def test_checks_of_the_program_are_met_where_they_can_be(tmp_path: Path):
    found = unit(
        tmp_path,
        ROW
        + """
def go(a, b):
    M, K = a.shape
    K2, N = b.shape
    assert K == K2
    row[(M,)](a, b, a.stride(0), K, B=1024)
""",
    )
    assert found.plans[0].grid == (1024, 1, 1)  # square
    assert not any("passed over" in one for one in found.assumptions)


def test_a_check_that_no_size_meets_is_passed_over_and_said(tmp_path: Path):
    found = unit(
        tmp_path,
        ROW
        + """
def go(x):
    rows, n = x.shape
    if n != 7:
        raise ValueError(n)
    row[(rows,)](x, x, x.stride(0), n, B=1024)
""",
    )
    assert (
        "The program ends where `n != 7`, which is passed over for sizes that are made up."
        in found.assumptions
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "import helpers\n\n@triton.jit\ndef k(x):\n    tl.store(x, helpers.go(x))\n",
            "`helpers` is not known",
        ),
        (
            "@triton.jit\ndef k(x):\n    tl.store(x, tl.core.__builtins__)\n",
            "`__builtins__`, which is private",
        ),
        ("@triton.jit\ndef k(x, MODE: tl.constexpr):\n    tl.store(x, MODE)\n", "Nothing tells MODE"),
        ("@triton.jit\ndef k(x):\n    return x\n", "Nothing shows which parameters"),
    ],
)
def test_what_cannot_be_made_up_says_why(tmp_path: Path, text: str, said: str):
    found = unit(tmp_path, text)
    assert not found.plans and said in found.unknown


def test_no_module_of_the_workspace_is_imported(tmp_path: Path):
    text = ROW + '\nopen("ran", "w").close()\n\ndef go(x):\n    row[(1,)](x, x, 1, 1, B=16)\n'
    assert unit(tmp_path, text).plans
    assert not (tmp_path / "ran").exists() and not Path("ran").exists()


def test_a_file_without_units_costs_none(tmp_path: Path):
    file = tmp_path / "program.py"
    file.write_text(HEAD + ROW)
    assert analyse([file], tmp_path).triton_units == []
