"""The PTX of the reference workloads: every instruction read, every register and label known."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_ptx_reader import checked

from advisor.evidence.compiled import Target
from advisor.evidence.compiled.ptx_texts import PtxText, ptx_texts
from advisor.evidence.compiled.toolchain import missing_compiler
from advisor.evidence.simulated.simt.ptx.ptx_program import Location
from advisor.evidence.simulated.simt.ptx.ptx_reader import read_ptx
from advisor.evidence.source.analysis import analyse

KERNELS = Path(__file__).parents[5] / "kernels"


@pytest.fixture(scope="module")
def texts() -> list[PtxText]:
    if missing_compiler() is not None:
        pytest.skip("NVIDIA's compiler wheels are not installed")
    units = analyse(sorted(KERNELS.glob("*.py")), KERNELS.parent, with_units=True).units
    return list(ptx_texts(units, Target.parse("8.0")))


def test_the_ptx_of_all_workloads_is_read(texts: list[PtxText]) -> None:
    assert len(texts) == 18
    assert [text.problem for text in texts if text.problem] == []
    for text in texts:
        assert checked(text.text) > 20, text.unit.kernel


def test_instructions_stand_at_lines_of_the_unit(texts: list[PtxText]) -> None:
    text = next(text for text in texts if "vector_add_first" in text.unit.kernel)
    (kernel,) = [function for function in read_ptx(text.text).functions.values() if function.entry]
    lines = {
        item.location.outermost.line
        for item in kernel.instructions
        if isinstance(item.location, Location)
        and item.opcode in ("ld", "st")
        and "param" not in item.modifiers
    }
    function = text.unit.functions[-1]
    written = function.source.splitlines()
    assert lines
    assert all("[" in written[line - 1] or "for" in written[line - 1] for line in lines), lines
