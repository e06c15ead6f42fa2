"""Records of what reports say: kernels at their definitions, or in the report where only that knows them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from advisor.evidence.measured.reports.kernel_names import shortened
from advisor.model.history.fingerprint import Fingerprint, Run
from advisor.model.records import Record, Value, kernel_key
from advisor.model.text.source_text import Span

_RUN = "imported run"
_NO_WALL_TIME = "The report does not tell how long the run took; the time of its kernels{more} stands for it."
# What a run takes at least beside its kernels: on the GPU one after the other, and of the host's time.
_ON_DEVICE = ("memcpy_htod_ms", "memcpy_dtoh_ms", "memcpy_dtod_ms", "memset_ms")
_ON_HOST = ("api_launch_overhead_ms", "synchronisation_ms", "allocation_ms")


def records_of(run: Run, report: str, shown: Mapping[str, str] | None = None) -> list[Record]:
    """The records of a run, its kernels and their lines.

    `report` is the path of what is not in the source; `shown` gives the paths that findings name for those of
    the fingerprints. Every shape of a launch is a record of its own, the longest first.
    """
    found = Record("run", _RUN, report, Span(1), run.facts.label)
    totals = _totals(run.fingerprints)
    least, more = _least_time(_all_kernels(totals), run.metrics)
    found.know("measured", (_NO_WALL_TIME.format(more=more),), total_latency_ms=least)
    found.know("measured", (), **run.metrics)
    records = [found]
    longest_first = sorted(run.fingerprints, key=lambda one: -float(one.metrics.get("latency_ms", 0.0)))
    for number, fingerprint in enumerate(longest_first):
        records += _of_kernel(number, fingerprint, totals, report, dict(shown or {}))
    return records


def _totals(fingerprints: Sequence[Fingerprint]) -> dict[tuple[str, str | None], dict[str, float]]:
    """What belongs to a kernel over all its shapes: its time and its launches."""
    found: dict[tuple[str, str | None], dict[str, float]] = {}
    for one in fingerprints:
        sums = found.setdefault((one.identity.name, one.identity.path), {})
        for metric in ("latency_ms", "launches"):
            if metric in one.metrics:
                sums[metric] = sums.get(metric, 0.0) + float(one.metrics[metric])
    return found


def _least_time(kernels: float | None, metrics: Mapping[str, Value]) -> tuple[float | None, str]:
    """What a run of unknown length took at least, in ms, and in words what is in it beside the kernels."""
    if kernels is None:
        return None, ""
    device, host = (
        sum(float(value) for name in names if isinstance(value := metrics.get(name), float))
        for names in (_ON_DEVICE, _ON_HOST)
    )
    if host > kernels + device:
        return host, ", or of the calls of the host, which is longer,"
    return kernels + device, " and copies" if device else ""


def _all_kernels(totals: Mapping[tuple[str, str | None], Mapping[str, float]]) -> float | None:
    """The time of all kernels together, None where no kernel's time is known."""
    return sum(one.get("latency_ms", 0.0) for one in totals.values()) or None


def _of_kernel(
    number: int,
    fingerprint: Fingerprint,
    totals: Mapping[tuple[str, str | None], Mapping[str, float]],
    report: str,
    shown: Mapping[str, str],
) -> Iterator[Record]:
    identity = fingerprint.identity
    path = report if identity.path is None else shown.get(identity.path, identity.path)
    line = fingerprint.line or 1
    key = f"{kernel_key(path, identity.name, line)} {number}"
    label = identity.name if identity.path is not None else shortened(identity.name)
    record = Record("kernel", key, path, Span(line), label, _RUN)
    assumptions = (_origin(fingerprint, report),)
    record.know("measured", assumptions, **{**fingerprint.metrics, **totals[identity.name, identity.path]})
    yield record
    for at, one in enumerate(fingerprint.lines):
        place = shown.get(one.path, one.path) or report
        line_record = Record(one.entity, f"{key} line {at}", place, Span(one.line), f"line {one.line}", key)
        line_record.know("measured", assumptions, **one.metrics)
        yield line_record


def _origin(fingerprint: Fingerprint, report: str) -> str:
    identity = fingerprint.identity
    shape = f", grid {_shape(identity.grid)}, block {_shape(identity.block)}" if identity.grid else ""
    number = f", {fingerprint.launches} launches" if fingerprint.launches > 1 else ""
    inside = f", in {' / '.join(fingerprint.ranges)}" if fingerprint.ranges else ""
    return f"Measured: {report}{shape}{number}{inside}."


def _shape(extent: Sequence[int] | None) -> str:
    numbers = list(extent or ())
    while len(numbers) > 1 and numbers[-1] == 1:
        numbers.pop()
    return " x ".join(map(str, numbers))
