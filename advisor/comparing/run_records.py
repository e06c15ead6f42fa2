"""What the history keeps of runs as records, which the rules judge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from advisor.comparing.kernel_places import KernelPlaces, Place
from advisor.comparing.times import time_of
from advisor.history.fingerprint import Extent, Fingerprint, Run
from advisor.records import Record, Source, Value, kernel_key
from advisor.text import Span

_NO_WALL_TIME = "How long the run took is not known; the time of its kernels stands for it."


@dataclass(frozen=True)
class RunRecords:
    """Records of runs and their kernels, with the texts of the files of kernels that are still the same."""

    records: tuple[Record, ...]
    texts: Mapping[str, str]


def records_of_runs(runs: Sequence[Run], places: KernelPlaces) -> RunRecords:
    """The records of runs with their fingerprints: every shape of a launch is a kernel of its own.

    Shapes come with the longest time first, since of several findings at a kernel the first is told.
    """
    records: list[Record] = []
    texts: dict[str, str] = {}
    for run in runs:
        key = f"run {run.id or run.facts.label} {run.facts.started}"
        source: Source = "simulated" if run.facts.executed_on == "simt" else "measured"
        records.append(_run_record(run, key, source))
        totals = _totals(run.fingerprints)
        longest_first = sorted(run.fingerprints, key=lambda one: -(time_of(one) or 0.0))
        for number, one in enumerate(longest_first):
            place = places.place(one, run.facts.label or run.facts.command)
            if place.text is not None:
                texts[place.path] = place.text
            records += _of_kernel(f"{key} {number}", one, place, run, key, totals[_kernel(one)])
    return RunRecords(tuple(records), texts)


def _run_record(run: Run, key: str, source: Source) -> Record:
    record = Record("run", key, run.facts.command, Span(1), run.facts.label or run.facts.command)
    times = [time for time in map(time_of, run.fingerprints) if time is not None]
    if times:
        record.know(source, (_NO_WALL_TIME,), total_latency_ms=sum(times))
    record.know(source, (_run_in_words(run),), **run.metrics)
    return record


def _kernel(one: Fingerprint) -> tuple[str | None, str]:
    return one.identity.path, one.identity.name


def _totals(fingerprints: Sequence[Fingerprint]) -> dict[tuple[str | None, str], dict[str, float]]:
    """What belongs to a kernel over all its shapes: its time and its launches."""
    found: dict[tuple[str | None, str], dict[str, float]] = {}
    for one in fingerprints:
        sums = found.setdefault(_kernel(one), {})
        time = time_of(one)
        if time is not None:
            sums["latency_ms"] = sums.get("latency_ms", 0.0) + time
        if one.launches:
            sums["launches"] = sums.get("launches", 0.0) + one.launches
    return found


def _of_kernel(
    number: str, one: Fingerprint, place: Place, run: Run, owner: str, totals: Mapping[str, float]
) -> Iterator[Record]:
    key = f"{kernel_key(place.path, one.identity.name, place.line or 1)} {number}"
    record = Record("kernel", key, place.path, Span(place.line or 1), one.identity.name, owner)
    assumptions = (_origin(one, run),)
    record.know(one.source, assumptions, **{**one.metrics, **totals})
    yield record
    for at, line in enumerate(one.lines):
        own = line.path == one.identity.path
        where = place.path if own else line.path
        moved = line.line + place.moved if own else line.line
        metrics: dict[str, Value] = dict(line.metrics)
        label = str(metrics.get("array", f"line {moved}"))
        found = Record(line.entity, f"{key} line {at}", where, Span(max(1, moved)), label, key)
        found.know(one.source, assumptions, **metrics)
        yield found


def _origin(one: Fingerprint, run: Run) -> str:
    who = one.identity
    shape = f", grid {shape_in_words(who.grid)}, block {shape_in_words(who.block)}" if who.grid else ""
    inside = f", in {' / '.join(one.ranges)}" if one.ranges else ""
    return f"{_run_in_words(run).rstrip('.')}{shape}{inside}."


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
