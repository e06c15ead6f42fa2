"""Variables of a module: one copy for all its kernels, with initial values, another for each memory."""

from __future__ import annotations

import pytest

from advisor.evidence.simulated.simt.device_memory import DeviceMemory
from advisor.evidence.simulated.simt.launch import Launch
from advisor.evidence.simulated.simt.machine import compile_kernel, run
from advisor.evidence.simulated.simt.ptx.ptx_reader import read_ptx
from advisor.evidence.simulated.simt.vector.kernels import module_variable

PTX = """
.version 8.0
.target sm_80
.address_size 64
.global .align 4 .u32 counter = 40;
.visible .entry one()
{
    .reg .b32 %r<3>;
    ld.global.u32 %r1, [counter];
    add.u32 %r1, %r1, 1;
    st.global.u32 [counter], %r1;
    ret;
}
.visible .entry two()
{
    .reg .b32 %r<3>;
    ld.global.u32 %r1, [counter];
    mul.lo.u32 %r1, %r1, 2;
    st.global.u32 [counter], %r1;
    ret;
}
"""


def value(module, memory):
    address = module_variable(module, "counter", memory)
    return int.from_bytes(bytes(memory.view(address, 4)), "little")


def test_kernels_of_a_module_share_their_variables():
    module = read_ptx(PTX)
    memory, other = DeviceMemory(), DeviceMemory()
    assert value(module, memory) == 40
    for name in ("one", "two", "one"):
        run(compile_kernel(module, name), Launch((1, 1, 1), (1, 1, 1), b""), memory)
    assert value(module, memory) == (40 + 1) * 2 + 1
    assert value(module, other) == 40


def test_a_variable_that_is_not_declared():
    with pytest.raises(KeyError):
        module_variable(read_ptx(PTX), "other", DeviceMemory())
