"""Local memory that is used though nothing has written it, and memory that something has.

Kernels stand here as PTX, as a compiler writes them for C++: Numba fills a kernel's local arrays with zeros.
"""

from __future__ import annotations

import numpy as np
import pytest
from numba import cuda, int32
from numba_launch import compiled

from advisor.evidence.simulated.simt.device_memory import DeviceMemory
from advisor.evidence.simulated.simt.launch import Launch, pack_parameters
from advisor.evidence.simulated.simt.machine import Settings, compile_kernel, run
from advisor.evidence.simulated.simt.ptx.ptx_reader import read_ptx
from advisor.evidence.simulated.simt.vector.layout import Defect

CLOSELY = Settings(detailed_lanes=1_000_000)
# Of thread t: %r1 is t, %r2 is t % 8, %rd3 the address of its element of `out`, %rd6 that of own[t % 8].
TEXT = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{{
    .local .align 8 .b8 own[32];
    .local .align 8 .b8 other[32];
    .reg .pred %p<9>;
    .reg .b16 %rs<9>;
    .reg .b32 %r<9>;
    .reg .b64 %rd<19>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    and.b32 %r2, %r1, 7;
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd3, %rd1, %rd2;
    mov.u64 %rd4, own;
    mul.wide.u32 %rd5, %r2, 4;
    add.u64 %rd6, %rd4, %rd5;
    setp.eq.u32 %p1, %r2, 0;
    {lines}
$end:
    ret;
}}
"""
FIRST, READ, STORE = "st.local.u32 [own], %r1;", "ld.local.u32 %r3, [%rd6];", "st.global.u32 [%rd3], %r3;"
WRONG = {
    "stored": [FIRST, READ, STORE],
    "calculated with": [FIRST, READ, "mad.lo.u32 %r3, %r3, 5, %r1;", STORE],
    "decides a branch": [FIRST, READ, "setp.gt.u32 %p2, %r3, 4;", "@%p2 bra $end;"],
    "decides whether something is stored": [
        FIRST, READ, "setp.gt.u32 %p2, %r3, 4;", "@%p2 st.global.u32 [%rd3], 1;",
    ],
    "decides whether something is overwritten": [
        FIRST, READ, "setp.gt.u32 %p2, %r3, 4;", "@%p2 mov.u32 %r3, 1;", STORE,
    ],
    "is an index": [
        FIRST, READ, "and.b32 %r3, %r3, 7;", "mul.wide.u32 %rd7, %r3, 4;", "add.u64 %rd7, %rd7, %rd1;",
        "ld.global.u32 %r4, [%rd7];", "st.global.u32 [%rd3], %r4;",
    ],
    "copied and read there": [
        FIRST, READ, "st.local.u32 [other+8], %r3;", "ld.local.u32 %r3, [other+8];", STORE,
    ],
    "by a generic address": [
        FIRST, "cvta.local.u64 %rd7, %rd6;", "ld.u32 %r3, [%rd7];", "cvta.to.global.u64 %rd8, %rd3;",
        "st.global.u32 [%rd8], %r3;",
    ],
    "in an atomic operation": [FIRST, READ, "red.global.add.u32 [%rd3], %r3;"],
    "counted in a loop": [
        FIRST, "mov.u32 %r5, 0;", "$again:", READ, "add.u32 %r3, %r3, 1;", "st.local.u32 [%rd6], %r3;",
        "add.u32 %r5, %r5, 1;", "setp.lt.u32 %p2, %r5, 3;", "@%p2 bra $again;", READ, STORE,
    ],
}  # fmt: skip
RIGHT = {
    "written": ["st.local.u32 [%rd6], %r1;", READ, STORE],
    "written by a generic address": ["cvta.local.u64 %rd7, %rd6;", "st.u32 [%rd7], %r1;", READ, STORE],
    "written as a vector": [
        "and.b32 %r4, %r2, 6;", "mul.wide.u32 %rd7, %r4, 4;", "add.u64 %rd7, %rd7, %rd4;",
        "st.local.v2.u32 [%rd7], {%r1, %r2};", READ, STORE,
    ],
    # The rest of the element may be padding.
    "written in part": ["cvt.u16.u32 %rs1, %r1;", "st.local.u8 [%rd6+1], %rs1;", READ, STORE],
    "not selected": [FIRST, READ, "selp.b32 %r3, %r3, 7, %p1;", STORE],
    "not stored": [FIRST, READ, "@%p1 st.global.u32 [%rd3], %r3;"],
    "behind a branch": [FIRST, READ, "@!%p1 bra $end;", STORE],
    "in a condition that is false without it": [
        FIRST, READ, "setp.gt.u32 %p2, %r3, 4;", "and.pred %p3, %p1, %p2;", "@%p3 bra $end;",
        "st.global.u32 [%rd3], 1;",
    ],
    "in a condition that is true without it": [
        FIRST, READ, "setp.gt.u32 %p2, %r3, 4;", "not.pred %p4, %p1;", "or.pred %p3, %p4, %p2;",
        "@%p3 bra $end;", "st.global.u32 [%rd3], 1;",
    ],
    "overwritten by a constant": [FIRST, READ, "@!%p1 mov.u32 %r3, 5;", STORE],
    "copied and not read there": [
        FIRST, READ, "st.local.u32 [other+8], %r3;", "@%p1 ld.local.u32 %r3, [other+8];", "@%p1 " + STORE,
    ],
}  # fmt: skip


def defects(lines, settings=CLOSELY, grid=1, threads=40):
    module = read_ptx(TEXT.format(lines="\n    ".join(lines)))
    kernel, memory = compile_kernel(module, "k"), DeviceMemory()
    address = memory.upload(np.zeros(threads, np.uint32))
    parameters = pack_parameters(kernel.function, [address.to_bytes(8, "little")])
    execution = run(kernel, Launch((grid, 1, 1), (threads, 1, 1), parameters), memory, settings)
    line_of = {item.text_line: item.opcode for item in kernel.function.instructions}
    return {(one.kind, line_of[one.address], one.block, one.thread) for one in execution.defects}


@pytest.mark.parametrize("name", WRONG)
def test_what_depends_on_unwritten_local_memory(name):
    """Thread t reads own[t % 8], and nothing but own[0] was written."""
    expected = {(Defect.UNINITIALISED_LOCAL, "ld", 0, t) for t in range(40) if t % 8}
    assert defects(WRONG[name]) == expected


@pytest.mark.parametrize("name", RIGHT)
def test_what_was_written_or_decides_nothing(name):
    assert defects(RIGHT[name]) == set()


def test_each_block_begins_with_unwritten_memory():
    """What the block before has written is not there: blocks run in any order, on any multiprocessor."""
    lines = [
        "mov.u32 %r5, %ctaid.x;",
        "setp.eq.u32 %p2, %r5, 0;",
        "@%p2 st.local.u32 [%rd6], %r1;",
        READ,
        STORE,
    ]
    expected = {(Defect.UNINITIALISED_LOCAL, "ld", 1, t) for t in range(32)}
    assert defects(lines, grid=2, threads=32) == expected


def test_other_blocks_are_not_looked_at():
    assert defects(WRONG["stored"], Settings()) == set()


def test_a_shuffled_value_stays_one_of_a_shuffle():
    """Lane 39 of 40 asks for one that is not there, and keeps what it gets in local memory."""
    moved = "shfl.sync.down.b32 %r3, %r1, 1, 31, 0xffffffff;"
    kept = [moved, "st.local.u32 [%rd6], %r3;", READ, STORE]
    assert defects(kept) == {(Defect.ABSENT_LANE, "shfl", 0, 39)}


def test_numba_fills_local_arrays_with_zeros():
    def counts(x):
        t = cuda.threadIdx.x
        bins = cuda.local.array(4, int32)
        for k in range(x.size):
            bins[x[k] % 4] += 1
        cuda.syncwarp()
        x[t] = bins[t % 4]

    values = np.arange(32, dtype=np.int32)
    execution = compiled(counts, int32[::1]).launch(1, 32, values, settings=CLOSELY)
    assert (execution.defects, set(values)) == ([], {8})
