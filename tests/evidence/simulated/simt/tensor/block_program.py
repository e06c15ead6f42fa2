"""A block of threads that runs some lines of PTX for compute capability 9.0 on buffers of global memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from advisor.evidence.simulated.simt.device_memory import DeviceMemory
from advisor.evidence.simulated.simt.launch import Launch, pack_parameters
from advisor.evidence.simulated.simt.machine import Execution, Kernel, Settings, compile_kernel, run
from advisor.evidence.simulated.simt.ptx.ptx_reader import read_ptx
from advisor.evidence.simulated.simt.statistics import Statistics, statistics

PLAIN = Settings(seconds=20)
DETAILED = Settings(seconds=20, detailed_lanes=1 << 60)
MAP = 128
TEXT = """
.version 8.4
.target sm_90a
.address_size 64
.visible .entry k({parameters})
{{
.reg .b32 %r<99>;
.reg .b32 %a<9>;
.reg .b32 %d<200>;
.reg .b64 %x<99>;
.reg .b16 %h<9>;
.reg .pred %p<9>;
.shared .align 1024 .b8 tile[{shared}];
.shared .align 8 .b64 bars[4];
mov.u32 %r0, %tid.x;
mov.u32 %r1, tile;
mov.u32 %r2, bars;
setp.eq.s32 %p0, %r0, 0;
{loads}
{lines}
ret;
}}
"""


@dataclass
class Ran:
    """What a block of threads left in the buffers, and what was counted."""

    buffers: list[np.ndarray]
    execution: Execution
    kernel: Kernel
    launch: Launch

    @property
    def counted(self) -> Statistics:
        return statistics(self.kernel, self.launch, self.execution, {})

    @property
    def kinds(self) -> set[int]:
        return {one.kind for one in self.execution.defects}


@cache
def kernel_of(lines: str, count: int, shared: int, maps: int = 0) -> Kernel:
    """The kernel with `count` buffers in `%x0` …, tensor maps `m0` … and thread number, tile and barriers."""
    parameters = [f".param .u64 p{n}" for n in range(count)]
    parameters += [f".param .align 64 .b8 m{n}[{MAP}]" for n in range(maps)]
    loads = [f"ld.param.u64 %x{n}, [p{n}];" for n in range(count)]
    text = TEXT.format(
        parameters=", ".join(parameters), loads="\n".join(loads), lines=lines, shared=shared
    )  # fmt: skip
    return compile_kernel(read_ptx(text), "k")


def run_block(
    lines: str,
    buffers: Sequence[np.ndarray],
    threads: int = 32,
    how: Settings = PLAIN,
    shared: int = 65536,
    blocks: int = 1,
    maps: Any = (),
) -> Ran:
    """What the lines leave in the buffers; `maps` makes tensor maps from the buffers' addresses."""
    memory = DeviceMemory()
    addresses = [memory.upload(one) for one in buffers]
    encoded = [one(addresses) for one in maps]
    kernel = kernel_of(lines, len(buffers), shared, len(encoded))
    values = [*(one.to_bytes(8, "little") for one in addresses), *encoded]
    launch = Launch((blocks, 1, 1), (threads, 1, 1), pack_parameters(kernel.function, values))
    execution = run(kernel, launch, memory, how)
    found = [np.zeros_like(one) for one in buffers]
    for address, one in zip(addresses, found, strict=True):
        memory.download(address, one)
    return Ran(found, execution, kernel, launch)


def group(stem: str, count: int) -> str:
    """So many registers as one operand."""
    return "{" + ", ".join(f"%{stem}{number}" for number in range(count)) + "}"


def copied(size: int, threads: int, into: str = "%r1", source: str = "%x0") -> str:
    """Lines that copy bytes of a buffer to shared memory, 16 by 16, and let the block meet."""
    lines = ["mul.wide.u32 %x90, %r0, 16;", f"add.s64 %x90, %x90, {source};", "shl.b32 %r90, %r0, 4;",
             f"add.s32 %r90, %r90, {into};"]  # fmt: skip
    for offset in range(0, size, 16 * threads):
        registers = "{%r91, %r92, %r93, %r94}"
        lines += [f"ld.global.v4.b32 {registers}, [%x90+{offset}];",
                  f"st.shared.v4.b32 [%r90+{offset}], {registers};"]  # fmt: skip
    return "\n".join([*lines, "bar.sync 0;"]) + "\n"
