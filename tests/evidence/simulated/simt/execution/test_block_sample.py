"""Blocks that stand for a grid: spread evenly, as many as the budget allows."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numba import cuda, float32
from numba_launch import compiled

from advisor.evidence.simulated.simt.block_sample import block_sample, spread_blocks
from advisor.evidence.simulated.simt.device_memory import DeviceMemory
from advisor.evidence.simulated.simt.launch import Launch, pack_parameters


@given(st.integers(1, 5000), st.integers(1, 6000))
def test_blocks_are_spread_over_the_grid(blocks, count):
    found = spread_blocks(blocks, count)
    assert found == sorted(set(found))
    assert len(found) == min(blocks, count)
    assert found[0] >= 0 and found[-1] < blocks
    steps = np.diff(found)
    assert len(steps) == 0 or steps.max() - steps.min() <= 1


def test_as_many_blocks_as_the_lane_instructions_allow():
    def scale(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] *= 2

    kernel = compiled(scale, float32[::1]).kernel
    memory = DeviceMemory()
    x = np.ones(1000 * 64, np.float32)
    address = memory.upload(x)
    values = [int(one).to_bytes(8, "little") for one in (0, 0, x.size, 4, address, x.size, 4)]
    launch = Launch((1000, 1, 1), (64, 1, 1), pack_parameters(kernel.function, values))
    # All blocks are alike: 64 lanes run each instruction once.
    each = 64 * sum(block.last - block.first for block in kernel.warp.blocks)
    assert len(block_sample(kernel, launch, memory, 50 * each)) == 50
    assert len(block_sample(kernel, launch, memory, 10_000 * each)) == 1000
    assert len(block_sample(kernel, launch, memory, 1)) == 4
