"""Registers to save for another block, by the A100's numbers: 65,536 registers on an SM, in units of 256."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.evidence.metrics.derived.register_step import derive, registers_to_step
from advisor.model.devices import find_device
from advisor.model.occupancy import occupancy
from advisor.model.records import Record
from advisor.model.text.source_text import Span


@pytest.mark.parametrize(
    ("registers", "block", "saved"),
    [
        (33, 256, 1),  # 40 for each thread in units of 8: 6 blocks; with 32 there are 8
        (40, 256, 8),
        (32, 256, None),  # 8 blocks of 256 are all the threads that an SM holds
        (24, 1024, None),
        (33, 1024, 1),
    ],
)
def test_registers_to_save(registers, block, saved):
    assert registers_to_step(find_device("a100-80gb"), registers, 0, block) == saved


@given(registers=st.integers(1, 255), warps=st.integers(1, 32))
def test_the_step_is_the_first_place_where_a_block_more_fits(registers, warps):
    device = find_device("a100-80gb")

    def blocks(count):
        return occupancy(device, registers=count, shared_bytes=0, block_threads=32 * warps).resident_blocks

    saved = registers_to_step(device, registers, 0, 32 * warps)
    if saved is None:
        assert blocks(1) == blocks(registers)
    else:
        assert blocks(registers - saved) > blocks(registers) == blocks(registers - saved + 1)


def test_shared_memory_that_limits_first_leaves_no_step():
    assert registers_to_step(find_device("a100-80gb"), 33, 100_000, 256) is None


def test_only_compiled_kernels_get_the_metric():
    kernels = [Record("kernel", name, "a.py", Span(1, 1, 1, 2), name) for name in ("compiled", "source")]
    kernels[0].know(
        "compiled", ("Types are assumed.",), registers=33.0, block_threads=256.0, shared_bytes=0.0
    )
    derive(kernels, find_device("a100-80gb"))
    reading = kernels[0].readings["registers_to_step"]
    assert (reading.value, reading.source, reading.assumptions) == (1.0, "compiled", ("Types are assumed.",))
    assert "registers_to_step" not in kernels[1].readings
