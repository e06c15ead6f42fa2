"""Predicted time and achieved occupancy of a recorded launch, from its counts and the device's numbers.

The model is that of `advisor/evidence/metrics/times`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from advisor.evidence.metrics.prediction_error import prediction_error
from advisor.evidence.metrics.times import resources
from advisor.evidence.metrics.times.launch_counts import counts_of
from advisor.evidence.metrics.times.resources import borrowed_latencies, joined_time, spread_of
from advisor.model.devices import Device
from advisor.model.records import Record

_ASSUMPTION = (
    "The time is a model's: what DRAM, caches, units, issue, atomics and latency need, overlapped in part. "
    "{share:.0%} of published times lie within {factor:g} times of it."
)


def derive(kernels: Sequence[Record], device: Device) -> None:
    """Add achieved_occupancy, predicted_ms, time_limiter, dram_norm and tensor_utilization to simulated
    kernels.
    """
    error = prediction_error()
    model = _ASSUMPTION.format(share=error.share, factor=error.time)
    for kernel in kernels:
        blocks = kernel.readings.get("grid_blocks")
        if blocks is None or device.sm_count is None or device.boost_clock is None:
            continue
        assumptions, counts = blocks.assumptions, counts_of(kernel)
        spread = spread_of(counts, device)
        if spread is not None:
            kernel.know("simulated", assumptions, achieved_occupancy=spread.achieved)
        times = resources.resource_times(counts, device)
        seconds = joined_time(times)
        if seconds <= 0.0:
            continue
        limiter = max(times, key=lambda name: times[name])
        kernel.know(
            "simulated",
            (*assumptions, model, *borrowed_latencies(counts, device)),
            predicted_ms=seconds * 1e3,
            time_limiter=limiter,
            dram_norm=min(1.0, times.get("dram", 0.0) / seconds) if "dram" in times else None,
            tensor_utilization=_tensor_utilization(kernel, times, seconds),
        )


def _tensor_utilization(kernel: Record, times: Mapping[str, float], seconds: float) -> float | None:
    """The part of the time in which tensor cores work: none without products, unknown without their rate."""
    if "tensor" in times:
        return min(1.0, times["tensor"] / seconds)
    return 0.0 if kernel.value("tensor_share") == 0.0 else None


def resource_times(kernel: Record, device: Device) -> dict[str, float]:
    """The seconds that each resource needs alone for a launch of a kernel; empty without its counts or its
    traffic behind L1, and on a device whose clock or caches are unknown.
    """
    return resources.resource_times(counts_of(kernel), device)
