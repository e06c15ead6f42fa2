"""Barriers in shared memory that count arrivals and bytes: `mbarrier`."""

from __future__ import annotations

import numpy as np
import pytest
from block_program import DETAILED, PLAIN, Ran, run_block

from advisor.evidence.simulated.simt.machine import Settings, compile_kernel
from advisor.evidence.simulated.simt.ptx.ptx_reader import read_ptx
from advisor.evidence.simulated.simt.unsupported import Unsupported
from advisor.evidence.simulated.simt.vector.layout import Defect, Status

BOTH = pytest.mark.parametrize("how", [PLAIN, DETAILED], ids=["fast", "detailed"])
STORE = "mad.wide.u32 %x10, %r0, {size}, %x0;\n"


def begin(count: int) -> str:
    return f"@%p0 mbarrier.init.shared::cta.b64 [%r2], {count};\nbar.sync 0;\n"


def asked(number: int, parity: int) -> str:
    """Line that asks whether the phase of a parity has ended, and keeps the answer."""
    return f"mbarrier.test_wait.parity.shared.b64 %p1, [%r2], {parity};\nselp.b32 %d{number}, 1, 0, %p1;\n"


def both_parities(number: int) -> str:
    return asked(number, 0) + asked(number + 1, 1)


def kept(count: int) -> str:
    stores = "".join(f"st.global.b32 [%x10+{4 * n}], %d{n};\n" for n in range(count))
    return STORE.format(size=4 * count) + stores


def answers(lines: str, count: int, threads: int = 1, how: Settings = PLAIN) -> np.ndarray:
    ran = run_block(lines + kept(count), [np.zeros((threads, count), np.uint32)], threads, how)
    assert ran.execution.status == Status.DONE
    assert ran.execution.defect_count == 0
    return ran.buffers[0]


ARRIVE = "mbarrier.arrive.shared::cta.b64 _, [%r2];\n"
# Whether the phases of parity 0 and of parity 1 have ended: before the first phase ends that of parity 1 has.
OPEN, ENDED = [0, 1], [1, 0]


@BOTH
def test_a_phase_ends_with_its_last_arrival(how):
    lines = begin(2) + both_parities(0) + ARRIVE + both_parities(2) + ARRIVE + both_parities(4)
    assert answers(lines, 6, how=how).tolist() == [[*OPEN, *OPEN, *ENDED]]


def test_the_next_phase_waits_for_as_many_arrivals():
    lines = begin(2) + ARRIVE * 2 + both_parities(0) + ARRIVE + both_parities(2) + ARRIVE + both_parities(4)
    assert answers(lines, 6).tolist() == [[*ENDED, *ENDED, *OPEN]]


def test_each_lane_arrives_and_may_arrive_several_times():
    by_lanes = "setp.lt.u32 %p2, %r0, 5;\n@%p2 mbarrier.arrive.shared.b64 _, [%r2];\n"
    lines = begin(32 + 5 + 3) + ARRIVE + by_lanes + both_parities(0)
    lines += "@%p0 mbarrier.arrive.shared.b64 _, [%r2], 3;\n" + both_parities(2)
    assert answers(lines, 4, 32).tolist() == [[*OPEN, *ENDED]] * 32


def test_a_phase_waits_for_bytes_too():
    lines = begin(1) + "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], 48;\n" + both_parities(0)
    part = "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r2], 24;\n"
    lines += part + both_parities(2) + part + both_parities(4)
    assert answers(lines, 6).tolist() == [[*OPEN, *OPEN, *ENDED]]


def test_bytes_may_be_expected_before_an_arrival():
    expect = "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r2], 16;\n"
    done = "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r2], 16;\n"
    lines = begin(1) + expect + done + both_parities(0) + expect + ARRIVE + both_parities(2)
    assert answers(lines + done + both_parities(4), 6).tolist() == [[*OPEN, *OPEN, *ENDED]]


def test_who_drops_out_is_not_waited_for_again():
    drop = "mbarrier.arrive_drop.shared.b64 _, [%r2];\n"
    lines = begin(2) + drop + both_parities(0) + ARRIVE + both_parities(2) + ARRIVE + both_parities(4)
    # The second phase waits for one arrival only.
    assert answers(lines, 6).tolist() == [[*OPEN, *ENDED, *OPEN]]


