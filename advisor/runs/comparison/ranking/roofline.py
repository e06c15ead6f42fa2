"""How fast a device could run a kernel at best, from the bytes it moves and the operations it does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from advisor.evidence.measured.run_times import launch_time
from advisor.evidence.metrics.times.resources import latency
from advisor.model.devices import Device
from advisor.model.history.fingerprint import Fingerprint
from advisor.model.records import Value


@dataclass(frozen=True)
class Bound:
    """The least time of a launch in ms, and what sets it; `headroom` is the speed-up that is left at most.

    It holds for the bytes and operations of the kernel as it is: moving fewer bytes lowers the bound.
    """

    time_ms: float
    limiter: str
    headroom: float


def bound_of(one: Fingerprint, device: Device | None) -> Bound | None:
    """The bound by the roofline model (S. Williams et al., "Roofline", CACM 52, 2009), None without a time or
    where neither bytes nor operations nor the use of units are known.

    The time is the longest of bytes over bandwidth, operations over the peaks of their type, the latency of
    one access to DRAM, and the time in which the units that were busiest would be done alone.
    """
    time = launch_time(one)
    if time is None or time <= 0.0:
        return None
    least = {**_by_use(one.metrics, time), **_by_amounts(one.metrics, device)}
    if not least:
        return None
    if device is not None and device.boost_clock:
        least["memory latency"] = latency(device, "dram") / device.boost_clock * 1e3
    limiter = max(least, key=lambda name: least[name])
    bound = min(time, least[limiter])
    return Bound(bound, limiter, time / bound)


def _by_amounts(metrics: Mapping[str, Value], device: Device | None) -> dict[str, float]:
    """Times in ms for what a launch moves and computes."""
    if device is None:
        return {}
    found: dict[str, float] = {}
    moved, operations = _number(metrics, "dram_bytes"), _number(metrics, "flops")
    if moved is not None and device.dram_bandwidth:
        found["DRAM bandwidth"] = moved / device.dram_bandwidth * 1e3
    doubles = _number(metrics, "fp64_operation_share") or 0.0
    if operations is not None:
        singles = operations * (1.0 - doubles)
        if device.fp32_peak:
            found["float32 peak"] = singles / device.fp32_peak * 1e3
        if device.fp64_peak and doubles:
            found["float64 peak"] = operations * doubles / device.fp64_peak * 1e3
    return found


def _by_use(metrics: Mapping[str, Value], time: float) -> dict[str, float]:
    """Times in ms in which the busiest units alone would be done, by their measured use."""
    names = {
        "dram_norm": "DRAM bandwidth",
        "flop_norm": "float32 peak",
        "memory_throughput": "memory system",
        "sm_throughput": "units of the SMs",
    }
    found: dict[str, float] = {}
    for metric, limiter in names.items():
        use = _number(metrics, metric)
        if use is not None and use > 0.0:
            found[limiter] = max(found.get(limiter, 0.0), min(1.0, use) * time)
    return found


def _number(metrics: Mapping[str, Value], name: str) -> float | None:
    value = metrics.get(name)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
