"""Records of what reports say: kernels at their definitions, or in the report where only that knows them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from advisor.evidence.measured.reports.kernel_names import shortened
from advisor.evidence.measured.run_times import Totals, know_times, of_kernel, totals_of
from advisor.model.history.fingerprint import Fingerprint, Run
from advisor.model.records import Record, kernel_key
from advisor.model.text.source_text import Span

_RUN = "imported run"


def records_of(run: Run, report: str, shown: Mapping[str, str] | None = None) -> list[Record]:
    """The records of a run, its kernels and their lines.

    `report` is the path of what is not in the source; `shown` gives the paths that findings name for those of
    the fingerprints. Every shape of a launch is a record of its own, the longest first.
    """
    found = Record("run", _RUN, report, Span(1), run.facts.label)
    totals = totals_of(run.fingerprints)
    know_times(found, "measured", totals, run.metrics)
    found.know("measured", (), **run.metrics)
    records = [found]
    longest_first = sorted(run.fingerprints, key=lambda one: -float(one.metrics.get("latency_ms", 0.0)))
    for number, fingerprint in enumerate(longest_first):
        records += _of_kernel(number, fingerprint, totals, report, dict(shown or {}))
    return records


def _of_kernel(
    number: int,
    fingerprint: Fingerprint,
    totals: Totals,
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
    record.know("measured", assumptions, **{**fingerprint.metrics, **of_kernel(fingerprint, totals)})
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
