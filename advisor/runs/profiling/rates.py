"""Achieved bandwidth and rate of operations of a kernel, against the device's peaks."""

from __future__ import annotations

from collections.abc import Mapping

from advisor.model.devices import Device
from advisor.model.records import Value


def achieved_rates(
    milliseconds: float, counts: Mapping[str, Value], device: Device | None
) -> dict[str, Value]:
    """The metrics of a launch of that time that `dram_bytes` (or `achieved_bandwidth`) and `flops` give.

    What is unknown, or has a peak that the device file does not know, is left out. Shares of DRAM's peak are
    at most 1: counts may be a model's.
    """
    found: dict[str, Value] = {}
    moved, operations = _number(counts, "dram_bytes"), _number(counts, "flops")
    seconds = milliseconds / 1e3
    if seconds <= 0.0:
        return found
    bandwidth = _number(counts, "achieved_bandwidth")
    if moved is None and bandwidth is not None:
        moved = bandwidth * seconds
    if moved is not None:
        found["achieved_bandwidth"] = moved / seconds
        if device is not None and device.dram_bandwidth:
            found["dram_norm"] = min(1.0, moved / seconds / device.dram_bandwidth)
    if operations is not None:
        found["achieved_flop_rate"] = operations / seconds
        if device is not None and device.fp32_peak:
            found["flop_norm"] = operations / seconds / device.fp32_peak
    if moved and operations is not None:
        found["ai_flops_per_byte"] = operations / moved
    return found


def _number(counts: Mapping[str, Value], name: str) -> float | None:
    value = counts.get(name)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
