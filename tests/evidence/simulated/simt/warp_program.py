"""One warp that loads registers of its lanes, runs some lines of PTX and stores registers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from advisor.evidence.simulated.simt.device_memory import DeviceMemory
from advisor.evidence.simulated.simt.launch import Launch, pack_parameters
from advisor.evidence.simulated.simt.machine import Execution, Kernel, Settings, compile_kernel, run
from advisor.evidence.simulated.simt.ptx.ptx_reader import read_ptx

LANES = 32
PLAIN = Settings()
DETAILED = Settings(detailed_lanes=1 << 60)
TEXT = """
.version 8.4
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p, .param .u64 q)
{{
.reg .b{width} %a<{sources}>;
.reg .b{width} %d<{targets}>;
.reg .b32 %r<9>;
.reg .b16 %h<9>;
.reg .pred %c<9>;
.reg .b64 %x<9>;
.shared .align 16 .b8 tile[4096];
mov.u32 %r0, %tid.x;
ld.param.u64 %x0, [p];
ld.param.u64 %x1, [q];
cvta.to.global.u64 %x0, %x0;
cvta.to.global.u64 %x1, %x1;
mul.wide.u32 %x2, %r0, {step};
add.s64 %x2, %x0, %x2;
add.s64 %x3, %x1, %x2;
sub.s64 %x3, %x3, %x0;
{lines}
ret;
}}
"""


@cache
def kernel(lines: str, sources: int, targets: int, width: int = 32) -> Kernel:
    """The kernel whose lanes load `%a0` …, run the lines and store `%d0` …; lane n has `%x2` and `%x3`."""
    size = width // 8
    step = size * max(sources, targets)
    loads = [f"ld.global.b{width} %a{n}, [%x2+{size * n}];" for n in range(sources)]
    stores = [f"st.global.b{width} [%x3+{size * n}], %d{n};" for n in range(targets)]
    text = TEXT.format(
        width=width, sources=sources + 1, targets=targets + 1, step=step,
        lines="\n".join([*loads, lines, *stores]),
    )  # fmt: skip
    return compile_kernel(read_ptx(text), "k")


def execute(
    lines: str,
    registers: np.ndarray,
    targets: int,
    how: Settings = PLAIN,
    lanes: int = LANES,
    blocks: int = 1,
) -> tuple[np.ndarray, Execution, Kernel]:
    """What the lanes hold afterwards: a row for each lane and a column for each register."""
    width = registers.dtype.itemsize * 8
    sources = registers.shape[1]
    ready = kernel(lines, sources, targets, width)
    columns = max(sources, targets)
    given = np.zeros((lanes, columns), registers.dtype)
    given[:, :sources] = registers
    memory = DeviceMemory()
    addresses = [memory.upload(one) for one in (given, np.zeros_like(given))]
    values = [one.to_bytes(8, "little") for one in addresses]
    launch = Launch((blocks, 1, 1), (lanes, 1, 1), pack_parameters(ready.function, values))
    execution = run(ready, launch, memory, how)
    found = np.zeros_like(given)
    memory.download(addresses[1], found)
    return found[:, :targets], execution, ready


def names(stem: str, numbers: Sequence[int]) -> str:
    """A group of registers."""
    return "{" + ", ".join(f"%{stem}{n}" for n in numbers) + "}"
