"""What becomes of the value of an absent lane, instruction by instruction: what depends on it is noted."""

from __future__ import annotations

import numpy as np
import pytest

from advisor.evidence.simulated.simt.device_memory import DeviceMemory
from advisor.evidence.simulated.simt.launch import Launch, pack_parameters
from advisor.evidence.simulated.simt.machine import compile_kernel, run
from advisor.evidence.simulated.simt.ptx.ptx_reader import read_ptx
from advisor.evidence.simulated.simt.vector.layout import Defect

# Of thread t: %r1 is t, %rd3 the address of its element of `out`, %r3 what lane t + 1 has as %r1; %p1 says
# that this is not the last thread of the block.
TEXT = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{{
    .local .align 8 .b8 own[32];
    .reg .pred %p<9>;
    .reg .b32 %r<9>;
    .reg .b64 %rd<19>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd3, %rd1, %rd2;
    setp.ne.u32 %p1, %r1, 39;
    shfl.sync.down.b32 %r3|%p5, %r1, 1, 31, 0xffffffff;
    {lines}
$end:
    ret;
}}
"""
STORE = "st.global.u32 [%rd3], %r3;"
DEPENDS = {
    "stored": [STORE],
    "stored beside another": ["st.global.v2.u32 [%rd1], {%r1, %r3};"],
    "calculated with": ["mad.lo.u32 %r3, %r3, 5, %r1;", STORE],
    "in an atomic operation": ["red.global.add.u32 [%rd3], %r3;"],
    "decides a branch": ["setp.gt.u32 %p2, %r3, 4;", "@%p2 bra $end;"],
    "decides whether something is stored": ["setp.gt.u32 %p2, %r3, 99;", "@%p2 st.global.u32 [%rd3], 1;"],
    "decides whether something is overwritten": ["setp.gt.u32 %p2, %r3, 4;", "@%p2 mov.u32 %r3, 1;", STORE],
    "decides what is selected": ["setp.gt.u32 %p2, %r3, 4;", "selp.b32 %r3, 1, 2, %p2;", STORE],
    "is an index": [
        "and.b32 %r3, %r3, 7;", "mul.wide.u32 %rd7, %r3, 4;", "add.u64 %rd7, %rd7, %rd1;",
        "ld.global.u32 %r4, [%rd7];",
    ],
    "is voted on": ["setp.gt.u32 %p2, %r3, 4;", "vote.sync.ballot.b32 %r4, %p2, 0xffffffff;"],
    "in a condition that is open": [
        "setp.gt.u32 %p2, %r3, 4;", "setp.gt.u32 %p3, %r1, 4;", "and.pred %p4, %p2, %p3;", "@%p4 bra $end;",
    ],
    "carried over a loop": [
        "mov.u32 %r5, 0;", "mov.u32 %r6, 0;", "$again:", "add.u32 %r6, %r6, %r3;", "add.u32 %r5, %r5, 1;",
        "setp.lt.u32 %p2, %r5, 3;", "@%p2 bra $again;", "st.global.u32 [%rd3], %r6;",
    ],
}  # fmt: skip
LEFT_OUT = {
    "not used": ["st.global.u32 [%rd3], %r1;"],
    "not selected": ["selp.b32 %r3, %r3, 7, %p1;", STORE],
    "not stored": ["@%p1 st.global.u32 [%rd3], %r3;"],
    "behind a branch": ["@!%p1 bra $end;", STORE],
    "overwritten": ["@!%p1 mov.u32 %r3, 5;", STORE],
    "in a condition that is false without it": [
        "setp.gt.u32 %p2, %r3, 4;", "and.pred %p3, %p1, %p2;", "@%p3 bra $end;",
    ],
    "in a condition that is true without it": [
        "setp.gt.u32 %p2, %r3, 4;", "not.pred %p4, %p1;", "or.pred %p3, %p2, %p4;", "@%p3 bra $end;",
    ],
    "kept in local memory": ["st.local.u32 [own], %r3;"],
    # The second result says whether the lane asked for lies in the row, which is known.
    "asked whether it lies in the row": ["@%p5 bra $end;"],
}  # fmt: skip


def noted(lines):
    """Kind, line of the shuffle or not, and thread of what was noted in a block of 40 threads."""
    module = read_ptx(TEXT.format(lines="\n    ".join(lines)))
    kernel, memory = compile_kernel(module, "k"), DeviceMemory()
    address = memory.upload(np.zeros(64, np.uint32))
    parameters = pack_parameters(kernel.function, [address.to_bytes(8, "little")])
    execution = run(kernel, Launch((1, 1, 1), (40, 1, 1), parameters), memory)
    opcodes = {item.text_line: item.opcode for item in kernel.function.instructions}
    return {(one.kind, opcodes.get(one.address), one.thread) for one in execution.defects}


@pytest.mark.parametrize("name", DEPENDS)
def test_what_depends_on_the_value_is_noted_at_the_shuffle(name):
    """Thread 39 is the last of the block, so lane 8 of the second warp is not there."""
    assert noted(DEPENDS[name]) == {(Defect.ABSENT_LANE, "shfl", 39)}


@pytest.mark.parametrize("name", LEFT_OUT)
def test_what_is_left_out_is_left_alone(name):
    assert noted(LEFT_OUT[name]) == set()
