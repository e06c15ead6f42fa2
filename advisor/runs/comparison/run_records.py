"""What the history keeps of runs as records, which the rules judge."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from advisor.evidence.measured.run_times import Totals, know_times, of_kernel, time_of, totals_of
from advisor.evidence.metrics.joining import join
from advisor.model.findings import share_in_words
from advisor.model.history.fingerprint import Extent, Fingerprint, Run
from advisor.model.records import LineReading, Record, Source, Value, kernel_key
from advisor.model.text.source_text import Span
from advisor.runs.comparison.ranking.kernel_places import KernelPlaces, Place


@dataclass(frozen=True)
class RunRecords:
    """Records of runs and their kernels, with the texts of the files of kernels that are still the same."""

    records: tuple[Record, ...]
    texts: Mapping[str, str]


def records_of_runs(
    runs: Sequence[Run],
    places: KernelPlaces,
    source: Sequence[Record],
    with_source: Callable[[Fingerprint], bool],
) -> RunRecords:
    """The records of runs with their fingerprints: every shape of a launch is a kernel of its own.

    Shapes come with the longest time first, since of several findings at a kernel the first is told. `source`
    are records of the source; those of kernels that `with_source` chooses come together with the longest
    shape.
    """
    records: list[Record] = []
    texts: dict[str, str] = {}
    known = {record.key for record in source if record.entity == "kernel"}
    lines: dict[Source, list[LineReading]] = {}
    for run in runs:
        key = f"run {run.id or run.facts.label} {run.facts.started}"
        totals = totals_of(run.fingerprints)
        records.append(_run_record(run, key, totals))
        longest_first = sorted(run.fingerprints, key=lambda one: -(time_of(one) or 0.0))
        for number, one in enumerate(longest_first):
            place = places.place(one, run)
            if place.text is not None:
                texts[place.path] = place.text
            own = kernel_key(place.path, one.identity.name, place.line or 1)
            is_joined = with_source(one) and own in known
            known.discard(own)
            together = of_kernel(one, totals)
            origin = _origin(one, run, together)
            kernel = _kernel_record(
                own if is_joined else f"{own} {key} {number}", one, place, origin, key, together
            )
            records.append(kernel)
            if is_joined:
                lines.setdefault(one.source, []).extend(_line_readings(kernel, one, place, origin))
            else:
                records += _line_records(kernel, one, place, origin)
    for of, readings in lines.items():
        records += join([*source, *records], readings, of)
    return RunRecords((*source, *records), texts)


def _run_record(run: Run, key: str, totals: Totals) -> Record:
    source: Source = "simulated" if run.facts.executed_on == "simt" else "measured"
    record = Record("run", key, run.facts.command, Span(1), run.facts.label or run.facts.command)
    know_times(record, source, totals, run.metrics)
    record.know(source, (_run_in_words(run),), **run.metrics)
    return record


def _kernel_record(
    key: str, one: Fingerprint, place: Place, origin: str, owner: str, totals: Mapping[str, float]
) -> Record:
    record = Record("kernel", key, place.path, Span(place.line or 1), one.identity.name, owner)
    record.know(one.source, (origin,), **{**one.metrics, **totals})
    return record


def _line_readings(kernel: Record, one: Fingerprint, place: Place, origin: str) -> list[LineReading]:
    assumptions = (origin,)
    found = []
    for line in one.lines:
        own = line.path == one.identity.path
        where = (place.path, line.line + place.moved) if own else (line.path, line.line)
        array, space, kind = (str(line.metrics.get(name, "")) for name in ("array", "space", "kind"))
        values: dict[str, Value | None] = dict(line.metrics)
        found.append(LineReading(line.entity, kernel.key, *where, array, space, kind, values, assumptions))
    return found


def _line_records(kernel: Record, one: Fingerprint, place: Place, origin: str) -> list[Record]:
    """Records of lines for themselves, where the source says nothing of them."""
    found = []
    for at, line in enumerate(_line_readings(kernel, one, place, origin)):
        span = Span(max(1, line.line))
        label = line.array or f"line {line.line}"
        record = Record(line.entity, f"{kernel.key} line {at}", line.path, span, label, kernel.key)
        record.know(one.source, line.assumptions, **line.values)
        found.append(record)
    return found


def _origin(one: Fingerprint, run: Run, totals: Mapping[str, float]) -> str:
    """Where the numbers of a shape come from, with its part of the kernel's launches and time."""
    who = one.identity
    shape = f", grid {shape_in_words(who.grid)}, block {shape_in_words(who.block)}" if who.grid else ""
    inside = f", in {' / '.join(one.ranges)}" if one.ranges else ""
    return f"{_run_in_words(run).rstrip('.')}{shape}{inside}{_part(one, totals)}."


def _part(one: Fingerprint, together: Mapping[str, float]) -> str:
    if "shape_launches" not in together:
        return ""
    known = together.get("shape_time_share")
    share = "" if known is None else f", {share_in_words(known)} of the kernel's time"
    return f", {one.launches:,} of {together['launches']:,.0f} launches{share}"


def _run_in_words(run: Run) -> str:
    facts = run.facts
    on = f"predicted for {facts.device}" if facts.executed_on == "simt" else f"on {facts.executed_on}"
    name = f"Run {run.id}" if run.id is not None else facts.label
    return f"{name}, {on}."


def shape_in_words(extent: Extent | None) -> str:
    """A grid or block without the ones at its end: `16 x 16`; `?` for one that is not known."""
    numbers = list(extent or ())
    while len(numbers) > 1 and numbers[-1] == 1:
        numbers.pop()
    return " x ".join(map(str, numbers)) or "?"
