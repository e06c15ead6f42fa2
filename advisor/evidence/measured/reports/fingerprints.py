"""Fingerprints of the kernels of reports: their metrics in the vocabulary, over all launches of one shape."""

from __future__ import annotations

import math
import statistics
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from advisor.evidence.measured.reports.cuda_calls import communicates, is_of_library
from advisor.evidence.measured.reports.kernel_names import readable
from advisor.evidence.measured.reports.mapping import mapped, over_launches, shapes_are_judged
from advisor.evidence.measured.reports.report import ImportedReport, Launches, Quantity
from advisor.model.history.fingerprint import Fingerprint, KernelIdentity, LineMetrics, Timing
from advisor.model.records import Value

_MOST_SAMPLES = 1000
# In the order of the fields of Timing.
_STATISTICS = ("mean", "median", "deviation", "least", "most")
# What every report that has launches tells of a kernel at most, beside what its table maps.
TIME_METRICS = (
    "latency_ms", "launches", "time_mean_ms", "time_median_ms", "time_min_ms", "time_max_ms",
    "timed_launches", "time_stddev_ms", "time_cv",
)  # fmt: skip


@dataclass
class Reading:
    """Fingerprints of one report with the report's names of the kernels, the metrics of its run, and the
    report's metrics that nothing was made of.
    """

    fingerprints: list[tuple[str, Fingerprint]] = field(default_factory=list)
    metrics: dict[str, Value] = field(default_factory=dict)
    unused: tuple[str, ...] = ()
    refused: Mapping[str, str] = field(default_factory=dict)


def reading_of(report: ImportedReport) -> Reading:
    """What a report is in the vocabulary."""
    used: set[str] = set()
    refused: dict[str, str] = {}
    run = mapped(report.tool, "run", report.run)
    lines = _lines(report, used, refused)
    found = []
    for launches in report.launches:
        fingerprint = _fingerprint(report, launches, used, refused)
        found.append((launches.name, replace(fingerprint, lines=lines.pop(launches.name, ()))))
    for name, rest in lines.items():
        # A page of lines alone: its kernel has no numbers of its own.
        identity = KernelIdentity(readable(name).name, types=readable(name).types)
        found.append((name, Fingerprint(identity, "measured", 0, None, {}, rest)))
    unused = tuple(name for name in report.columns if name not in used)
    return Reading(found, dict(run.metrics), unused, {**refused, **run.refused})


def _fingerprint(
    report: ImportedReport, launches: Launches, used: set[str], refused: dict[str, str]
) -> Fingerprint:
    each = launches.values if report.is_of_nvidia else ()
    name = readable(launches.name)
    timing = _timing(launches)
    weights = launches.durations if len(each) == len(launches.durations) else ()
    metrics = combined(report.tool, (_mapped(report.tool, one, used, refused) for one in each), weights)
    if launches.durations:
        metrics["latency_ms"] = math.fsum(launches.durations)
    elif launches.values and "statistics.total" in launches.values[0]:
        metrics["latency_ms"] = float(launches.values[0]["statistics.total"].value)
    metrics["launches"] = float(launches.launches)
    for metric, extent in (("grid_blocks", launches.grid), ("block_threads", launches.block)):
        if extent is not None and report.is_of_nvidia and shapes_are_judged(report.tool):
            metrics.setdefault(metric, float(math.prod(extent)))
    metrics |= _time_metrics(timing)
    if communicates(name.name):
        metrics["communicates"] = True
    if is_of_library(name.name) and not name.parts:
        metrics["of_library"] = True
    identity = KernelIdentity(
        name.name, None, None, name.types, launches.grid, launches.block, launches.dynamic_shared
    )
    return Fingerprint(identity, "measured", launches.launches, timing, metrics, ranges=launches.ranges)


def _mapped(
    tool: str, values: Mapping[str, Quantity], used: set[str], refused: dict[str, str]
) -> Mapping[str, Value]:
    one = mapped(tool, "kernel", values)
    used |= one.used
    refused.update(one.refused)
    return one.metrics


