"""Matrices of 8 x 8 elements of 16 bits between shared memory and registers.

PTX ISA, "ldmatrix": lane n holds elements 2 (n % 4) and 2 (n % 4) + 1 of row n / 4, with .trans of column
n / 4. Lanes 8 j to 8 j + 7 give the addresses of the rows of matrix j.
"""

from __future__ import annotations

import numpy as np
import pytest
from warp_program import DETAILED, LANES, PLAIN, execute, names

from advisor.evidence.simulated.simt.machine import Execution, Kernel, compile_kernel
from advisor.evidence.simulated.simt.ptx.ptx_reader import read_ptx
from advisor.evidence.simulated.simt.unsupported import Unsupported
from advisor.evidence.simulated.simt.vector.layout import Defect, Site, Space

BOTH = pytest.mark.parametrize("how", [PLAIN, DETAILED], ids=["fast", "detailed"])
FORMS = pytest.mark.parametrize(("count", "trans"), [(n, t) for n in (1, 2, 4) for t in ("", ".trans")])
# Each lane has 16 bytes of its own, `stride` bytes behind those of the lane before it.
PLACE = "mov.u32 %r1, tile; mad.lo.s32 %r2, %r0, {stride}, %r1; "
FILL = PLACE + "st.shared.v4.b32 [%r2], {{%a0, %a1, %a2, %a3}}; bar.sync 0; "
LOAD = "ldmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 {targets}, [%r2];"
STORE = "stmatrix.sync.aligned.m8n8.x{count}{trans}.shared::cta.b16 [%r2], {sources};"


def rows_of_lanes(seed: int = 3) -> np.ndarray:
    """16 bytes for each lane: a row of eight elements."""
    return np.random.default_rng(seed).integers(0, 1 << 16, (LANES, 8), dtype=np.uint16)


