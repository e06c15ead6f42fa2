"""Registers in use at each instruction: as nvdisasm prints them, by line, and when anybody asks."""

from __future__ import annotations

import pytest
from small_kernels import FIRST

from advisor.evidence.compiled import CompiledEvidence
from advisor.evidence.compiled.instructions.live_registers import is_worth_asking, peaks, read_live
from advisor.evidence.compiled.instructions.sass import read_sass

WITH_LIVES = """
	.section	.text.kernel,"ax",@progbits
                                                  // +-------+--------+
                                                  // | GPR   | PRED   |
.text.kernel:                                     // |       |        |
        /*0000*/                   MOV R1, c[0x0][0x28] ;      // |   1   |        |
        /*0010*/                   ISETP.GE.AND P0, PT, R1, RZ, PT ;   // |   17   |   1    |
.L_x_0:                                           // |   15  |        |
        /*0020*/               @P0 EXIT ;         // |       |        |
	.section	.text.other,"ax",@progbits
        /*0000*/                   FADD R1, R2, R3 ;           // |   9   |        |
"""
WITH_LINES = """
	.section	.text.kernel,"ax",@progbits
	//## File "/unit-function-0.py", line 2
        /*0000*/                   MOV R1, c[0x0][0x28] ;
	//## File "/unit-function-0.py", line 3
        /*0010*/                   ISETP.GE.AND P0, PT, R1, RZ, PT ;
	//## File "/unit-function-0.py", line 2
        /*0020*/               @P0 EXIT ;
	.section	.text.other,"ax",@progbits
	//## File "/unit-function-1.py", line 2
        /*0000*/                   FADD R1, R2, R3 ;
"""


def test_the_count_of_general_registers_is_read_by_section_and_address() -> None:
    assert read_live(WITH_LIVES) == {(0, "0000"): 1, (0, "0010"): 17, (1, "0000"): 9}


def test_of_a_place_the_fullest_instruction_counts() -> None:
    found = peaks(read_sass(WITH_LINES), {(0, "0000"): 30, (0, "0010"): 17, (0, "0020"): 40, (1, "0000"): 9})
    assert found == {(0, 2): 40, (0, 3): 17, (1, 2): 9}
    assert peaks(read_sass(WITH_LINES), read_live(WITH_LIVES)) == {(0, 2): 1, (0, 3): 17, (1, 2): 9}
    assert peaks(read_sass(WITH_LINES), {}) == {}


@pytest.mark.parametrize(
    ("resources", "asked"),
    [
        ({"registers": 65, "spill_store_bytes": 0}, True),
        ({"registers": 64, "spill_store_bytes": 0}, False),
        ({"registers": 32, "spill_store_bytes": 4}, True),
        ({}, False),
    ],
)
def test_it_is_asked_where_registers_are_short(resources: dict[str, int], asked: bool) -> None:
    assert is_worth_asking(resources) is asked


def test_a_kernel_that_spills_fills_its_registers_at_some_line(evidence: CompiledEvidence) -> None:
    kernel = evidence.by_kernel["spilling"]
    live = [line.counts["live_registers"] for line in kernel.lines if "live_registers" in line.counts]
    registers = kernel.resources["registers"]
    assert 0.9 * registers <= max(live) <= registers
    plain = evidence.by_kernel["double"]
    assert [line for line in plain.lines if "live_registers" in line.counts] == []
    assert any(line.line == FIRST for line in plain.lines)
