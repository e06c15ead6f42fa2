"""What changed counts gain, calculated by hand for a device with round numbers."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.evidence.metrics.times.changes import Change, changed
from advisor.evidence.metrics.times.counterfactual import time_with
from advisor.evidence.metrics.times.launch_counts import LaunchCounts, counts_of
from advisor.evidence.metrics.times.possible_times import possible_time, seconds_of
from advisor.model.devices import Device, find_device
from advisor.model.records import Record
from advisor.model.text.source_text import Span

# Ten multiprocessors at 1 GHz; DRAM attains 1 TB/s, a multiprocessor 64 multiply-adds of float32
# in a cycle and a sixty-fourth of that in float64.
DEVICE = replace(
    find_device("A100"),
    sm_count=10, boost_clock=1e9, dram_bandwidth=1e12, dram_share=1.0,
    fp32_peak=2 * 64 * 10 * 1e9, fp64_peak=2 * 1 * 10 * 1e9,
    arithmetic_latency=4, fp64_latency=8, l1_latency=33, l2_latency=200, dram_latency=300,
)  # fmt: skip
# A million warps in blocks of eight, all of them busy; nothing but what a test adds takes time.
IDLE = LaunchCounts(
    grid_blocks=125_000.0, block_threads=256.0, registers=32.0, shared_bytes=0.0, resident_blocks=8.0,
    theoretical_occupancy=1.0, issue_slots=0.0, l1_sectors=0.0, chained_arithmetic_steps=0.0,
)  # fmt: skip
MILLION = 1e6
# Each warp loads once, 32 sectors in 32 lines; all of them come from DRAM: 1.024 ms.
STRIDED = replace(
    IDLE, load_requests=MILLION, load_sectors=32 * MILLION, l1_sectors=32 * MILLION, l2_sectors=32 * MILLION,
    dram_bytes=32 * 32 * MILLION,
)  # fmt: skip


def gain(counts: LaunchCounts, device: Device = DEVICE, **factors: float) -> tuple[float, float]:
    found = time_with((counts,), (Change(**factors),), device)
    assert found is not None
    return found.least, found.most


def test_dram_moves_an_eighth_of_the_sectors():
    # L2 hands out 2 sectors a cycle to each of ten multiprocessors: 1.6 ms. Both stages fall to an eighth.
    assert seconds_of(STRIDED, DEVICE) == pytest.approx((1.024**1.5 + 1.6**1.5) ** (2 / 3) * 1e-3)
    assert gain(STRIDED, load_sectors=4 / 32) == pytest.approx((8.0, 8.0))
    found = time_with((STRIDED,), (Change(load_sectors=4 / 32),), DEVICE)
    assert found.ratio == pytest.approx(8.0)
    assert found.interval.low < 8.0 < found.interval.high
    assert (found.limiter, found.left) == ("l2", "l2")


def test_sectors_of_what_computes_gain_next_to_nothing():
    # 4e9 instructions at 4 in a cycle of ten multiprocessors take 100 ms.
    least, most = gain(replace(STRIDED, issue_slots=4e9), load_sectors=4 / 32)
    assert 1.0 <= least <= most < 1.01


def test_sectors_that_l1_finds_anyway_gain_between_nothing_and_all():
    # A warp comes back to its 32 sectors eight times: L1 misses 32 of 256, and 32 are needed in any case.
    column = replace(STRIDED, load_requests=8 * MILLION, load_sectors=256 * MILLION, l1_sectors=256 * MILLION)
    least, most = gain(column, load_sectors=4 / 32)
    assert least == pytest.approx(1.0)
    assert most == pytest.approx(8.0)
    # Without L1 all 256 came from L2, and 32 are left however it is seen.
    missed = replace(column, l2_sectors=256 * MILLION, dram_bytes=32 * 256 * MILLION)
    assert gain(missed, load_sectors=4 / 32) == pytest.approx((8.0, 8.0))


def test_stores_go_to_l2_all():
    # 4 sectors loaded and 32 stored by each warp, in lines that cost 4.4 cycles each where a part is written.
    counts = replace(
        STRIDED, load_sectors=4 * MILLION, l1_sectors=36 * MILLION, l2_sectors=36 * MILLION,
        dram_bytes=32 * 36 * MILLION, store_lines=32 * MILLION, partial_store_lines=28 * MILLION,
        load_lines=MILLION,
    )  # fmt: skip
    least, most = changed(counts, Change(store_sectors=4 / 32), DEVICE)
    for one in (least, most):
        assert one.l1_sectors == one.l2_sectors == 8 * MILLION
        assert one.dram_bytes == 32 * 8 * MILLION
        assert (one.load_sectors, one.store_sectors) == (4 * MILLION, 4 * MILLION)
    # Lines that are written whole, at best; as few sectors of each as before, at worst.
    assert (least.store_lines, least.partial_store_lines) == (MILLION, 0.0)
    assert (most.store_lines, most.partial_store_lines) == (4 * MILLION, 3.5 * MILLION)


def test_a_little_of_the_sectors_brings_a_little_of_the_lines():
    counts = replace(STRIDED, load_sectors=0.0, l1_sectors=32 * MILLION, store_lines=32 * MILLION)
    least, most = changed(counts, Change(store_sectors=31 / 32), DEVICE)
    # A sector fewer for each warp, and so no more than a line and a quarter.
    assert (least.store_lines, most.store_lines) == (30.75 * MILLION, 31 * MILLION)
    more, _ = changed(counts, Change(store_sectors=2.0), DEVICE)
    assert (more.store_lines, more.l2_sectors) == (64 * MILLION, 64 * MILLION)


def test_bank_conflicts():
    # 32 wavefronts of each warp in ten multiprocessors: 3.2 ms, then 0.1.
    assert gain(replace(IDLE, shared_wavefronts=32 * MILLION), shared_wavefronts=1 / 32) == pytest.approx(
        (32.0, 32.0)
    )
    # 2,000 warp instructions of float32 at 2 in a cycle of ten multiprocessors: 100 ms beside 0.1.
    busy = replace(IDLE, shared_wavefronts=MILLION, fp32_slots=2000 * MILLION)
    assert gain(busy, shared_wavefronts=0.5) == pytest.approx((1.0, 1.0), abs=1e-3)


def test_float64_becomes_float32():
    # One lane for float64 takes 32 cycles for an instruction of a warp, the 64 of float32 half a cycle.
    counts = replace(IDLE, issue_slots=MILLION, fp64_slots=MILLION, fp32_slots=0.0)
    assert gain(counts, fp64_as_fp32=1.0) == pytest.approx((64.0, 64.0))
    # Half of them stay.
    assert gain(counts, fp64_as_fp32=0.5) == pytest.approx((2.0, 2.0), rel=0.03)


def test_half_of_the_bytes_of_elements_half_of_the_traffic():
    cached = replace(STRIDED, l2_sectors=8 * MILLION, dram_bytes=32 * 2 * MILLION)
    # However little passes the caches, it is in proportion to the size of the elements.
    assert gain(cached, element_bytes=0.5) == pytest.approx((2.0, 2.0))


def test_undivided_warps_issue_at_most_as_many_fewer_as_lanes_were_idle():
    counts = replace(IDLE, issue_slots=4e9, warp_execution_efficiency=0.25)
    assert gain(counts, undivided=True) == pytest.approx((1.0, 4.0))
    assert time_with((IDLE,), (Change(undivided=True),), DEVICE) is None


def test_fewer_instructions():
    counts = replace(IDLE, issue_slots=4e9, chained_issue_steps=10.0)
    least, most = gain(counts, instructions=0.5)
    # The chains may stay as long as they were: 10 cycles for each of 1563 waves, beside 100 ms.
    assert least == pytest.approx(2.0, rel=1e-3) and most == pytest.approx(2.0, rel=1e-3)
    assert least < most


def test_updates_that_no_longer_meet():
    counts = replace(IDLE, hottest_element_updates=1e8, hottest_slice_sectors=1e6)
    # A cycle an update: 100 ms, then 3.125.
    assert gain(counts, updates=1 / 32) == pytest.approx((32.0, 32.0))


def test_more_resident_warps_wait_together():
    # 1,000 cycles for a warp: with 128 registers 16 warps of a multiprocessor's 64, with 32 all of them.
    counts = replace(IDLE, registers=128.0, resident_blocks=2.0, chained_issue_steps=1000.0)
    # 125,000 blocks over 20 or 80 at a time: 6,250 waves against 1,563.
    assert gain(counts, registers=32) == pytest.approx((6250 / 1563,) * 2)
    # What does not wait gains nothing.
    assert gain(replace(counts, issue_slots=4e12), registers=32) == pytest.approx((1.0, 1.0), abs=1e-2)


def test_blocks_that_cannot_be_resident_have_no_time():
    assert time_with((IDLE,), (Change(registers=300),), DEVICE) is None
    assert time_with((replace(IDLE, registers=None),), (Change(block_threads=64),), DEVICE) is None


def test_other_blocks_have_as_many_threads():
    least, _ = changed(replace(IDLE, chained_issue_steps=9.0), Change(block_threads=128), DEVICE)
    assert (least.grid_blocks, least.resident_blocks, least.warps) == (250_000, 16.0, IDLE.warps)


def test_remedies_in_sequence():
    counts = replace(STRIDED, issue_slots=4e7)  # 1 ms
    first = time_with((counts,), (Change(load_sectors=1 / 8),), DEVICE)
    both = time_with((counts,), (Change(load_sectors=1 / 8), Change(instructions=1 / 8)), DEVICE)
    assert first.left == "issue"
    assert first.most < both.least
    assert both.most == pytest.approx(8.0)


def test_counts_within_bounds_have_gains_within_bounds():
    # Of 32 sectors 4 or 32 come from DRAM, in a kernel that computes 1 ms.
    few, many = (
        replace(STRIDED, issue_slots=4e7, l2_sectors=one * MILLION, dram_bytes=32 * one * MILLION)
        for one in (4, 32)
    )
    found = time_with((few, many), (Change(load_sectors=1 / 8),), DEVICE)
    assert found.least == pytest.approx(1.0)
    time = possible_time((few, many), DEVICE)
    assert time.limiters == ("issue", "l2")
    assert time.interval.low < time.least < time.most < time.interval.high


def test_nothing_changed_gains_nothing():
    found = time_with((STRIDED,), (), DEVICE)
    assert (found.least, found.most) == (1.0, 1.0)
    assert found.interval.holds_one
    assert gain(STRIDED) == (1.0, 1.0)


@pytest.mark.parametrize(
    "unknown", ["l2_sectors", "dram_bytes", "issue_slots", "grid_blocks", "load_sectors"]
)
def test_what_is_not_known_gives_no_gain(unknown):
    counts = replace(STRIDED, **{unknown: None})
    assert time_with((counts,), (Change(load_sectors=0.5),), DEVICE) is None
    assert time_with((), (Change(load_sectors=0.5),), DEVICE) is None


def test_factors_are_not_negative():
    with pytest.raises(ValueError, match="not negative"):
        Change(loads=-1.0)
    with pytest.raises(ValueError, match="between 0 and 1"):
        Change(fp64_as_fp32=2.0)


def test_counts_of_a_record():
    kernel = Record("kernel", "k", "a.py", Span(1), "k")
    kernel.know(
        "simulated", l1_sectors=36.0, load_sectors=32, grid_blocks=2.0, block_threads=48.0, time_limiter="l2"
    )
    kernel.know("compiled", shared_bytes=100.0)
    counts = counts_of(kernel)
    assert (counts.store_sectors, counts.warps, counts.shared_bytes, counts.dram_bytes) == (
        4.0,
        4.0,
        100.0,
        None,
    )
    kernel.know("simulated", launch_shared_bytes=300.0)
    assert counts_of(kernel).shared_bytes == 300.0


shares = st.floats(0.0, 1.0)


@given(hit=shares, again=shares, stored=shares, factor=st.floats(0.05, 1.0), slots=st.floats(0.0, 1e9))
def test_less_work_never_takes_longer(hit, again, stored, factor, slots):
    total = 32 * MILLION
    loads = total * (1.0 - stored)
    behind = loads * (1.0 - hit) + total * stored
    counts = replace(
        STRIDED, load_sectors=loads, l2_sectors=behind, dram_bytes=32 * behind * again, issue_slots=slots,
        load_lines=loads, load_wavefronts=loads, store_lines=total * stored, stores_per_warp=1.0,
        loads_per_warp=1.0, memory_requests=2 * MILLION, load_rounds_per_warp=1.0,
        loads_past_l1=1.0, loads_past_l2=0.5,
    )  # fmt: skip
    for name in (
        "loads",
        "load_sectors",
        "stores",
        "store_sectors",
        "instructions",
        "element_bytes",
        "load_rounds",
    ):
        least, most = gain(counts, **{name: factor})
        assert 1.0 - 1e-9 <= least <= most * (1 + 1e-9)
        assert most <= 1.0 / factor + 1e-6 or name in ("load_sectors", "store_sectors", "loads", "stores")


def test_bytes_in_use_come_from_dram_in_any_order_of_the_threads():
    # The other warps of a block use the rest of the 32 sectors, so that all of DRAM's bytes are needed.
    shared = replace(STRIDED, needed_load_sectors=32 * MILLION, needed_dram_bytes=32 * 32 * MILLION)
    shared = replace(shared, load_lines=32 * MILLION, load_wavefronts=MILLION)
    for one in changed(shared, Change(load_sectors=4 / 32), DEVICE):
        assert (one.load_sectors, one.l1_sectors) == (4 * MILLION, 4 * MILLION)
        assert (one.l2_sectors, one.dram_bytes) == (32 * MILLION, 32 * 32 * MILLION)
        assert one.load_lines < 32 * MILLION
    # Half of what DRAM moves is in use: it comes to that, and not to an eighth.
    half = replace(shared, needed_load_sectors=16 * MILLION, needed_dram_bytes=16 * 32 * MILLION)
    for one in changed(half, Change(load_sectors=4 / 32), DEVICE):
        assert (one.l2_sectors, one.dram_bytes) == (16 * MILLION, 16 * 32 * MILLION)


def test_what_nobody_loads_any_more_is_not_needed():
    used = replace(STRIDED, needed_load_sectors=32 * MILLION, needed_dram_bytes=32 * 32 * MILLION)
    for one in changed(used, Change(loads=0.25, stores=0.25), DEVICE):
        assert (one.l2_sectors, one.dram_bytes) == (8 * MILLION, 8 * 32 * MILLION)


def test_less_is_moved_than_the_blocks_use_where_elements_become_smaller():
    used = replace(STRIDED, needed_load_sectors=32 * MILLION, needed_dram_bytes=32 * 32 * MILLION)
    for one in changed(used, Change(element_bytes=0.5), DEVICE):
        assert one.dram_bytes == one.needed_dram_bytes == 16 * 32 * MILLION