@pytest.mark.parametrize("wait", ["test_wait", "try_wait"])
def test_the_state_of_an_arrival_tells_its_phase(wait):
    state = "mbarrier.arrive.shared.b64 %x20, [%r2];\n"
    ask = f"mbarrier.{wait}.shared.b64 %p1, [%r2], %x20;\nselp.b32 %d{{}}, 1, 0, %p1;\n"
    before = ask.format(0) if wait == "test_wait" else "mov.b32 %d0, 0;\n"
    lines = begin(2) + state + before + ARRIVE + ask.format(1)
    assert answers(lines, 2).tolist() == [[0, 1]]


def wait(parity: int | str, number: int = 0) -> str:
    return (
        f"loop{number}: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r2], {parity};\n"
        f"@!%p3 bra.uni loop{number};\n"
    )


PASSED = (
    "shl.b32 %r10, %r0, 2; add.s32 %r10, %r10, %r1; {warp} setp.ne.u32 %p5, %r11, {writer};\n"
    "xor.b32 %r12, %r10, 128;\n@%p5 bra reader;\n"
    "add.s32 %r13, %r0, 7; st.shared.b32 [%r10], %r13;\n" + ARRIVE + "bra done;\nreader:\n"
    "{wait}ld.shared.b32 %d0, [%r12];\n"
    "mad.wide.u32 %x10, %r0, 4, %x0;\nst.global.b32 [%x10], %d0;\ndone:\n"
)


# The number of the warp, which is known to be the same for its lanes or not; then lanes run in any order.
IN_ORDER, IN_ANY_ORDER = "mov.u32 %r11, %warpid;", "shr.u32 %r11, %r0, 5;"


@BOTH
@pytest.mark.parametrize("writer", [0, 1])
@pytest.mark.parametrize("warp", [IN_ORDER, IN_ANY_ORDER], ids=["in order", "in any order"])
def test_a_warp_that_waits_runs_when_another_has_arrived(warp, writer, how):
    """Warps run in turn, so that of number 0 comes to its wait before that of number 1 arrives."""
    lines = begin(32) + PASSED.format(warp=warp, writer=writer, wait=wait(0))
    ran = run_block(lines, [np.zeros(64, np.uint32)], 64, how)
    read = slice(32, 64) if writer == 0 else slice(0, 32)
    assert np.array_equal(ran.buffers[0][read], (np.arange(64)[read] ^ 32) + 7)
    assert (ran.execution.status, ran.execution.defect_count) == (Status.DONE, 0)
    assert ran.kernel.warp.ordered == (warp == IN_ORDER)


def test_what_no_phase_orders_is_a_race():
    ran = run_block(
        begin(64) + PASSED.format(warp=IN_ORDER, writer=0, wait=""), [np.zeros(64, np.uint32)], 64, DETAILED
    )
    assert ran.kinds == {Defect.RACE}


def test_a_wait_is_executed_once():
    """A warp that waits does not ask again and again: the counts do not hang on who runs first."""
    counted = []
    for writer in (0, 1):
        lines = begin(32) + PASSED.format(warp=IN_ORDER, writer=writer, wait=wait(0))
        counted.append(run_block(lines, [np.zeros(64, np.uint32)], 64).counted.warp_instructions)
    assert counted[0] == counted[1]


def test_warps_hand_each_other_several_phases():
    """Warp 1 counts up in four phases of one barrier; warp 0 adds up what it sees behind each of them."""
    ready, free = "[%r2]", "[%r2+8]"
    lines = (
        "@%p0 mbarrier.init.shared.b64 [%r2], 32;\n@%p0 mbarrier.init.shared.b64 [%r2+8], 32;\nbar.sync 0;\n"
        "mov.b32 %r20, 0; mov.b32 %d0, 0; setp.ge.u32 %p4, %r0, 32;\n@%p4 bra give;\n"
        "take: and.b32 %r21, %r20, 1;\n"
        f"wait0: mbarrier.try_wait.parity.shared.b64 %p3, {ready}, %r21;\n@!%p3 bra wait0;\n"
        "ld.shared.b32 %r22, [%r1]; mad.lo.s32 %d0, %d0, 10, %r22;\n"
        f"mbarrier.arrive.shared.b64 _, {free};\n"
        "add.s32 %r20, %r20, 1; setp.lt.u32 %p5, %r20, 4;\n@%p5 bra take;\n"
        "st.global.b32 [%x0], %d0;\nbra over;\n"
        "give: xor.b32 %r21, %r20, 1; and.b32 %r21, %r21, 1;\n"
        f"wait1: mbarrier.try_wait.parity.shared.b64 %p3, {free}, %r21;\n@!%p3 bra wait1;\n"
        "add.s32 %r23, %r20, 1; st.shared.b32 [%r1], %r23;\n"
        f"mbarrier.arrive.shared.b64 _, {ready};\n"
        "add.s32 %r20, %r20, 1; setp.lt.u32 %p5, %r20, 4;\n@%p5 bra give;\nover:\n"
    )
    for how in (PLAIN, DETAILED):
        ran = run_block(lines, [np.zeros(1, np.uint32)], 64, how)
        assert ran.execution.status == Status.DONE
        assert ran.buffers[0][0] == 1234
        assert Defect.RACE not in ran.kinds


