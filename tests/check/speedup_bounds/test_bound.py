"""What bounds a kernel, calculated by hand for a device with round numbers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from advisor.check.speedup_bounds.bound import boundness
from advisor.model.devices import Device, find_device
from advisor.model.records import Record, Source
from advisor.model.text.source_text import Span

# 40 blocks of 4 warps, all resident at once on ten multiprocessors.
KNOWN = {
    "grid_blocks": 40.0,
    "resident_blocks": 4.0,
    "theoretical_occupancy": 0.5,
    "block_threads": 128.0,
}


@pytest.fixture
def device() -> Device:
    """Ten multiprocessors at 1 GHz, 64 single precision multiply-adds for each in a cycle, 92% of 1 TB/s."""
    return replace(
        find_device("A100"),
        sm_count=10,
        boost_clock=1e9,
        dram_bandwidth=1e12,
        dram_share=0.92,
        fp32_peak=2 * 64 * 10 * 1e9,
        fp64_peak=2 * 32 * 10 * 1e9,
    )


def kernel(source: Source = "simulated", **known: float) -> Record:
    record = Record("kernel", "k", "a.py", Span(1), "k")
    record.know("simulated", **KNOWN)
    record.know(source, **known)
    return record


def test_the_longest_part_names_the_class(device):
    # 0.92e9 bytes at 92% of the peak take 1 ms.
    bound = boundness(kernel(issue_slots=10e6, dram_bytes=0.92e9, grid_blocks=20.0), device)
    assert bound.found is not None and bound.found.id == "memory"
    assert [(part.resource, part.time_ms) for part in bound.parts[:2]] == [
        ("dram", pytest.approx(1.0)),
        # 10e6 instructions over 80 warps, four cycles each: 500,000 cycles of one warp.
        ("latency", pytest.approx(0.5)),
    ]
    assert bound.parts[1].share == pytest.approx(0.5)


def test_instructions_that_take_longest_are_computation(device):
    # 160 warps share 400e6 instructions: 10 ms of issue, and 2.5e6 * 4 cycles of one warp, 10 ms as well.
    bound = boundness(
        kernel(issue_slots=800e6, dram_bytes=1e9, grid_blocks=400.0, resident_blocks=40.0), device
    )
    assert bound.found is not None and bound.found.id == "compute"
    assert bound.parts[0].resource == "issue"
    assert bound.parts[0].time_ms == pytest.approx(20.0)


def test_nothing_is_known_without_a_launch(device):
    bound = boundness(Record("kernel", "k", "a.py", Span(1), "k"), device)
    assert bound.found is None
    assert bound.parts == ()
    assert "advisor run" in bound.reason
    assert bound.headroom_for("uncoalesced-access") is None


@pytest.mark.parametrize(
    ("memory", "compute", "expected"),
    [(0.9, 0.3, "memory"), (0.3, 0.9, "compute"), (0.3, 0.2, "latency"), (0.5, 0.49, "memory")],
)
def test_measured_use_decides_before_the_model(device, memory, compute, expected):
    record = kernel("measured", memory_throughput=memory, sm_throughput=compute)
    record.know("simulated", issue_slots=800e6)
    bound = boundness(record, device)
    assert bound.found is not None and bound.found.id == expected
    assert (bound.memory_use, bound.compute_use) == (memory, compute)


def test_a_remedy_cannot_gain_more_than_what_it_leaves(device):
    bound = boundness(kernel(issue_slots=20e6, dram_bytes=0.92e9), device)
    # DRAM takes 1 ms, issue 20e6 / 40e9 s = 0.5 ms, as latency does; they overlap in part.
    whole = (1 + 2 * 0.5**1.5) ** (2 / 3)
    # Coalescing relieves memory and latency; issue stays.
    assert bound.headroom_for("uncoalesced-access") == pytest.approx(whole / 0.5)
    # Fewer instructions leave DRAM, which is the limit.
    assert bound.headroom_for("range-loop") == pytest.approx(whole)
    assert bound.headroom_for("access-out-of-bounds") is None


def test_the_time_that_was_measured_counts(device):
    record = kernel("simulated", predicted_ms=3.0)
    assert (boundness(record, device).time_ms, boundness(record, device).source) == (3.0, "simulated")
    record.know("measured", time_mean_ms=2.0)
    assert (boundness(record, device).time_ms, boundness(record, device).source) == (2.0, "measured")
