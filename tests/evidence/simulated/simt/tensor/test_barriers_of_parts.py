"""Barriers at which a part of a block meets: `bar.sync` with a number or with a number of threads."""

from __future__ import annotations

import numpy as np
import pytest
from block_program import DETAILED, PLAIN, run_block

from advisor.evidence.simulated.simt.machine import Settings, compile_kernel
from advisor.evidence.simulated.simt.ptx.ptx_reader import read_ptx
from advisor.evidence.simulated.simt.unsupported import Unsupported
from advisor.evidence.simulated.simt.vector.layout import Defect, Status

BOTH = pytest.mark.parametrize("how", [PLAIN, DETAILED], ids=["fast", "detailed"])
# The number of the warp, known to be the same for its lanes or not; then lanes run in any order.
WARPS = pytest.mark.parametrize(
    "warp", ["mov.u32 %r11, %warpid;", "shr.u32 %r11, %r0, 5;"], ids=["in order", "in any order"]
)
# Each thread stores its number, and behind the barrier reads that of the thread 32 further or before.
EXCHANGE = (
    "shl.b32 %r10, %r0, 2; add.s32 %r10, %r10, %r1; xor.b32 %r12, %r10, 128;\n"
    "st.shared.b32 [%r10], %r0;\n{barrier}ld.shared.b32 %d0, [%r12];\n"
    "mad.wide.u32 %x10, %r0, 4, %x0;\nst.global.b32 [%x10], %d0;\n"
)


@BOTH
@WARPS
def test_pairs_of_warps_meet_at_barriers_of_their_own(warp, how):
    """Warps 0 and 1 meet at barrier 1, warps 2 and 3 at barrier 2, three times; nobody waits for all."""
    meet = (
        f"{warp} setp.lt.u32 %p4, %r11, 2;\n@%p4 bra low;\n" + "bar.sync 2, 64;\n" * 3 + "bra met;\nlow:\n"
        + "barrier.sync 1, 64;\n" * 3 + "met:\n"
    )  # fmt: skip
    ran = run_block(EXCHANGE.format(barrier=meet), [np.zeros(128, np.uint32)], 128, how)
    assert (ran.execution.status, ran.execution.defect_count) == (Status.DONE, 0)
    assert np.array_equal(ran.buffers[0], np.arange(128) ^ 32)
    assert ran.execution.barriers == 6


@BOTH
def test_another_barrier_without_a_number_of_threads_is_for_all(how):
    ran = run_block(EXCHANGE.format(barrier="barrier.sync 3;\n"), [np.zeros(64, np.uint32)], 64, how)
    assert np.array_equal(ran.buffers[0], np.arange(64) ^ 32)
    assert ran.execution.defect_count == 0


def test_warps_meet_at_one_barrier_from_different_places():
    """Each warp comes to barrier 1 by an instruction of its own, as specialised warps do."""
    meet = "mov.u32 %r11, %warpid; setp.eq.u32 %p4, %r11, 0;\n@%p4 bra first;\nbarrier.sync 1;\nbra met;\n"
    meet += "first:\nbarrier.sync 1;\nmet:\n"
    ran = run_block(EXCHANGE.format(barrier=meet), [np.zeros(64, np.uint32)], 64, DETAILED)
    assert np.array_equal(ran.buffers[0], np.arange(64) ^ 32)
    assert ran.execution.defect_count == 0


@pytest.mark.parametrize("reader", [0, 1])
def test_who_only_arrives_does_not_wait(reader):
    """One warp stores and arrives; the other waits for it, then stores a word that the first never awaits."""
    meet = (
        f"mov.u32 %r11, %warpid; setp.eq.u32 %p4, %r11, {reader};\n@%p4 bra wait;\nbar.arrive 1, 64;\n"
        "ret;\nwait:\nbar.sync 1, 64;\n"
    )
    ran = run_block(EXCHANGE.format(barrier=meet), [np.full(64, 99, np.uint32)], 64)
    expected = np.full(64, 99)
    own = np.arange(32 * reader, 32 * reader + 32)
    expected[own] = own ^ 32
    assert ran.execution.status == Status.DONE
    assert np.array_equal(ran.buffers[0], expected)


def test_the_next_phase_may_be_of_other_threads():
    """Barrier 1 first for two warps, then for all four."""
    meet = (
        "mov.u32 %r11, %warpid; setp.ge.u32 %p4, %r11, 2;\n@%p4 bra all;\nbar.sync 1, 64;\nall:\n"
        "bar.sync 2, 128;\nbar.sync 1, 128;\n"
    )
    ran = run_block(EXCHANGE.format(barrier=meet), [np.zeros(128, np.uint32)], 128)
    assert np.array_equal(ran.buffers[0], np.arange(128) ^ 32)
    assert ran.execution.barriers == 3


def test_what_warps_of_two_barriers_exchange_is_a_race():
    meet = "mov.u32 %r11, %warpid; setp.eq.u32 %p4, %r11, 0;\n@%p4 bra one;\nbra met;\none:\nmet:\n"
    ran = run_block(EXCHANGE.format(barrier=meet), [np.zeros(64, np.uint32)], 64, DETAILED)
    assert Defect.RACE in ran.kinds


def test_too_few_threads_at_a_barrier_are_ended():
    ran = run_block("bar.sync 1, 64;\n", [], 32, Settings(seconds=0.2))
    assert ran.execution.status == Status.STOPPED


def test_the_next_block_meets_afresh():
    """A warp of the first block arrives and ends; in the second block both warps arrive again."""
    ran = run_block("bar.arrive 1, 64;\n", [], 32, blocks=2)
    assert (ran.execution.status, ran.execution.barriers) == (Status.DONE, 0)


HEAD = ".version 8.4\n.target sm_90a\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<9>;\n"
HEAD += ".reg .pred %p<9>;\n"


@pytest.mark.parametrize(
    "line",
    [
        "bar.sync %r1, 64;",
        "bar.red.popc.u32 %r1, 1, 64, %p1;",
        "bar.arrive 1;",
        "bar.sync 16, 64;",
        "bar.sync 1, k;",
    ],
)
def test_other_barriers_of_parts_are_refused(line):
    with pytest.raises(Unsupported):
        compile_kernel(read_ptx(f"{HEAD}{line}\nret;\n}}\n"), "k")
