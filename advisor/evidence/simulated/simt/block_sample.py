"""Blocks that stand for a whole grid."""

from __future__ import annotations

from advisor.evidence.simulated.simt.device_memory import DeviceMemory
from advisor.evidence.simulated.simt.launch import Launch
from advisor.evidence.simulated.simt.machine import Kernel, Settings, run

# Blocks that are run to learn how much work one is.
_PROBES = 4
# So many times as many lane instructions as a sample is asked for may be spent on a whole wave.
_OF_A_WAVE = 400


def spread_blocks(blocks: int, count: int) -> list[int]:
    """The numbers of `count` blocks, the middle ones of as many equal parts of the grid, or of all."""
    if count >= blocks:
        return list(range(blocks))
    return sorted({int((part + 0.5) * blocks / count) for part in range(count)})


def block_sample(
    kernel: Kernel, launch: Launch, memory: DeviceMemory, lanes: int, wave: int | None = None
) -> list[int]:
    """The numbers of blocks that together run about so many lane instructions, spread over the grid.

    A few blocks are run to learn that, so the memory changes. At least as many as these are in the sample.
    Where the blocks of the first `wave`, resident at one time, are not too many, these are the sample.
    """
    probes = spread_blocks(launch.blocks, _PROBES)
    seen = run(kernel, launch, memory, Settings(blocks=probes))
    sizes = [block.last - block.first for block in kernel.warp.blocks]
    each = sum(int(lane) * size for lane, size in zip(seen.block_lanes, sizes, strict=True)) / len(probes)
    if wave is not None and wave * each <= _OF_A_WAVE * lanes:
        return list(range(min(launch.blocks, max(wave, int(lanes / max(each, 1.0))))))
    return spread_blocks(launch.blocks, max(_PROBES, int(lanes / max(each, 1.0))))
