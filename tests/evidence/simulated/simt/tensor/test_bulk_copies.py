"""Copies in bulk between global and shared memory: `cp.async.bulk`."""

from __future__ import annotations

import numpy as np
import pytest
from block_program import DETAILED, PLAIN, copied, run_block

from advisor.evidence.simulated.simt.load_rounds import load_rounds
from advisor.evidence.simulated.simt.machine import Settings, compile_kernel
from advisor.evidence.simulated.simt.ptx.ptx_reader import read_ptx
from advisor.evidence.simulated.simt.unsupported import Unsupported
from advisor.evidence.simulated.simt.vector.layout import Box, Defect, Status

BOTH = pytest.mark.parametrize("how", [PLAIN, DETAILED], ids=["fast", "detailed"])
BEGIN = "@%p0 mbarrier.init.shared.b64 [%r2], 1;\nbar.sync 0;\n"
LOAD = "@%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%x0], {size}, [%r2];\n"
EXPECT = "@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%r2], {size};\n"
WAIT = "wait: mbarrier.try_wait.parity.shared.b64 %p3, [%r2], 0;\n@!%p3 bra wait;\n"
STORE = "@%p0 cp.async.bulk.global.shared::cta.bulk_group [%x1], [%r1], {size};\n"
GROUP = "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;\ncp.async.bulk.wait_group 0;\n"


def given(size: int) -> np.ndarray:
    return np.arange(size, dtype=np.uint32).astype(np.uint8)


def to_shared(size: int) -> str:
    return BEGIN + EXPECT.format(size=size) + LOAD.format(size=size) + WAIT


def out(size: int) -> str:
    """Lines that store bytes of shared memory, four by each of 32 threads, in the second buffer."""
    lines = "mad.wide.u32 %x10, %r0, 4, %x1;\nshl.b32 %r10, %r0, 2;\nadd.s32 %r10, %r10, %r1;\n"
    for offset in range(0, size, 128):
        lines += f"ld.shared.b32 %r11, [%r10+{offset}];\nst.global.b32 [%x10+{offset}], %r11;\n"
    return lines


@BOTH
@pytest.mark.parametrize("size", [128, 1024, 16384])
def test_bytes_are_there_once_the_phase_has_ended(size, how):
    ran = run_block(to_shared(size) + out(size), [given(size), np.zeros(size, np.uint8)], how=how)
    assert np.array_equal(ran.buffers[1], given(size))
    assert (ran.execution.status, ran.execution.defect_count) == (Status.DONE, 0)


@BOTH
@pytest.mark.parametrize("size", [16, 1024, 4112])
def test_bytes_go_to_global_memory(size, how):
    whole = -(-size // 512) * 512
    lines = copied(whole, 32) + STORE.format(size=size) + GROUP
    ran = run_block(lines, [given(whole), np.zeros(whole, np.uint8)], how=how)
    expected = given(whole)
    expected[size:] = 0
    assert np.array_equal(ran.buffers[1], expected)
    assert ran.execution.defect_count == 0


OLD = (
    "mov.b32 %r12, 7; shl.b32 %r13, %r0, 2; add.s32 %r13, %r13, %r1; st.shared.b32 [%r13], %r12;\n"
    "bar.sync 0;\n"
)


@BOTH
def test_before_the_wait_the_old_data_are_there(how):
    lines = OLD + to_shared(128).replace(WAIT, "") + out(128)
    ran = run_block(lines, [given(128), np.zeros(128, np.uint8)], how=how)
    assert (ran.buffers[1].view(np.uint32) == 7).all()


def test_what_is_not_waited_for_is_unwritten():
    lines = to_shared(128).replace(WAIT, "") + out(128)
    assert run_block(lines, [given(128), given(128)], how=DETAILED).kinds == {Defect.UNINITIALISED}


def test_asking_whether_a_phase_has_ended_lets_the_copy_end():
    ask = "mbarrier.test_wait.parity.shared.b64 %p3, [%r2], 0;\nselp.b32 %d0, 1, 0, %p3;\n"
    lines = to_shared(128).replace(WAIT, ask) + "st.global.b32 [%x1], %d0;\n"
    assert run_block(lines, [given(128), np.zeros(4, np.uint8)]).buffers[1][0] == 1


@pytest.mark.parametrize("expected", [64, 256])
def test_other_bytes_than_expected_end_no_phase(expected):
    lines = BEGIN + EXPECT.format(size=expected) + LOAD.format(size=128) + WAIT
    ran = run_block(lines, [given(128)], how=Settings(seconds=0.2))
    assert ran.execution.status == Status.STOPPED


def test_copies_of_several_barriers_end_apart():
    other = LOAD.replace("[%r1]", "[%r1+128]").replace("[%r2]", "[%r2+8]").replace("[%x0]", "[%x0+128]")
    lines = "@%p0 mbarrier.init.shared.b64 [%r2+8], 1;\n" + OLD.replace("[%r13]", "[%r13+128]")
    lines += (
        BEGIN + EXPECT.format(size=128) + other.format(size=128) + LOAD.format(size=128) + WAIT + out(256)
    )
    ran = run_block(lines, [given(256), np.zeros(256, np.uint8)])
    assert np.array_equal(ran.buffers[1][:128], given(128))
    assert (ran.buffers[1][128:].view(np.uint32) == 7).all()


def test_a_full_list_copies_the_oldest():
    count = int(Box.CAPACITY) + 1
    lines = BEGIN + "".join(
        LOAD.replace("[%r1]", f"[%r1+{16 * n}]").format(size=16).replace("[%x0]", f"[%x0+{16 * n}]")
        for n in range(count)
    )
    lines += EXPECT.format(size=16 * count) + WAIT + out(16 * count)
    size = 16 * count - 16 * count % 128 + 128
    ran = run_block(lines, [given(size), np.zeros(size, np.uint8)])
    assert np.array_equal(ran.buffers[1][: 16 * count], given(size)[: 16 * count])


def test_the_next_block_begins_without_boxes():
    lines = BEGIN + LOAD.format(size=128)
    ran = run_block(lines, [given(128)], blocks=int(Box.CAPACITY) + 5)
    assert ran.execution.status == Status.DONE


@BOTH
def test_what_bulk_copies_count(how):
    """4,096 bytes are 128 sectors and 32 lines, eight requests of 32 lanes of 16 bytes, 32 wavefronts."""
    lines = to_shared(4096) + STORE.format(size=4096) + GROUP
    ran = run_block(lines, [given(4096), np.zeros(4096, np.uint8)], how=how)
    assert np.array_equal(ran.buffers[1], given(4096))
    found = {(one.space, one.kind): one for one in ran.counted.accesses}
    assert set(found) == {("global", "load"), ("shared", "store"), ("shared", "load"), ("global", "store")}
    for one in found.values():
        assert (one.requests, one.lanes, one.bytes) == (8, 256, 4096)
    for kind in ("load", "store"):
        of_global, of_shared = found["global", kind], found["shared", kind]
        assert (of_global.sectors, of_global.ideal, of_global.lines) == (128, 128, 32)
        assert (of_shared.wavefronts, of_shared.ideal_wavefronts) == (32, 32)
    assert (ran.counted.loaded_sectors, ran.counted.stored_sectors) == (128, 128)


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ("add.s32 %r1, %r1, 8;\n", Defect.MISALIGNED),
        ("add.s32 %r1, %r1, 1048576;\n", Defect.OUT_OF_BOUNDS),
        ("add.s64 %x0, %x0, 16;\n", Defect.OUT_OF_BOUNDS),
        ("add.s32 %r2, %r2, 1048576;\n", Defect.OUT_OF_BOUNDS),
    ],
)
def test_a_bad_place_of_a_bulk_copy_is_noted(change, kind):
    lines = BEGIN + EXPECT.format(size=128) + change + LOAD.format(size=128)
    assert run_block(lines, [given(128)], how=Settings(seconds=20, most_defects=9)).kinds == {kind}


