"""Long blocks of a kernel become several LLVM blocks, of which optimised code shows nothing."""

from __future__ import annotations

import re

import numpy as np
import pytest

from advisor.evidence.simulated.simt.device_memory import DeviceMemory
from advisor.evidence.simulated.simt.launch import Launch, pack_parameters
from advisor.evidence.simulated.simt.machine import Settings, compile_kernel, run
from advisor.evidence.simulated.simt.ptx.ptx_program import Module
from advisor.evidence.simulated.simt.ptx.ptx_reader import read_ptx
from advisor.evidence.simulated.simt.vector.objects import object_code
from advisor.evidence.simulated.simt.vector.translation import function as translation

VALUES = 300


def long_blocks() -> Module:
    """A block that makes 1, 2 … VALUES of each lane's number, and another that adds them all up."""
    made = "".join(f"add.f64 %fd{one + 1}, %fd{one}, %fd1;\n" for one in range(1, VALUES))
    added = "".join(f"add.f64 %fd0, %fd0, %fd{one};\n" for one in range(1, VALUES + 1))
    return read_ptx(f"""
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p)
{{
    .reg .pred %p<2>; .reg .b32 %r<2>; .reg .b64 %rd<5>; .reg .f64 %fd<{VALUES + 1}>;
    ld.param.u64 %rd1, [p];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd3, %r1, 8;
    add.s64 %rd4, %rd2, %rd3;
    cvt.rn.f64.u32 %fd1, %r1;
    mov.f64 %fd0, 0d0000000000000000;
    setp.gt.u32 %p1, %r1, 15;
    {made}
    @%p1 bra $sum;
    mov.f64 %fd0, 0d3FF0000000000000;
$sum:
    {added}
    st.global.f64 [%rd4], %fd0;
    ret;
}}
""")


def text_of(module: Module) -> str:
    return translation.translate(module, module.functions["k"])[1]


def lengths(text: str) -> list[int]:
    """The number of instructions of each LLVM block."""
    blocks = re.split(r'^"?[\w.]+"?:$', text, flags=re.MULTILINE)[1:]
    return [sum(line.startswith("  ") for line in block.splitlines()) for block in blocks]


def test_no_block_of_llvm_is_long(monkeypatch):
    module = long_blocks()
    # No instruction of this kernel becomes more than a few of LLVM's.
    assert max(lengths(text_of(module))) < 150
    monkeypatch.setattr(translation, "_LONG_BLOCK", 1_000_000)
    assert max(lengths(text_of(module))) > VALUES


@pytest.mark.parametrize("limit", [1, 10])
def test_optimised_code_is_the_same_with_blocks_of_any_length(monkeypatch, limit):
    module = long_blocks()
    monkeypatch.setattr(translation, "_LONG_BLOCK", 1_000_000)
    whole = object_code(text_of(module), optimised=True)
    monkeypatch.setattr(translation, "_LONG_BLOCK", limit)
    assert object_code(text_of(module), optimised=True) == whole


@pytest.mark.parametrize("limit", [1, 100, 1_000_000])
def test_results_and_counts_know_nothing_of_the_limit(monkeypatch, limit):
    monkeypatch.setattr(translation, "_LONG_BLOCK", limit)
    kernel = compile_kernel(long_blocks(), "k")
    memory = DeviceMemory()
    address = memory.upload(np.zeros(32))
    space = pack_parameters(kernel.function, [address.to_bytes(8, "little")])
    execution = run(kernel, Launch((1, 1, 1), (32, 1, 1), space), memory, Settings())
    found = np.zeros(32)
    memory.download(address, found)
    lanes = np.arange(32.0)
    assert found.tolist() == (lanes * (VALUES * (VALUES + 1) // 2) + (lanes < 16)).tolist()
    assert (execution.block_runs.tolist(), execution.block_lanes.tolist()) == ([1, 1, 1], [32, 16, 32])
