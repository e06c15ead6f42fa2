"""The least time of a kernel on an A100: 2039 GB/s, 19.5 TFLOP/s, 290 cycles at 1.41 GHz to DRAM."""

from __future__ import annotations

from dataclasses import replace

import pytest
from kept_history import fingerprint

from advisor.model.devices import find_device
from advisor.runs.comparison.ranking.roofline import bound_of

A100 = find_device("a100-80gb")


def test_bytes_over_bandwidth() -> None:
    bound = bound_of(fingerprint(metrics={"dram_bytes": 2.039e9, "flops": 1e9}), A100)
    assert bound is not None
    assert (bound.limiter, bound.time_ms, bound.headroom) == (
        "DRAM bandwidth",
        pytest.approx(1.0),
        pytest.approx(2.0),
    )


def test_operations_over_the_peak() -> None:
    bound = bound_of(fingerprint(metrics={"dram_bytes": 1e6, "flops": 19.5e9}), A100)
    assert bound is not None
    assert (bound.limiter, bound.time_ms) == ("float32 peak", pytest.approx(1.0))


def test_float64_operations_have_their_own_peak() -> None:
    metrics = {"flops": 9.7e9, "fp64_operation_share": 1.0}
    bound = bound_of(fingerprint(metrics=metrics), A100)
    assert bound is not None
    assert (bound.limiter, bound.time_ms) == ("float64 peak", pytest.approx(1.0))


def test_the_measured_use_of_units_bounds_too() -> None:
    bound = bound_of(fingerprint(metrics={"sm_throughput": 0.091, "memory_throughput": 0.21}), None)
    assert bound is not None
    assert (bound.limiter, bound.headroom) == ("memory system", pytest.approx(1 / 0.21))


def test_no_kernel_that_reads_memory_is_faster_than_one_access() -> None:
    bound = bound_of(fingerprint(samples=(0.01,), metrics={"dram_bytes": 32.0}), A100)
    assert bound is not None
    assert (bound.limiter, bound.time_ms) == ("memory latency", pytest.approx(640 / 1.41e9 * 1e3))


def test_a_kernel_at_its_bound_has_no_room() -> None:
    bound = bound_of(fingerprint(metrics={"dram_bytes": 1e12}), A100)
    assert bound is not None
    assert bound.headroom == 1.0


@pytest.mark.parametrize("metrics", [{}, {"registers": 32.0}, {"dram_norm": 0.0}])
def test_without_bytes_operations_or_use_there_is_none(metrics: dict[str, float]) -> None:
    assert bound_of(fingerprint(metrics=metrics), A100) is None


def test_without_a_time_there_is_none() -> None:
    assert bound_of(replace(fingerprint(metrics={"dram_bytes": 1.0}), timing=None), A100) is None
