"""What is striking about the times of fingerprints."""

from __future__ import annotations

from advisor.evidence.measured.run_times import launch_time
from advisor.model.history.fingerprint import Fingerprint
from advisor.runs.comparison.numbers import KernelLimits


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
