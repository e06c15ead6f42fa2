"""Statistics of times, and what they say of an iteration, worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from advisor.model.devices import find_device
from advisor.runs.profiling.gpu.measured_workload import is_settled, measured_fingerprints
from advisor.runs.profiling.gpu.timed_calls import TimedCopy, TimedLaunch
from advisor.runs.profiling.numbers import profiling_numbers
from advisor.runs.profiling.rates import achieved_rates
from advisor.runs.profiling.statistics import mean_interval, timing_of, variation
from advisor.runs.profiling.totals import measured_run_metrics, totals_of
from advisor.runs.profiling.worker.process import Iteration

KERNEL = {
    "name": "twice", "path": "work.py", "line": 6, "source_hash": "00", "types": ["int64"],
    "grid": [4, 1, 1], "block": [256, 1, 1], "dynamic_shared": 0,
}  # fmt: skip


def iteration(*times: float, wall: float = 10.0, copies: tuple[TimedCopy, ...] = ()) -> Iteration:
    """Kernels that follow each other 1 ms apart, the first after 1 ms, each launched in 0.25 ms."""
    launches, begin = [], 1.0
    for time in times:
        launches.append(TimedLaunch(0, begin, time, 0.25))
        begin += time + 1.0
    return Iteration(wall, tuple(launches), copies, 0)


def test_the_statistics_of_four_times() -> None:
    timing = timing_of([1.0, 2.0, 3.0, 6.0], 10)
    assert (timing.iterations, timing.mean, timing.median, timing.least, timing.most) == (
        4,
        3.0,
        2.5,
        1.0,
        6.0,
    )
    # Deviations -2, -1, 0, 3: their squares add up to 14, over 3.
    assert timing.deviation == pytest.approx((14 / 3) ** 0.5)
    assert timing.variation == pytest.approx((14 / 3) ** 0.5 / 3)
    assert timing.samples == (1.0, 2.0, 3.0, 6.0)


def test_one_time_has_no_variation() -> None:
    timing = timing_of([2.0], 10)
    assert (timing.deviation, timing.variation) == (0.0, None)
    assert variation([2.0]) is None
    assert variation([0.0, 0.0]) is None


def test_no_times_are_refused() -> None:
    with pytest.raises(ValueError, match="no time"):
        timing_of([], 10)
    with pytest.raises(ValueError, match="no time"):
        mean_interval([], 10, 0.95)


def test_of_many_times_some_are_kept_and_all_count() -> None:
    timing = timing_of([float(one) for one in range(101)], 11)
    assert timing.samples == tuple(float(one) for one in range(0, 101, 10))
    assert (timing.iterations, timing.mean) == (101, 50.0)


def test_the_interval_holds_the_mean_and_shrinks_with_more_times() -> None:
    random = np.random.default_rng(3)
    few, many = random.normal(10.0, 1.0, 20), random.normal(10.0, 1.0, 2000)
    low, high = mean_interval(list(few), 2000, 0.95)
    assert low < few.mean() < high
    # The standard error is 1 / sqrt(20) = 0.22, so that the interval is about 2 * 1.96 of it wide.
    assert high - low == pytest.approx(2 * 1.96 * few.std() / 20**0.5, rel=0.15)
    shorter = mean_interval(list(many), 2000, 0.95)
    assert shorter[1] - shorter[0] < (high - low) / 5


def test_constant_times_are_settled_and_scattered_ones_are_not() -> None:
    numbers = profiling_numbers()
    assert is_settled([iteration(2.0)] * 20, numbers)
    assert not is_settled([iteration(1.0 if one % 2 else 3.0) for one in range(20)], numbers)
    assert not is_settled([iteration(2.0)], numbers)


def test_a_kernel_of_little_time_need_not_be_settled() -> None:
    numbers = profiling_numbers()

    def with_small(small: float) -> Iteration:
        one = iteration(1000.0)
        return replace(one, launches=(*one.launches, TimedLaunch(1, 2000.0, small, 0.1)))

    assert is_settled([with_small(1.0 if one % 2 else 3.0) for one in range(20)], numbers)
    assert not is_settled([with_small(100.0 if one % 2 else 300.0) for one in range(20)], numbers)


def test_gaps_busy_time_and_copies_of_an_iteration() -> None:
    copies = (
        TimedCopy("htod", 4000, 0.0, 0.5),
        TimedCopy("htod", 4000, 0.5, 0.25),
        TimedCopy("dtoh", 8, 9.0, 0.125),
    )
    totals = totals_of([iteration(2.0, 3.0, copies=copies), iteration(4.0, 3.0, copies=copies)])
    # Two kernels with 1 ms between them, twice.
    assert (totals.busy, totals.gaps, totals.launch_calls, totals.launches) == (12.0, 2.0, 1.0, 4)
    assert totals.copies == {"htod": (16000, 1.5), "dtoh": (16, 0.25)}
    found = measured_run_metrics([totals], 1)
    assert found["total_latency_ms"] == 10.0
    assert found["gpu_utilization"] == pytest.approx(0.6)
    assert found["kernel_gap_ms"] == 1.0
    assert found["api_launch_overhead_ms"] == 0.5
    assert (found["memcpy_htod_ms"], found["transfer_htod_bytes"]) == (0.75, 8000.0)
    assert (found["memcpy_dtoh_ms"], found["transfer_dtoh_bytes"]) == (0.125, 8.0)
    assert found["kernel_launches"] == 2.0
    assert (found["latency_cv"], found["transfer_cv"]) == (0.0, 0.0)


def test_kernels_of_several_streams_overlap() -> None:
    launches = (TimedLaunch(0, 1.0, 4.0, 0.1), TimedLaunch(0, 2.0, 1.0, 0.1), TimedLaunch(0, 8.0, 2.0, 0.1))
    totals = totals_of([Iteration(10.0, launches, (), 0)])
    # From 1 to 5 and from 8 to 10, of 9 ms in all.
    assert (totals.busy, totals.gaps) == (6.0, 3.0)


def test_jitter_of_copies_is_that_of_whole_iterations() -> None:
    def copied(time: float) -> Iteration:
        return iteration(1.0, copies=(TimedCopy("htod", 4, 0.0, time), TimedCopy("dtoh", 4, 5.0, 1.0)))

    found = measured_run_metrics([totals_of([copied(1.0), copied(3.0)])], 1)
    # Copies take 2 and 4 ms: mean 3, standard deviation sqrt(2).
    assert found["transfer_cv"] == pytest.approx(2**0.5 / 3)


def test_a_run_without_iterations_has_no_metrics() -> None:
    assert measured_run_metrics([totals_of([])], 0) == {}


def test_two_workloads_add_up_by_iteration() -> None:
    found = measured_run_metrics(
        [totals_of([iteration(1.0)] * 2), totals_of([iteration(1.0, wall=5.0)] * 4)], 2
    )
    assert (found["total_latency_ms"], found["active_kernels"], found["kernel_launches"]) == (15.0, 2.0, 2.0)


def test_rates_of_a_launch() -> None:
    device = find_device("a100-80gb")
    # 1.2 MB and 100,000 operations in 1 ms.
    found = achieved_rates(1.0, {"dram_bytes": 1.2e6, "flops": 1e5}, device)
    assert found["achieved_bandwidth"] == pytest.approx(1.2e9)
    assert found["achieved_flop_rate"] == pytest.approx(1e8)
    assert found["ai_flops_per_byte"] == pytest.approx(1 / 12)
    assert device.dram_bandwidth and device.fp32_peak
    assert found["dram_norm"] == pytest.approx(1.2e9 / device.dram_bandwidth)
    assert found["flop_norm"] == pytest.approx(1e8 / device.fp32_peak)


def test_what_is_unknown_stays_unknown() -> None:
    device = find_device("a100-80gb")
    assert achieved_rates(1.0, {}, device) == {}
    assert set(achieved_rates(1.0, {"flops": 5.0}, None)) == {"achieved_flop_rate"}
    assert set(achieved_rates(1.0, {"flops": 5.0}, replace(device, fp32_peak=None))) == {"achieved_flop_rate"}
    assert achieved_rates(0.0, {"flops": 5.0}, device) == {}


def test_a_fingerprint_of_launches_with_one_that_was_not_timed() -> None:
    lost = Iteration(10.0, (TimedLaunch(0, -1.0, -1.0, 0.2), TimedLaunch(0, 3.0, 4.0, 0.2)), (), 1)
    (one,) = measured_fingerprints(
        [iteration(2.0, 3.0), lost], [KERNEL], None, lambda kernel: {"dram_bytes": 3e6}
    )
    assert (one.source, one.launches, one.line) == ("measured", 2, 6)
    assert one.timing is not None
    assert (one.timing.iterations, one.timing.mean, one.timing.samples) == (3, 3.0, (2.0, 3.0, 4.0))
    assert one.metrics["time_max_ms"] == 4.0
    assert one.metrics["time_cv"] == pytest.approx(1 / 3)
    assert one.metrics["launches_per_second"] == pytest.approx(1000 / 3)
    assert one.metrics["latency_ms"] == 6.0
    assert one.metrics["achieved_bandwidth"] == pytest.approx(1e9)
    assert "dram_bytes" not in one.metrics
    assert (one.identity.grid, one.metrics["grid_blocks"]) == ((4, 1, 1), 4.0)