def test_a_bulk_store_beyond_its_buffer_is_noted():
    lines = copied(512, 32) + STORE.format(size=512)
    ran = run_block(lines, [given(512), np.zeros(256, np.uint8)])
    assert ran.kinds == {Defect.OUT_OF_BOUNDS}


def test_blocks_that_store_the_same_bytes_race():
    lines = "mov.u32 %r14, %ctaid.x; st.shared.b32 [%r1], %r14;\nbar.sync 0;\n" + STORE.format(size=16)
    ran = run_block(lines, [given(16), np.zeros(16, np.uint8)], how=DETAILED, blocks=3)
    assert Defect.RACE_OF_BLOCKS in ran.kinds


HEAD = ".version 8.4\n.target sm_90a\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<9>;\n"
HEAD += ".reg .b64 %x<9>;\n.reg .b16 %h<3>;\n"


def test_waits_for_bulk_stores_are_no_waits_for_loads():
    lines = f"{HEAD}{STORE.format(size=16).replace('@%p0 ', '')}{GROUP}ret;\n}}\n"
    assert load_rounds(read_ptx(lines).functions["k"].instructions) == 0


TENSOR = "cp.async.bulk.tensor.2d.shared::cluster.global"
DONE = "mbarrier::complete_tx::bytes"
REFUSED = [
    f"{TENSOR}.{DONE}.multicast::cluster [%r1], [%x1, {{%r2, %r3}}], [%r4], %h1;",
    f"{TENSOR}.tile::gather4.{DONE} [%r1], [%x1, {{%r2, %r3, %r4, %r5, %r6}}], [%r7];",
    f"cp.async.bulk.tensor.3d.shared::cluster.global.im2col.{DONE} "
    "[%r1], [%x1, {%r2, %r3, %r4}], [%r5], {%h1};",
    f"{TENSOR}.{DONE} [%r1], [%x1, {{%r2}}], [%r4];",
    f"cp.async.bulk.shared::cluster.shared::cta.{DONE} [%r1], [%r2], 16, [%r3];",
    f"cp.async.bulk.tensor.6d.shared::cluster.global.{DONE} [%r1], [%x1, {{%r2}}], [%r3];",
    "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%x1], [%r1], 16;",
    "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group [%x1, {%r1, %r2}], [%r3];",
]


@pytest.mark.parametrize("line", REFUSED)
def test_other_bulk_copies_are_refused(line):
    with pytest.raises(Unsupported):
        compile_kernel(read_ptx(f"{HEAD}{line}\nret;\n}}\n"), "k")
