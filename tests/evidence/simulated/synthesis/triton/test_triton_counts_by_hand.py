"""What launches that are made up tell of Triton's kernels, by hand. Skipped where Triton is not installed."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

pytest.importorskip("triton.backends", reason="Triton is not installed: pip install 'kernel-advisor[triton]'")

from advisor.evidence.simulated.simt.ptx.ptx_program import Instruction
from advisor.evidence.simulated.simt.unsupported import Unsupported
from advisor.evidence.simulated.synthesis.result import LineCounts, Synthesis
from advisor.evidence.simulated.synthesis.triton import synthesise as making
from advisor.evidence.simulated.synthesis.triton.question import TritonQuestion
from advisor.evidence.simulated.synthesis.triton.synthesise import synthesise
from advisor.evidence.source.analysis import analyse

HEAD = "import torch\nimport triton\nimport triton.language as tl\n\n"
COPY = """
@triton.jit
def copy(x, o, stride, n, B: tl.constexpr):
    i = tl.arange(0, B)
    at = tl.program_id(0) * stride + i
    tl.store(o + at, tl.load(x + at, mask=i < n), mask=i < n)
"""
PRODUCT = """
@triton.jit
def product(a, b, c, N, K, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    j = tl.program_id(1) * B + tl.arange(0, B)
    acc = tl.zeros((B, B), tl.float32)
    for k in range(0, K, B):
        r = k + tl.arange(0, B)
        x = tl.load(a + i[:, None] * K + r[None, :])
        y = tl.load(b + r[:, None] * N + j[None, :])
        acc += tl.dot(x, y, input_precision="PRECISION")
    tl.store(c + i[:, None] * N + j[None, :], acc)


def run():
    a = torch.randn((64, 64), dtype=torch.float32, device="cuda")
    product[(2, 2)](a, a, torch.empty_like(a), 64, 64, B=32)
"""


def told(folder: Path, text: str, capability: int = 80) -> Synthesis:
    file = folder / "program.py"
    file.write_text(HEAD + textwrap.dedent(text))
    (unit,) = analyse([file], folder, with_units=True).triton_units
    question = TritonQuestion(unit, capability)
    return question.placed(synthesise(question.request))


def line(found: Synthesis, kind: str, entity: str = "triton_access") -> LineCounts:
    (only,) = [one for one in found.lines if (one.entity, one.kind) == (entity, kind)]
    return only


def test_stated_sizes_tell_the_lanes_that_a_mask_leaves_idle(tmp_path: Path):
    launch = """
x = torch.randn((100, 600), device="cuda")
copy[(100,)](x, torch.empty_like(x), 608, 600, B=1024)
"""
    found = told(tmp_path, COPY + launch)
    load = line(found, "load")
    assert load.line == 10 and load.array == "x" and load.path == "program.py"
    # A load of 16 bytes moves four floats: 150 of 256 take place.
    assert load.values["active_lanes"] == pytest.approx(600 / 1024)
    assert load.values["sector_share"] == pytest.approx(0.5)


def test_sizes_that_nobody_states_tell_nothing_of_idle_lanes_but_of_sectors(tmp_path: Path):
    launch = """
def go(x):
    rows, n = x.shape
    copy[(rows,)](x, torch.empty_like(x), x.stride(0), n, B=triton.next_power_of_2(n))
"""
    load = line(told(tmp_path, COPY + launch), "load")
    assert "active_lanes" not in load.values
    # All 1,024, then 1,536 of 2,048, then 1,021 of 1,024, of which each thread moves one after the other.
    assert load.seen["active_lanes"][:3] == pytest.approx((1.0, 0.75, 1021 / 1024))
    # 32 lanes with 16 bytes each are 16 sectors, of float16 too: there each thread moves eight elements.
    assert load.values["sectors_per_request"] == load.values["ideal_sectors_per_request"] == 16.0


def test_every_second_element_of_four_in_a_thread_takes_a_sector_for_each_lane(tmp_path: Path):
    text = """
@triton.jit
def pick(x, o, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + i, tl.load(x + 2 * i))


x = torch.randn(65536, dtype=torch.float32, device="cuda")
pick[(32,)](x, torch.empty(32768, dtype=torch.float32, device="cuda"), B=1024)
"""
    load = line(told(tmp_path, text), "load")
    # A thread has four neighbours of the block, 8 elements of 4 bytes apart: 32 bytes from lane to lane.
    assert load.values["sectors_per_request"] == 32.0
    assert load.values["ideal_sectors_per_request"] == 4.0
    assert load.values["thread_stride"] == 8.0


@pytest.mark.parametrize(("precision", "share"), [("ieee", 0.0), ("tf32", 1.0)])
def test_products_are_done_by_tensor_cores_or_are_not(tmp_path: Path, precision: str, share: float):
    found = told(tmp_path, PRODUCT.replace("PRECISION", precision))
    assert found.values["tensor_share"] == pytest.approx(share, abs=0.05)
    assert found.values["warps"] == 4.0 and found.values["registers"]


OF_HALVES = (
    PRODUCT.replace("PRECISION", "tf32")
    .replace("float32, device", "float16, device")
    .replace("(64, 64)", "(128, 128)")
    .replace("64, 64, B=32", "128, 128, B=64")
)


def test_a_later_device_than_the_machine_executes_has_the_code_of_an_older_one_and_says_so(
    tmp_path: Path, monkeypatch
):
    """As if the machine lacked an instruction of the code for 9.0."""
    translated = making._translated

    def lacking(code, request):
        if ".target sm_90a" in code.ptx:
            raise Unsupported(Instruction("tcgen05", (), (), (), None, None, 1))
        return translated(code, request)

    monkeypatch.setattr(making, "_translated", lacking)
    found = told(tmp_path, OF_HALVES, capability=90)
    assert not found.unknown
    assert any("ran code for sm_80" in one for one in found.assumptions)


def test_code_for_9_0_is_executed_as_it_is(tmp_path: Path):
    found = told(tmp_path, OF_HALVES, capability=90)
    assert not found.unknown
    assert not any("ran code for" in one for one in found.assumptions)
    assert found.values["tensor_share"] == pytest.approx(1.0, abs=0.05)
    assert found.values["registers"]


def test_types_that_the_kernel_is_not_made_for_are_no_launch_of_it(tmp_path: Path):
    text = """
@triton.jit
def shift(x, o, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i)
    tl.static_assert(v.dtype == tl.float16)
    tl.store(o + i, v)


def go(x):
    shift[(32,)](x, torch.empty_like(x), B=256)
"""
    found = told(tmp_path, text)
    assert {one.types for one in found.launches} == {("*fp16", "*fp16")}
    assert any(
        "fp16, the only type tried that Triton compiles the kernel for" in one for one in found.assumptions
    )


def test_a_kernel_that_triton_refuses_is_unknown_with_the_compilers_words(tmp_path: Path):
    text = """
@triton.jit
def wrong(x, B: tl.constexpr):
    tl.store(x + tl.arange(0, B), 1.0)


def go(x):
    wrong[(1,)](x, B=100)
"""
    found = told(tmp_path, text)
    assert found.unknown.startswith("Triton does not compile the kernel: ") and "power of 2" in found.unknown


def test_a_name_that_this_version_of_triton_lacks_is_said(tmp_path: Path):
    text = "from triton.nowhere import thing\n\n" + COPY.replace("tl.load(", "thing(tl.load(").replace(
        "mask=i < n), mask", "mask=i < n)), mask"
    )
    assert told(tmp_path, text).unknown == "This version of Triton has no triton.nowhere.thing."
