"""Copies to shared memory that go on while the warp does: `cp.async` and the waits for it."""

from __future__ import annotations

import numpy as np
import pytest
from warp_program import DETAILED, LANES, PLAIN, execute

from advisor.evidence.simulated.simt.load_rounds import load_rounds
from advisor.evidence.simulated.simt.machine import compile_kernel
from advisor.evidence.simulated.simt.ptx.ptx_reader import read_ptx
from advisor.evidence.simulated.simt.unsupported import Unsupported
from advisor.evidence.simulated.simt.vector.layout import Copies, Defect, Site, Space

BOTH = pytest.mark.parametrize("how", [PLAIN, DETAILED], ids=["fast", "detailed"])
OLD = 7
# 16 bytes of shared memory for each lane at %r1, all of them OLD.
BEGIN = (
    "mov.u32 %r1, tile; mad.lo.s32 %r1, %r0, 16, %r1; mov.b32 %r2, 7; "
    "st.shared.v4.b32 [%r1], {%r2, %r2, %r2, %r2}; "
)
COPY = "cp.async.ca.shared.global [%r1], [%x2], 4; "
COMMIT, WAIT = "cp.async.commit_group; ", "cp.async.wait_group 0; "


def given(lanes: int = LANES) -> np.ndarray:
    """Four words for each lane, all different from OLD."""
    return np.arange(1000, 1000 + 4 * lanes, dtype=np.uint32).reshape(lanes, 4)


def read(number: int, offset: int = 0) -> str:
    return f"ld.shared.b32 %d{number}, [%r1+{offset}]; "


@BOTH
def test_old_data_is_read_before_the_wait_and_new_data_behind_it(how):
    lines = BEGIN + COPY + read(0) + COMMIT + read(1) + WAIT + read(2)
    found, execution, _ = execute(lines, given(), 3, how)
    assert (found[:, :2] == OLD).all()
    assert np.array_equal(found[:, 2], given()[:, 0])
    assert execution.defect_count == 0


@BOTH
@pytest.mark.parametrize(("left", "new"), [(0, [1, 1, 1]), (1, [1, 1, 0]), (2, [1, 0, 0]), (5, [0, 0, 0])])
def test_the_latest_groups_may_be_left(left, new, how):
    lines = BEGIN
    for number in range(3):
        lines += f"cp.async.ca.shared.global [%r1+{4 * number}], [%x2+{4 * number}], 4; {COMMIT}"
    lines += f"cp.async.wait_group {left}; " + "".join(read(number, 4 * number) for number in range(3))
    found, _, _ = execute(lines, given(), 3, how)
    assert np.array_equal(found, np.where(new, given()[:, :3], OLD))


@pytest.mark.parametrize(("wait", "is_new"), [(WAIT, False), ("cp.async.wait_all; ", True)])
def test_a_copy_of_no_group_yet(wait, is_new):
    found, _, _ = execute(BEGIN + COPY + wait + read(0), given(), 1)
    assert np.array_equal(found[:, 0], given()[:, 0] if is_new else np.full(LANES, OLD))


def test_lanes_wait_for_their_own_copies():
    lines = BEGIN + COPY + COMMIT + "setp.lt.s32 %c0, %r0, 11; @%c0 " + WAIT + read(0) + WAIT + read(1)
    found, _, _ = execute(lines, given(), 2)
    assert np.array_equal(found[:, 0], np.where(np.arange(LANES) < 11, given()[:, 0], OLD))
    assert np.array_equal(found[:, 1], given()[:, 0])


def test_data_are_those_of_the_begin():
    lines = BEGIN + COPY + COMMIT + "mov.b32 %r3, 5; st.global.b32 [%x2], %r3; " + WAIT + read(0)
    found, _, _ = execute(lines, given(), 1)
    assert np.array_equal(found[:, 0], given()[:, 0])


