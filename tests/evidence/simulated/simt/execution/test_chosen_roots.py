"""A register with a parameter's address on one way and another address on the other is bound to neither."""

from __future__ import annotations

import numpy as np
import pytest

from advisor.evidence.simulated.simt.device_memory import DeviceMemory
from advisor.evidence.simulated.simt.launch import Launch, pack_parameters
from advisor.evidence.simulated.simt.machine import compile_kernel, run
from advisor.evidence.simulated.simt.ptx.ptx_reader import read_ptx

PTX = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p0, .param .u64 p1, .param .u64 p2)
{{
.reg .pred %p<2>;
.reg .b32 %r<4>;
.reg .b64 %x<9>;
mov.u32 %r0, %tid.x;
ld.param.u64 %x0, [p0];
cvta.to.global.u64 %x0, %x0;
ld.param.u64 %x1, [p1];
cvta.to.global.u64 %x1, %x1;
ld.param.u64 %x2, [p2];
cvta.to.global.u64 %x2, %x2;
and.b32 %r1, %r0, 1;
setp.eq.s32 %p0, %r1, 0;
{choice}
L:
mul.wide.u32 %x4, %r0, 4;
add.s64 %x5, %x3, %x4;
ld.global.u32 %r2, [%x5];
add.s64 %x6, %x2, %x4;
st.global.u32 [%x6], %r2;
ret;
}}
"""
# Even threads take the parameter, odd ones the address that lies in memory.
FROM_MEMORY = "mov.u64 %x3, %x0;\n@%p0 bra L;\nld.global.u64 %x3, [%x1];"
MEMORY_FIRST = "ld.global.u64 %x3, [%x1];\n@!%p0 bra L;\nmov.u64 %x3, %x0;"
PARAMETER_ONLY = "mov.u64 %x3, %x0;\n@%p0 bra L;\nadd.s64 %x3, %x3, 4;"


def launched(choice: str) -> tuple[list[int], int, list[str | None]]:
    """What 32 threads load, how many defects there were, and what the accesses are bound to."""
    kernel = compile_kernel(read_ptx(PTX.format(choice=choice)), "k")
    memory = DeviceMemory()
    one, other = (memory.upload(np.arange(first, first + 33, dtype=np.uint32)) for first in (0, 100))
    pointer, out = memory.upload(np.array([other], np.int64)), memory.allocate(128)
    values = [address.to_bytes(8, "little") for address in (one, pointer, out)]
    execution = run(kernel, Launch((1, 1, 1), (32, 1, 1), pack_parameters(kernel.function, values)), memory)
    found = memory.view(out, 128).view(np.uint32).tolist()
    return found, execution.defect_count, [access.root for access in kernel.warp.accesses.values()]


@pytest.mark.parametrize("choice", [FROM_MEMORY, MEMORY_FIRST])
def test_an_address_from_memory_or_a_parameter(choice):
    found, defects, roots = launched(choice)
    assert found == [thread + 100 * (thread % 2) for thread in range(32)]
    assert defects == 0
    assert roots == ["p1", None, "p2"]


def test_two_addresses_of_one_parameter_are_bound_to_it():
    found, defects, roots = launched(PARAMETER_ONLY)
    assert found == [thread + thread % 2 for thread in range(32)]
    assert (defects, roots) == (0, ["p0", "p2"])


STRIDES = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u64 p3)
{{
.reg .b32 %r<4>;
.reg .b64 %x<12>;
mov.u32 %r0, %tid.x;
cvt.u64.u32 %x7, %r0;
ld.param.u64 %x0, [p0];
ld.param.u64 %x1, [p1];
ld.param.u64 %x2, [p2];
ld.param.u64 %x3, [p3];
{offset}
ld.u32 %r2, [%x5];
mad.lo.s64 %x6, %x7, 4, %x2;
st.u32 [%x6], %r2;
ret;
}}
"""
# A stride is a parameter as well, and multiplied; an offset in bytes may itself be the address.
MULTIPLIED = "mul.lo.s64 %x4, %x7, %x1;\nadd.s64 %x5, %x4, %x0;"
ADDED = "add.s64 %x4, %x3, %x0;\nmad.lo.s64 %x5, %x7, %x1, %x4;"
OF_MEMORY = "ld.u64 %x8, [%x0];\nadd.s64 %x4, %x8, %x3;\nmad.lo.s64 %x5, %x7, %x1, %x4;"


@pytest.mark.parametrize(
    ("offset", "roots"),
    [
        (MULTIPLIED, ["p0", "p2"]),
        (ADDED, [None, "p2"]),
        (OF_MEMORY, ["p0", None, "p2"]),
    ],
)
def test_the_address_among_the_terms_of_a_sum(offset, roots):
    kernel = compile_kernel(read_ptx(STRIDES.format(offset=offset)), "k")
    assert [access.root for access in kernel.warp.accesses.values()] == roots