@dataclass
class _Over:
    """One metric of several launches: its numbers with their weights, and the weights of its texts."""

    numbers: array[float] = field(default_factory=lambda: array("d"))
    weights: array[float] = field(default_factory=lambda: array("d"))
    texts: dict[str, float] = field(default_factory=dict)

    def add(self, value: Value, weight: float) -> None:
        if isinstance(value, str):
            self.texts[value] = self.texts.get(value, 0.0) + weight
        else:
            self.numbers.append(float(value))
            self.weights.append(weight)

    def together(self, how: Literal["sum", "weighted", "mean"]) -> Value:
        if not self.numbers:
            return max(self.texts, key=lambda text: self.texts[text])
        if how == "sum":
            return math.fsum(self.numbers)
        total = sum(self.weights)
        if how == "weighted" and total > 0.0 and min(self.numbers) != max(self.numbers):
            pairs = zip(self.numbers, self.weights, strict=True)
            return math.fsum(value * weight for value, weight in pairs) / total
        return statistics.fmean(self.numbers)


def combined(tool: str, each: Iterable[Mapping[str, Value]], weights: Sequence[float]) -> dict[str, Value]:
    """The metrics of several launches together: sums, means, and shares weighted by the launches' times.

    A text that differs between launches is that of the longest.
    """
    found: dict[str, _Over] = {}
    for at, one in enumerate(each):
        for metric, value in one.items():
            found.setdefault(metric, _Over()).add(value, weights[at] if weights else 1.0)
    return {metric: over.together(over_launches(tool, metric)) for metric, over in found.items()}


def _time_metrics(timing: Timing | None) -> dict[str, Value]:
    """What the times of a kernel's launches are in the vocabulary."""
    if timing is None:
        return {}
    found: dict[str, Value] = {
        "time_mean_ms": timing.mean,
        "time_median_ms": timing.median,
        "time_min_ms": timing.least,
        "time_max_ms": timing.most,
        "timed_launches": float(timing.iterations),
    }
    if timing.variation is not None:
        found |= {"time_stddev_ms": timing.deviation, "time_cv": timing.variation}
    return found


def _timing(launches: Launches) -> Timing | None:
    times = launches.durations
    if times:
        if len(times) > _MOST_SAMPLES:
            # Exact sums take a second for a million launches.
            many = np.asarray(times)
            middle, spread = float(np.median(many)), float(np.std(many, ddof=1))
            return Timing(len(times), float(np.mean(many)), middle, spread, min(times), max(times))
        deviation = statistics.stdev(times) if len(times) > 1 else 0.0
        mean, median = statistics.fmean(times), statistics.median(times)
        return Timing(len(times), mean, median, deviation, min(times), max(times), tuple(times))
    given = launches.values[0] if launches.values else {}
    numbers = {name: given.get(f"statistics.{name}") for name in _STATISTICS}
    known = {name: float(one.value) for name, one in numbers.items() if one is not None}
    if len(known) < len(_STATISTICS) or not launches.launches:
        return None
    mean, median, deviation, least, most = (known[name] for name in _STATISTICS)
    return Timing(launches.launches, mean, median, deviation, least, most)


def _lines(
    report: ImportedReport, used: set[str], refused: dict[str, str]
) -> dict[str, tuple[LineMetrics, ...]]:
    found: dict[str, list[LineMetrics]] = {}
    for line in report.lines:
        one = mapped(report.tool, "line", line.values)
        used |= one.used
        refused.update(one.refused)
        if one.metrics:
            found.setdefault(line.kernel, []).append(LineMetrics(line.path, line.line, "line", one.metrics))
    return {kernel: tuple(lines) for kernel, lines in found.items()}


def merged(fingerprints: Iterable[Fingerprint]) -> list[Fingerprint]:
    """The fingerprints of several reports of one run: of one kernel and shape the numbers come together.

    Times are those of the report that counted most launches, since a profiler of counters slows kernels down.
    """
    found: dict[tuple[object, ...], Fingerprint] = {}
    for fingerprint in fingerprints:
        key = _key(fingerprint, found)
        known = found.get(key)
        found[key] = fingerprint if known is None else _joined(known, fingerprint)
    return list(found.values())


def _key(one: Fingerprint, found: Mapping[tuple[object, ...], Fingerprint]) -> tuple[object, ...]:
    """The fingerprint's key, or that of the only one it can belong to: a page of lines tells no shape."""
    identity = one.identity
    key = (
        identity.name,
        identity.path,
        identity.types,
        identity.grid,
        identity.block,
        identity.dynamic_shared,
        one.ranges,
    )
    if identity.grid is None and not one.launches:
        return next((known for known in found if known[0] == identity.name), key)
    return key


def _joined(first: Fingerprint, second: Fingerprint) -> Fingerprint:
    more, less = (first, second) if first.launches >= second.launches else (second, first)
    return replace(
        more,
        timing=more.timing or less.timing,
        metrics={**less.metrics, **more.metrics},
        lines=more.lines or less.lines,
        ranges=more.ranges or less.ranges,
    )
