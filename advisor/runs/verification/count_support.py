"""Whether counts carry a predicted direction: what a kernel needs more of, and what less, after a change.

The counts are exact; how much time each costs is a model's, which was not validated on GPUs. A prediction is
told where no count speaks against it, even if the model undervalues that count by as much as it is known to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from advisor.runs.verification.numbers import verification_numbers
from advisor.runs.verification.trial import KernelMetrics

# What is counted in all blocks of a launch, by metric: in words, and the model's resource whose time it is.
_COUNTS = {
    "issue_slots": ("instructions", "issue"),
    "l1_sectors": ("sectors of memory", "l1"),
    "shared_wavefronts": ("wavefronts of shared memory", "shared"),
    "fp64_slots": ("double-precision instructions", "fp64"),
    "special_slots": ("instructions of special functions", "special"),
    "tensor_work": ("operations of tensor cores", "tensor"),
    "hottest_element_updates": ("atomic updates of one element", "atomics"),
}


@dataclass(frozen=True)
class CountChange:
    """A count of some kernels' launches before and after a change, and what the model takes it to cost by
    itself, in milliseconds: the more, the fewer multiprocessors have blocks.
    """

    name: str
    before: float
    after: float
    before_ms: float
    after_ms: float

    def in_words(self) -> str:
        """The count before and after; where only its spread changes, that."""
        moved = "rise" if self.after_ms > self.before_ms else "fall"
        if (self.after > self.before) == (self.after_ms > self.before_ms) and self.after != self.before:
            return f"{self.name} {moved} from {_short(self.before)} to {_short(self.after)}"
        return f"{self.name} of a busy multiprocessor {moved}"


def count_changes(before: Sequence[KernelMetrics], after: Sequence[KernelMetrics]) -> list[CountChange]:
    """The counts of all launches of some kernels, before and after."""
    found = []
    for metric, (name, resource) in _COUNTS.items():
        counts = [sum(_count(one, metric) for one in kernels) for kernels in (before, after)]
        times = [sum(_milliseconds(one, resource) for one in kernels) for kernels in (before, after)]
        if any(counts):
            found.append(CountChange(name, *counts, *times))
    return found


def unsupported(changes: Sequence[CountChange], before_ms: float, after_ms: float) -> str:
    """Why the counts do not carry what the model predicts, an empty text where they do.

    A count speaks against a prediction where the change would be clearly the other way if that count cost as
    many times more than the model says as `undervalued` tells. And what is predicted to change has to show in
    one count at least.
    """
    numbers = verification_numbers()
    predicted = _direction(before_ms, after_ms, numbers.least_ratio)
    model = f"the model says {before_ms / after_ms:.2f} x"
    against = []
    for one in changes:
        dearer = [
            max(whole, numbers.undervalued * alone)
            for whole, alone in ((before_ms, one.before_ms), (after_ms, one.after_ms))
        ]
        if _direction(dearer[0], dearer[1], numbers.least_reversal) not in (0, predicted):
            against.append(one.in_words())
    if against:
        return f"{_listed(against)}; what that costs beside the rest is not validated ({model})"
    if predicted and not any(
        _direction(one.before_ms, one.after_ms, numbers.least_ratio) == predicted for one in changes
    ):
        said = "rises" if predicted > 0 else "falls"
        return f"no count {said}: the prediction rests on hit rates and latencies, not validated ({model})"
    return ""


def _direction(before: float, after: float, least: float) -> int:
    """1 where a number rises by a factor, -1 where it falls by it, else 0."""
    if after > 0 and after >= before * least:
        return 1
    return -1 if before > 0 and before >= after * least else 0


def _count(kernel: KernelMetrics, metric: str) -> float:
    return _number(kernel.metrics, metric) * (_number(kernel.metrics, "launches") or 1.0)


def _milliseconds(kernel: KernelMetrics, resource: str) -> float:
    return kernel.resources.get(resource, 0.0) * 1e3 * (_number(kernel.metrics, "launches") or 1.0)


def _number(metrics: Mapping[str, object], name: str) -> float:
    value = metrics.get(name)
    return float(value) if isinstance(value, int | float) else 0.0


def _short(count: float) -> str:
    return f"{count:,.0f}" if count < 1e9 else f"{count:.3g}"


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