@BOTH
@pytest.mark.parametrize(("size", "cache"), [(4, "ca"), (8, "ca"), (16, "ca"), (16, "cg")])
def test_sizes(size, cache, how):
    copy = f"cp.async.{cache}.shared::cta.global.L2::128B [%r1], [%x2], {size}; "
    lines = BEGIN + copy + "cp.async.wait_all; " + "".join(read(n, 4 * n) for n in range(4))
    found, execution, kernel = execute(lines, given(), 4, how)
    assert np.array_equal(found, np.where(np.arange(4) < size // 4, given(), OLD))
    load, store = (one for one in kernel.warp.accesses.values() if one.instruction == copied_at(kernel))
    assert (load.space, store.space) == (Space.GLOBAL, Space.SHARED)
    assert (load.writes, store.writes) == (False, True)
    row = execution.sites[load.number]
    # Lanes lie 16 bytes apart: 512 bytes, of which each sector is touched.
    assert (row[Site.REQUESTS], row[Site.LANES], row[Site.SECTORS]) == (1, 32, 16)
    # Lanes 16 bytes apart take each fourth bank: four words in each of eight banks. Of 8 bytes each
    # half takes two passes, of 16 bytes each quarter one.
    assert execution.sites[store.number][Site.WAVEFRONTS] == 4


def copied_at(kernel) -> int:
    return next(number for number, item in enumerate(kernel.function.instructions) if item.opcode == "cp")


@BOTH
def test_fewer_bytes_are_filled_with_zeros(how):
    """Each lane gives its number of bytes, up to 16 and beyond it."""
    lines = (
        BEGIN + "cp.async.cg.shared.global [%r1], [%x2], 16, %r0; cp.async.wait_all; "
        + "".join(read(n, 4 * n) for n in range(4))
    )  # fmt: skip
    found, execution, kernel = execute(lines, given(), 4, how)
    expected = np.ascontiguousarray(given()).view(np.uint8).copy()
    for lane in range(LANES):
        expected[lane, min(lane, 16) :] = 0
    assert np.array_equal(found, expected.view(np.uint32))
    assert execution.defect_count == 0
    (load,) = (one for one in kernel.warp.accesses.values() if one.own_lanes)
    assert execution.sites[load.number][Site.LANES] == 31


@BOTH
def test_a_source_that_is_ignored_is_not_read(how):
    lines = BEGIN + (
        "setp.ge.s32 %c0, %r0, 8; @%c0 mov.b64 %x2, 64; "
        "cp.async.ca.shared.global [%r1], [%x2], 4, %c0; cp.async.wait_all; " + read(0)
    )
    found, execution, _ = execute(lines, given(), 1, how)
    assert np.array_equal(found[:, 0], np.where(np.arange(LANES) < 8, given()[:, 0], 0))
    assert execution.defect_count == 0


@BOTH
@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ("add.s64 %x2, %x0, 512; ", Defect.OUT_OF_BOUNDS),
        ("add.s64 %x2, %x2, 2; ", Defect.MISALIGNED),
        ("add.s32 %r1, %r1, 4096; ", Defect.OUT_OF_BOUNDS),
        ("add.s32 %r1, %r1, 2; ", Defect.MISALIGNED),
    ],
)
def test_a_bad_address_is_noted_when_the_copy_begins(change, kind, how):
    lines = BEGIN + f"setp.eq.s32 %c0, %r0, 5; @%c0 {change}" + COPY
    _, execution, _ = execute(lines, given(), 1, how)
    assert {(one.kind, one.thread) for one in execution.defects} == {(kind, 5)}


def kinds(lines: str, lanes: int = LANES) -> set[int]:
    _, execution, _ = execute(lines, given(lanes), 1, DETAILED, lanes)
    return {one.kind for one in execution.defects}


PLACE = "mov.u32 %r1, tile; mad.lo.s32 %r1, %r0, 16, %r1; "
OTHER = "xor.b32 %r1, %r1, 512; "


def test_what_is_not_waited_for_is_not_written():
    assert kinds(PLACE + COPY + COMMIT + read(0)) == {Defect.UNINITIALISED}
    assert kinds(PLACE + COPY + COMMIT + WAIT + read(0)) == set()


@pytest.mark.parametrize(
    ("behind", "found"),
    [
        (WAIT + "bar.sync 0; ", set()),
        # The barrier orders nothing that is still under way.
        ("bar.sync 0; " + WAIT, {Defect.RACE}),
        (WAIT, {Defect.RACE}),
    ],
)
def test_what_another_warp_copied_is_there_behind_its_wait_and_a_barrier(behind, found):
    lines = PLACE + COPY + COMMIT + behind + OTHER + read(0)
    assert kinds(lines, lanes=64) - {Defect.UNINITIALISED} == found


def test_a_full_queue_ends_the_oldest_copy():
    lines = BEGIN + COPY + "cp.async.ca.shared.global [%r1+4], [%x2+4], 4; " * int(Copies.CAPACITY)
    found, _, _ = execute(lines + read(0) + read(1, 4), given(), 2)
    assert np.array_equal(found[:, 0], given()[:, 0])
    assert (found[:, 1] == OLD).all()


def test_the_next_block_begins_without_copies():
    lines = BEGIN + "cp.async.wait_all; " + read(0) + COPY
    found, _, _ = execute(lines, given(), 1, blocks=2)
    assert (found == OLD).all()


HEAD = """.version 8.4
.target sm_90
.address_size 64
.visible .entry k()
{
.reg .b32 %r<9>;
.reg .b64 %x<9>;
"""


def instructions(lines: str):
    return read_ptx(f"{HEAD}{lines}\nret;\n}}\n").functions["k"].instructions


@pytest.mark.parametrize(
    ("lines", "rounds"),
    [
        (COPY + COMMIT, 0),
        (COPY + COMMIT + WAIT, 1),
        (COPY + COPY + "cp.async.wait_all; ", 1),
        (COPY + COMMIT + WAIT + COPY + COMMIT + WAIT, 2),
        (COPY + COMMIT + "cp.async.wait_group 1; ", 0),
        (WAIT, 0),
    ],
)
def test_waits_of_a_block_of_instructions(lines, rounds):
    assert load_rounds(instructions(lines)) == rounds


REFUSED = [
    "cp.async.cg.shared.global [%r1], [%x1], 8;",
    "cp.async.ca.shared.global [%r1], [%x1], 12;",
    "cp.async.ca.shared.global [%r1], [%x1], %r2;",
    "cp.async.mbarrier.arrive.shared.b64 [%r1];",
    "cp.async.ca.shared.global.L2::cache_hint [%r1], [%x1], 4, %x2;",
]


@pytest.mark.parametrize("line", REFUSED)
def test_other_forms_are_refused(line):
    with pytest.raises(Unsupported):
        compile_kernel(read_ptx(f"{HEAD}{line}\nret;\n}}\n"), "k")