def held(rows: np.ndarray, count: int, trans: str) -> np.ndarray:
    """The registers of the lanes for the matrices that these rows make."""
    found = np.zeros((LANES, count), np.uint32)
    for number in range(count):
        matrix = rows[8 * number : 8 * number + 8].astype(np.uint32)
        matrix = matrix.T if trans else matrix
        for lane in range(LANES):
            low, high = matrix[lane // 4, lane % 4 * 2 : lane % 4 * 2 + 2]
            found[lane, number] = low | high << 16
    return found


def site(execution: Execution, kernel: Kernel, writes: bool = False) -> np.ndarray:
    """The counts of the access to shared memory for matrices."""
    (one,) = (
        access for access in kernel.warp.accesses.values()
        if access.space == Space.SHARED and access.own_lanes and access.writes == writes
    )  # fmt: skip
    return execution.sites[one.number]


@BOTH
@FORMS
def test_matrices_are_loaded(count, trans, how):
    rows = rows_of_lanes()
    lines = FILL.format(stride=48) + LOAD.format(count=count, trans=trans, targets=names("d", range(count)))
    found, execution, kernel = execute(lines, rows.view(np.uint32), count, how)
    assert np.array_equal(found, held(rows, count, trans))
    assert execution.defect_count == 0
    row = site(execution, kernel)
    assert (row[Site.REQUESTS], row[Site.LANES]) == (1, 8 * count)


@BOTH
@FORMS
def test_matrices_are_stored(count, trans, how):
    rows = rows_of_lanes()
    rows[8 * count :] = 0
    registers = held(rows, count, trans)
    lines = (
        PLACE.format(stride=80)
        + STORE.format(count=count, trans=trans, sources=names("a", range(count)))
        + "bar.sync 0; mov.b32 %d0, 0; mov.b32 %d1, 0; mov.b32 %d2, 0; mov.b32 %d3, 0; "
        + f"setp.lt.s32 %c0, %r0, {8 * count}; @%c0 ld.shared.v4.b32 {names('d', range(4))}, [%r2];"
    )
    found, execution, kernel = execute(lines, registers, 4, how)
    assert np.array_equal(found.view(np.uint16), rows)
    assert execution.defect_count == 0
    row = site(execution, kernel, writes=True)
    assert (row[Site.REQUESTS], row[Site.LANES]) == (1, 8 * count)


# Eight rows of 16 bytes are 128 bytes, all banks once; with 32 bytes from row to row four rows fill them.
PASSES = [(16, 1), (32, 2), (64, 4), (128, 8), (256, 8), (144, 1), (80, 1), (272, 1), (96, 2)]


@BOTH
@pytest.mark.parametrize(("stride", "passes"), PASSES)
def test_passes_through_the_banks(stride, passes, how):
    # Matrices lie one behind the other where 32 rows fit into the 4,096 bytes, else all at one place.
    place = "mov.u32 %r1, tile; " + (
        f"mad.lo.s32 %r2, %r0, {stride}, %r1; "
        if stride <= 128
        else f"and.b32 %r3, %r0, 7; mad.lo.s32 %r2, %r3, {stride}, %r1; "
    )
    for count in (1, 2, 4):
        lines = place + LOAD.format(count=count, trans="", targets=names("d", range(count)))
        _, execution, kernel = execute(lines, np.zeros((LANES, 1), np.uint32), count, how)
        row = site(execution, kernel)
        assert (row[Site.WAVEFRONTS], row[Site.IDEAL_WAVEFRONTS]) == (passes * count, count)


@pytest.mark.parametrize("count", [1, 2])
def test_addresses_of_other_lanes_do_not_count(count):
    rows = rows_of_lanes()
    lines = (
        FILL.format(stride=16)
        + f"setp.ge.s32 %c0, %r0, {8 * count}; @%c0 mov.b32 %r2, -3; "
        + LOAD.format(count=count, trans="", targets=names("d", range(count)))
    )
    found, execution, _ = execute(lines, rows.view(np.uint32), count, DETAILED)
    assert np.array_equal(found, held(rows, count, ""))
    assert execution.defect_count == 0


def defects(lines: str, how=DETAILED, lanes: int = LANES) -> set[tuple[int, int]]:
    """Kind and thread of the defects of some lines."""
    _, execution, _ = execute(lines, np.ones((lanes, 4), np.uint32), 4, how, lanes)
    return {(one.kind, one.thread) for one in execution.defects}


FOUR = LOAD.format(count=4, trans="", targets=names("d", range(4)))


@BOTH
def test_a_row_out_of_bounds(how):
    # 32 rows 128 bytes apart fill the 4,096 bytes; moved by one, the last row begins behind them.
    lines = FILL.format(stride=128) + "add.s32 %r2, %r2, 128; " + FOUR
    assert defects(lines, how) >= {(Defect.OUT_OF_BOUNDS, 31)}


@BOTH
def test_a_misaligned_row(how):
    lines = FILL.format(stride=16) + "setp.eq.s32 %c0, %r0, 9; @%c0 add.s32 %r2, %r2, 8; " + FOUR
    assert defects(lines, how) == {(Defect.MISALIGNED, 9)}


def test_rows_that_nobody_wrote():
    lines = PLACE.format(stride=16) + (
        "setp.lt.s32 %c0, %r0, 24; @%c0 st.shared.v4.b32 [%r2], {%a0, %a1, %a2, %a3}; bar.sync 0; "
    )
    assert defects(lines + FOUR) == {(Defect.UNINITIALISED, lane) for lane in range(24, 32)}


@pytest.mark.parametrize(("barrier", "kinds"), [("bar.sync 0; ", set()), ("", {Defect.RACE})])
def test_rows_of_another_warp_need_a_barrier(barrier, kinds):
    lines = FILL.format(stride=16).replace("bar.sync 0; ", barrier) + "xor.b32 %r2, %r2, 512; " + FOUR
    assert {kind for kind, _ in defects(lines, lanes=64)} - {Defect.UNINITIALISED} == kinds


HEAD = ".version 8.4\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<40>;\n"
REFUSED = [
    "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r0}, [%r1];",
    "ldmatrix.sync.aligned.m8n8.x1.b16 {%r0}, [%r1];",
    "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r0, %r1}, [%r2];",
    "ldmatrix.sync.aligned.m8n16.x1.shared.b8x16.b6x16_p32 {%r0}, [%r2];",
]


@pytest.mark.parametrize("line", REFUSED)
def test_other_forms_are_refused(line):
    with pytest.raises(Unsupported):
        compile_kernel(read_ptx(f"{HEAD}{line}\nret;\n}}\n"), "k")
