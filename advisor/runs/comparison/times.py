"""Times of fingerprints, and what is striking about them."""

from __future__ import annotations

from advisor.model.history.fingerprint import Fingerprint
from advisor.runs.comparison.numbers import KernelLimits


def time_of(one: Fingerprint) -> float | None:
    """The time of all launches of an iteration in ms, None where it is not known."""
    if one.timing is not None:
        return one.timing.mean * max(1, one.launches)
    value = one.metrics.get("latency_ms")
    return float(value) if isinstance(value, int | float) else None


def launch_time(one: Fingerprint) -> float | None:
    """The mean time of a launch in ms, None where it is not known."""
    if one.timing is not None:
        return one.timing.mean
    whole = time_of(one)
    return None if whole is None else whole / max(1, one.launches)


def marks_of(one: Fingerprint, limits: KernelLimits) -> tuple[str, ...]:
    """What is striking: "slow", "high variance", "outliers"; predicted times have no variance."""
    found = []
    time = launch_time(one)
    if time is not None and time > limits.slow_ms:
        found.append("slow")
    timing = one.timing
    if timing is not None and one.source == "measured":
        if (timing.variation or 0.0) > limits.high_variation:
            found.append("high variance")
        if timing.iterations > 1 and timing.most > limits.outlier * timing.mean:
            found.append("outliers")
    return tuple(found)