def test_lanes_of_a_warp_may_wait_for_each_other():
    """The lanes from 16 on arrive; the others wait for them, in a block that comes first."""
    lines = begin(16) + (
        "setp.ge.u32 %p4, %r0, 16; mov.b32 %d0, 1;\n@%p4 bra arrive;\n" + wait(0)
        + "mov.b32 %d0, 2;\nbra done;\narrive:\n" + ARRIVE + "done:\n"
    )  # fmt: skip
    assert answers(lines, 1, 32)[:, 0].tolist() == [2] * 16 + [1] * 16


@BOTH
def test_the_chosen_lane_is_the_same_behind_a_barrier(how):
    """`elect.sync` chooses one lane of a warp, whose predicate other blocks of instructions read."""
    lines = "mov.b32 %d0, 5; elect.sync %r20|%p4, -1;\nbar.sync 0;\n@%p4 mov.b32 %d0, 6;\nbar.sync 0;\n"
    found = answers(lines, 1, 64, how)[:, 0].tolist()
    assert found == ([6] + [5] * 31) * 2


def test_lanes_may_wait_by_asking_again():
    lines = begin(32) + (
        "setp.ge.u32 %p4, %r0, 32; mov.b32 %d0, 1;\n@%p4 bra arrive;\n"
        "again: mbarrier.test_wait.parity.shared.b64 %p3, [%r2], 0;\n@!%p3 bra again;\n"
        "bra done;\narrive:\n" + ARRIVE + "done:\n"
    )  # fmt: skip
    assert answers(lines, 1, 64).shape == (64, 1)


@pytest.mark.parametrize("by", ["seconds", "budget"])
def test_a_wait_without_end_is_ended(by):
    limits = {"seconds": Settings(seconds=0.2), "budget": Settings(budget=10_000_000)}[by]
    ran = run_block(begin(2) + ARRIVE + wait(0), [], 1, limits)
    assert ran.execution.status == {"seconds": Status.STOPPED, "budget": Status.BUDGET}[by]


def test_the_next_block_waits_for_nothing():
    ran = run_block(begin(1) + ARRIVE + wait(0) + kept(1), [np.zeros((1, 1), np.uint32)], 1, blocks=3)
    assert ran.execution.status == Status.DONE


def kinds(line: str) -> Ran:
    return run_block(begin(1) + line, [], 1)


@pytest.mark.parametrize(
    ("change", "kind"),
    [("add.s32 %r2, %r2, 4;\n", Defect.MISALIGNED), ("add.s32 %r2, %r2, 99992;\n", Defect.OUT_OF_BOUNDS)],
)
@pytest.mark.parametrize("line", [ARRIVE, "mbarrier.inval.shared.b64 [%r2];\n", asked(0, 0)])
def test_a_barrier_at_a_bad_place_is_noted(line, change, kind):
    assert kinds(change + line).kinds == {kind}


def test_barriers_are_no_accesses_of_the_kernel():
    counted = kinds(ARRIVE + wait(0)).counted
    assert counted.accesses == []


HEAD = ".version 8.4\n.target sm_90a\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<9>;\n"
HEAD += ".reg .b64 %x<9>;\n.reg .pred %p<3>;\n"
REFUSED = [
    "mbarrier.init.b64 [%x1], 1;",
    "mbarrier.arrive.noComplete.shared.b64 %x1, [%r1], 2;",
    "mbarrier.pending_count.b64 %r1, %x1;",
    "mbarrier.init.shared.b64 %r1, 1;",
    "mbarrier.arrive.shared.b64 _, %r1;",
    "mbarrier.try_wait.parity.shared.b64 %p1, [%r1];",
    "mbarrier.test_wait.parity.shared.b64 %p1, [%r1];",
    "mbarrier.arrive.expect_tx.release.cluster.b64 _, [%x1], 16;",
    "cp.async.mbarrier.arrive.noinc.shared.b64 [%r1];",
]


@pytest.mark.parametrize("line", REFUSED)
def test_other_forms_of_barriers_are_refused(line):
    with pytest.raises(Unsupported):
        compile_kernel(read_ptx(f"{HEAD}{line}\nret;\n}}\n"), "k")
