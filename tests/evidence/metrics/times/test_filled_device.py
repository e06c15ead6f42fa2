"""Times by element at a grid that fills a device, calculated by hand for a device with round numbers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from advisor.evidence.metrics.times.changes import Change
from advisor.evidence.metrics.times.counterfactual import time_with
from advisor.evidence.metrics.times.element_times import element_times
from advisor.evidence.metrics.times.filled_device import filled_device, waves_of_grid
from advisor.evidence.simulated.synthesis.evidence import SynthesisedEvidence
from advisor.evidence.simulated.synthesis.result import Synthesis
from advisor.model.devices import find_device
from advisor.model.records import Record
from advisor.model.text.source_text import Span

# Ten multiprocessors at 1 GHz that hold eight blocks of 256 threads; DRAM attains 1 TB/s.
DEVICE = replace(
    find_device("A100"),
    sm_count=10, boost_clock=1e9, dram_bandwidth=1e12, dram_share=1.0,
    arithmetic_latency=4, l1_latency=33, l2_latency=200, dram_latency=300,
)  # fmt: skip
BLOCKS = 8 * 10 * waves_of_grid()
# A block of eight warps that issues 1,000 instructions of each and does nothing else.
ISSUES = {
    "block_threads": 256.0, "shared_bytes": 0.0, "issue_slots": 8000.0, "l1_sectors": 0.0,
    "least_l2_sectors": 0.0, "most_l2_sectors": 0.0, "least_dram_bytes": 0.0, "most_dram_bytes": 0.0,
    "chained_arithmetic_steps": 0.0, "blocks_alike": 1.0,
}  # fmt: skip


def moves(least: float, most: float) -> dict[str, float]:
    """A block that moves between so many and so many bytes to and from DRAM."""
    return {**ISSUES, "issue_slots": 0.0, "least_dram_bytes": least, "most_dram_bytes": most}


def test_what_blocks_issue_goes_with_the_grid():
    found = filled_device([ISSUES], 32.0, DEVICE)
    assert [one.grid_blocks for one in found.possible] == [BLOCKS, BLOCKS]
    assert {one.issue_slots for one in found.possible} == {8000.0 * BLOCKS}
    # 8,000 instructions of a block at four in a cycle of ten multiprocessors are 200 ns, of a warp 25.
    time = found.time
    assert (time.least_of_warp, time.most_of_warp) == pytest.approx((25e-9, 25e-9))
    assert (time.least, time.most) == pytest.approx((25e-9 / 32, 25e-9 / 32))
    assert time.limiters == ("issue", "issue")
    assert time.interval.low < time.least < time.interval.high
    assert time.interval_of_warp.low == pytest.approx(32 * time.interval.low)


def test_dram_moves_between_each_sector_once_and_all_misses():
    # 2,560 to 10,240 bytes for 256 threads: 10 to 40 bytes of 1 TB/s for each.
    time = filled_device([moves(2560.0, 10240.0)], 32.0, DEVICE).time
    assert (time.least, time.most) == pytest.approx((10e-12, 40e-12))
    assert time.interval.low < 10e-12 and time.interval.high > 40e-12
    assert time.limiters == ("dram", "dram")


def test_the_time_of_an_element_does_not_hang_on_the_block():
    wide = {**moves(5120.0, 20480.0), "block_threads": 512.0}
    assert filled_device([wide], 32.0, DEVICE).time.most == pytest.approx(40e-12)


def test_both_ends_may_have_limiters_of_their_own():
    # 3.125 ps an element of DRAM at the least, and 78 ps of issue: 20 instructions of a warp.
    work = {**moves(800.0, 1e6), "issue_slots": 8 * 100.0}
    assert filled_device([work], 32.0, DEVICE).time.limiters == ("issue", "dram")


def test_blocks_that_meet_wait_for_each_other():
    meeting = {
        **ISSUES, "seen_hottest_element_updates": 1536.0, "least_hottest_element_updates": 256.0,
        "most_hottest_element_updates": 256.0, "seen_hottest_slice_sectors": 0.0,
        "least_hottest_slice_sectors": 0.0, "most_hottest_slice_sectors": 0.0,
    }  # fmt: skip
    found = filled_device([meeting], 32.0, DEVICE)
    # Each thread's update takes a cycle, one after the other on the whole device; so its nanosecond counts.
    assert {one.hottest_element_updates for one in found.possible} == {256.0 * BLOCKS}
    assert found.time.limiters == ("atomics", "atomics")
    own = {**meeting, "least_hottest_element_updates": 0.0, "most_hottest_element_updates": 0.0}
    found = filled_device([own], 32.0, DEVICE)
    assert {one.hottest_element_updates for one in found.possible} == {1536.0}
    assert found.time.limiters == ("issue", "issue")


def test_launches_that_differ_in_what_a_warp_does_have_no_time():
    other = {**ISSUES, "issue_slots": 9000.0}
    found = filled_device([ISSUES, other], 32.0, DEVICE)
    assert found.time is None
    assert found.unknown == (
        "Launches that were made up differ in the machine instructions of a warp, 1,000 to 1,125: they "
        "follow from sizes or data."
    )
    # What a change gains is asked of both of them.
    assert len(found.possible) == 4
    assert time_with(found.possible, (Change(instructions=0.5),), DEVICE).most == pytest.approx(2.0)
    # 10% are within what agrees.
    assert filled_device([ISSUES, {**ISSUES, "issue_slots": 8800.0}], 32.0, DEVICE).time is not None


@pytest.mark.parametrize(
    ("name", "one", "other", "unknown"),
    [
        ("fp64_slots", 0.0, 800.0, "float64 instructions of a warp, 0 to 100."),
        ("fp64_slots", 0.0, 80.0, ""),  # 1% of the instructions
        ("shared_wavefronts", 800.0, 6400.0, "wavefronts of shared memory of a warp, 100 to 800."),
        ("load_sectors", 4000.0, 8000.0, ""),  # rows that begin within sectors
        ("load_sectors", 4000.0, 12000.0, "sectors of loads of a warp, 500 to 1,500."),
    ],
)
def test_other_numbers_of_a_warp_agree_too(name, one, other, unknown):
    found = filled_device([{**ISSUES, name: one}, {**ISSUES, name: other}], 32.0, DEVICE)
    assert (found.time is None) == bool(unknown)
    assert found.unknown == (unknown and f"Launches that were made up differ in the {unknown}")


def test_blocks_that_do_not_do_as_much_have_no_time():
    # The mean of blocks that work and of others that find nothing to do is that of neither.
    found = filled_device([ISSUES, {**ISSUES, "blocks_alike": 0.0}], 32.0, DEVICE)
    assert found.time is None
    assert found.unknown == "Blocks of the launches that were made up do different amounts of work."


def test_blocks_of_other_sizes_agree_by_warp():
    small = {**ISSUES, "block_threads": 64.0, "issue_slots": 2000.0}
    time = filled_device([ISSUES, small], 32.0, DEVICE).time
    assert (time.least_of_warp, time.most_of_warp) == pytest.approx((25e-9, 25e-9), rel=1e-3)


@pytest.mark.parametrize(
    ("works", "registers", "device", "reason"),
    [
        ([], 32.0, DEVICE, "Not all launches that were made up stayed within their arrays."),
        ([ISSUES], None, DEVICE, "The registers of a thread are not known."),
        ([ISSUES], 300.0, DEVICE, "What NVIDIA A100 40GB holds of its blocks is not known."),
        ([ISSUES], 32.0, replace(DEVICE, boost_clock=None), "The file of NVIDIA A100 40GB has no clock"),
    ],
)
def test_what_is_lacking_is_said(works, registers, device, reason):
    found = filled_device(works, registers, device)
    assert found.time is None
    assert found.unknown.startswith(reason)


def kernel(source: str, **readings: object) -> Record:
    record = Record("kernel", "k", "a.py", Span(1), "k")
    record.know(source, ("Assumed.",), **readings)
    return record


def times_of(synthesis: Synthesis, *compiled: Record) -> Record:
    made = SynthesisedEvidence([kernel("synthesised", synthesised_launches=1)], [], {"k": synthesis})
    (found,) = element_times(made, compiled, DEVICE)
    return found


def test_the_record_has_both_ends_of_the_interval_in_ms():
    work = moves(2560.0, 10240.0)
    found = times_of(Synthesis("k", work=(work,)), kernel("compiled", registers=32))
    interval = filled_device([work], 32.0, DEVICE).time.interval
    reading = found.readings["predicted_ms_per_element"]
    assert (reading.value, reading.most) == pytest.approx((interval.low * 1e3, interval.high * 1e3))
    assert found.readings["predicted_ms_per_warp"].value == pytest.approx(32 * reading.value)
    assert found.value("predicted_limiter") == "dram"
    assert f"The grid is taken to fill NVIDIA A100 40GB, {waves_of_grid()} times over." in reading.assumptions
    assert reading.assumptions[0] == "Assumed."


def test_a_kernel_without_a_time_says_why_and_no_total_is_told():
    found = times_of(Synthesis("k", work=(ISSUES,)))
    assert list(found.readings) == ["time_unknown_because"]
    found = times_of(Synthesis("k", work=(ISSUES,)), kernel("compiled", registers=32))
    assert set(found.readings) == {"predicted_ms_per_element", "predicted_ms_per_warp", "predicted_limiter"}


def test_nothing_is_told_where_no_launch_was_made_up():
    made = SynthesisedEvidence([kernel("synthesised")], [], {"k": Synthesis("k", unknown="It ran on.")})
    assert element_times(made, [], DEVICE) == []
