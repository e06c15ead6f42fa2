"""Two checks of a project, before and after an edit: which findings are new or gone, which kernels slower."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from advisor.check.pipeline import Checked
from advisor.check.speedup_bounds.bound import record_of
from advisor.evidence.metrics.derived.timing import resource_times
from advisor.evidence.metrics.prediction_error import Interval, ratio_interval
from advisor.evidence.metrics.tables import Tables
from advisor.model.devices import Device
from advisor.model.findings import SEVERITIES, Finding, Report, Verdict
from advisor.reports.outputs.interchange.fingerprints import fingerprints
from advisor.runs.verification.count_support import count_changes, unsupported
from advisor.runs.verification.numbers import verification_numbers
from advisor.runs.verification.trial import KernelMetrics

# What a time is of: all launches of a kernel that were run, or one element of launches that were made up.
TimeOf: TypeAlias = Literal["launches", "element"]
_METRICS: dict[TimeOf, str] = {"launches": "predicted_ms", "element": "predicted_ms_per_element"}


@dataclass(frozen=True)
class TimeChange:
    """The predicted times of a kernel in ms before and after, what they are of, and the verdict.

    `interval` is that of the speed-up by the model's error, `doubt` why the counts do not carry a verdict.
    """

    path: str
    kernel: str
    time_of: TimeOf
    before_ms: float
    after_ms: float
    verdict: Verdict
    interval: Interval
    doubt: str = ""

    @property
    def speedup(self) -> float:
        """How many times as fast the kernel is after the edit."""
        return self.before_ms / self.after_ms


@dataclass(frozen=True)
class SourceChanges:
    """What an edit changes; `kept` counts the findings that stay, `before` and `after` are both reports."""

    new: tuple[Finding, ...]
    gone: tuple[Finding, ...]
    kept: int
    times: tuple[TimeChange, ...]
    before: Report
    after: Report

    @property
    def slower(self) -> tuple[TimeChange, ...]:
        """The kernels that are predicted to be slower."""
        return tuple(one for one in self.times if one.verdict == "predicted slower")


def source_changes(before: Checked, after: Checked, device: Device) -> SourceChanges:
    """What changes between two checks of the same files for one device.

    A finding stays the same where its fingerprint does: its rule, file and kernel, or the text of its line.
    Of a file that could not be checked on one side it is not known what is new or gone.
    """
    earlier, later = _named(before.report), _named(after.report)
    unknown_before, unknown_after = _not_checked(before.report), _not_checked(after.report)
    new = (one for name, one in later.items() if name not in earlier and one.path not in unknown_before)
    gone = (one for name, one in earlier.items() if name not in later and one.path not in unknown_after)
    return SourceChanges(
        new=_ordered(new),
        gone=_ordered(gone),
        kept=len(earlier.keys() & later.keys()),
        times=tuple(_times(before.tables or {}, after.tables or {}, device)),
        before=before.report,
        after=after.report,
    )


def _named(report: Report) -> dict[str, Finding]:
    return dict(zip(fingerprints(report), report.findings, strict=True))


def _not_checked(report: Report) -> set[str]:
    return {problem.path for problem in report.problems if not problem.checked}


def _ordered(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The gravest first, then by place."""
    return tuple(
        sorted(findings, key=lambda one: (-SEVERITIES.index(one.severity), one.path, one.span.line, one.rule))
    )


def _times(before: Tables, after: Tables, device: Device) -> Iterator[TimeChange]:
    """The kernels whose times are known before and after, and of the same."""
    known = _kernels(before, device)
    for place, kernel in sorted(_kernels(after, device).items()):
        earlier = known.get(place)
        if earlier is None:
            continue
        for time_of in _METRICS:
            times = [_milliseconds(one, time_of) for one in (earlier, kernel)]
            if all(times):
                yield _judged(earlier, kernel, time_of, times[0] or 0.0, times[1] or 0.0)
                break


def _judged(
    before: KernelMetrics, after: KernelMetrics, time_of: TimeOf, before_ms: float, after_ms: float
) -> TimeChange:
    """The verdict by the rule of `advisor verify`: what counts and the model's error leave open stays so."""
    ratio, least = before_ms / after_ms, verification_numbers().least_ratio
    interval = ratio_interval(ratio)
    verdict: Verdict = "predicted faster" if ratio > 1.0 else "predicted slower"
    doubt = ""
    if 1.0 / least < ratio < least:
        verdict = "no difference"
    else:
        if time_of == "launches":
            doubt = unsupported(count_changes([before], [after]), before_ms, after_ms)
        if doubt or interval.holds_one:
            verdict, doubt = "cannot tell", doubt or "within the model's error on published times"
    return TimeChange(after.path, after.name, time_of, before_ms, after_ms, verdict, interval, doubt)


def _milliseconds(kernel: KernelMetrics, time_of: TimeOf) -> float | None:
    """A time of a kernel, None where it is not known."""
    value = kernel.metrics.get(_METRICS[time_of])
    if not isinstance(value, float) or not value > 0.0:
        return None
    return value * float(kernel.metrics.get("launches", 1.0)) if time_of == "launches" else value


def _kernels(tables: Tables, device: Device) -> dict[tuple[str, str], KernelMetrics]:
    """The kernels of a check by path and name, those of one name left out: which is which is not known."""
    table = tables.get("kernel")
    if table is None:
        return {}
    found: dict[tuple[str, str], KernelMetrics] = {}
    twice = set()
    for row, place in enumerate(zip(table.paths, table.labels, strict=True)):
        record = record_of(table, row)
        metrics = {name: reading.value for name, reading in record.readings.items()}
        if place in found:
            twice.add(place)
        found[place] = KernelMetrics(*place, metrics, resource_times(record, device))
    return {place: kernel for place, kernel in found.items() if place not in twice}
