"""What the history knows of kernels as evidence: their latest measurements, while their code is the same."""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from advisor.evidence.measured.kernel_measurements import Measured, fitting_runs, measurements, owner
from advisor.evidence.measured.run_times import Totals, know_times, of_kernel, time_of, totals_of
from advisor.model.devices import Device
from advisor.model.history.fingerprint import Fingerprint, KernelRun, LineMetrics, Run
from advisor.model.history.identity import Definition, functions
from advisor.model.history.store import HistoryStore
from advisor.model.records import LineReading, Record, Value, kernel_key
from advisor.model.text.source_text import Span

_SPANS = (("d", 86_400.0), ("h", 3600.0), ("min", 60.0))
_OF_SHAPE = ("shape_launches", "shape_time_share")
# What a launch is like, not what was measured of it: the counts of a simulated launch belong to its own.
SHAPE_METRICS = ("block_threads", "grid_blocks", "launches", *_OF_SHAPE)


@dataclass(frozen=True)
class MeasuredShape:
    """Launches of a kernel with one grid and block: how many, the seconds of all of them (None where that is
    unknown), the kernel's record by them, and whether their arguments have the types of the judged ones.
    """

    launches: int
    seconds: float | None
    record: Record
    has_types_of_judged: bool


@dataclass
class MeasuredEvidence:
    """Records of kernels and runs, readings of lines, and notices of what is not used.

    `shapes` are those of a kernel's latest run, by its key, where there are several: its record's first.
    """

    records: list[Record] = field(default_factory=list)
    lines: list[LineReading] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    shapes: dict[str, list[MeasuredShape]] = field(default_factory=dict)


def measured_evidence(
    store: HistoryStore,
    root: Path,
    device: Device,
    texts: Mapping[str, str],
    simulated: Collection[str] = (),
) -> MeasuredEvidence:
    """The evidence of a history for the files with these texts, by their paths relative to `root`.

    Each metric is that of the latest run that has it, as long as device, text and shape are the same; of the
    shapes of the latest run the one with the longest time in all counts. `simulated` are the keys of kernels
    whose launch another source describes: they get no metrics of the shape.
    """
    found = MeasuredEvidence()
    if not store.exists():
        return found
    shown = {_relative(root / path, store.root): path for path in texts}
    others: dict[str, str] = {}
    runs: dict[int, Run] = {}
    totals: dict[int, Totals] = {}
    for recorded, path in sorted(shown.items()):
        for name, those in store.kernel_runs(recorded).items():
            here = [one for one in functions(texts[path]) if one.name == name]
            fitting = fitting_runs(those, here, device)
            if fitting.other:
                others.setdefault(fitting.other, f"{path}: {name}")
            if fitting.changed is not None:
                found.notices.append(_stale(store, recorded, path, name, fitting.changed))
            if fitting.unmixed is not None:
                found.notices.append(_unmixed(path, name, fitting.unmixed, device))
            if fitting.place is not None:
                told = measurements(store, recorded, name, fitting.runs)
                runs |= {one.run.id or 0: one.run for one in told if one.metrics}
                its = owner(told).id or 0
                runs[its] = owner(told)
                if its not in totals:
                    totals[its] = totals_of(store.fingerprints([its])[its])
                key = kernel_key(path, fitting.place.name, fitting.place.line)
                record = _tell(found, key, path, fitting.place, told, simulated, totals[its])
                if _judged(told).shapes > 1 and key not in simulated:
                    every = store.of_kernel(recorded, name, its, "measured")
                    found.shapes[key] = _shapes(record, told, every, totals[its])
    found.records += [_run_record(run, totals.get(run.id or 0, {})) for run in _telling(runs, totals)]
    found.notices += [
        f"{first} was measured on {name}, not on {device.name}; `--device '{name}'` uses what is known there."
        for name, first in others.items()
    ]
    return found


def _telling(runs: Mapping[int, Run], owners: Collection[int]) -> list[Run]:
    """The runs whose time kernels are shares of, then those that tell what no run before them does."""
    ordered = sorted(runs, key=lambda number: (number in owners, number), reverse=True)
    told: set[str] = set()
    found = []
    for number in ordered:
        run = runs[number]
        if number in owners or set(run.metrics) - told:
            found.append(run)
            told |= set(run.metrics)
    return found


def _relative(path: Path, folder: Path) -> str:
    try:
        return os.path.relpath(path, folder).replace(os.sep, "/")
    except ValueError:  # on another drive
        return path.as_posix()


def _stale(store: HistoryStore, recorded: str, path: str, name: str, measured: KernelRun) -> str:
    run = store.facts_of(measured.run)
    fingerprint = store.of_kernel(recorded, name, measured.run, "measured")[0]
    line = f":{fingerprint.line}" if fingerprint.line else ""
    again = f"`{run.facts.command}`" if run.facts.kind == "profile" else "measuring it"
    return (
        f"{path}{line}: {name} has changed since it was measured {_age(run)} ago, so that is not used; "
        f"{again} again gives new numbers."
    )


def _unmixed(path: str, name: str, later: KernelRun, device: Device) -> str:
    return (
        f"{path}: {name} has later numbers whose GPU has no device file ({later.device}); they are not mixed "
        f"with those of {device.name}. `advisor import --device` says which GPU a report is of."
    )


def _age(run: Run) -> str:
    seconds = max(0.0, time.time() - run.facts.started)
    for name, size in _SPANS:
        if seconds >= size:
            return f"{seconds / size:.0f} {name}"
    return f"{seconds:.0f} s"


def _tell(
    found: MeasuredEvidence,
    key: str,
    path: str,
    place: Definition,
    told: Sequence[Measured],
    simulated: Collection[str],
    totals: Totals,
) -> Record:
    record = Record("kernel", key, path, Span(place.line), place.name, _run_key(owner(told)))
    entities: set[str] = set()
    for one in told:
        assumptions = _assumptions(one)
        metrics: dict[str, Value | None] = dict(one.metrics)
        if one.run is owner(told):
            together = of_kernel(one.fingerprint, totals)
            metrics |= {name: value for name, value in together.items() if name in (*metrics, *_OF_SHAPE)}
        if key in simulated:
            metrics = {name: value for name, value in metrics.items() if name not in SHAPE_METRICS}
        record.know("measured", assumptions, **metrics)
        lines = [line for line in one.fingerprint.lines if line.entity not in entities]
        found.lines += [_line(path, key, place, one.fingerprint, line, assumptions) for line in lines]
        entities |= {line.entity for line in lines}
    found.records.append(record)
    return record


def _shapes(
    record: Record, told: Sequence[Measured], those: Sequence[Fingerprint], totals: Totals
) -> list[MeasuredShape]:
    """The shapes of the run that owns a kernel's time, that of the kernel's record first."""
    run, judged = owner(told), _judged(told).fingerprint
    found = [MeasuredShape(judged.launches, _seconds(judged), record, True)]
    for one in those:
        if one.identity == judged.identity:
            continue
        other = Record("kernel", record.key, record.path, record.span, record.label, record.owner)
        metrics = {**one.metrics, **of_kernel(one, totals)}
        other.know("measured", _assumptions(Measured(run, one, 1, metrics)), **metrics)
        alike = one.identity.types == judged.identity.types
        found.append(MeasuredShape(one.launches, _seconds(one), other, alike))
    return found


def _judged(told: Sequence[Measured]) -> Measured:
    """What the run that owns a kernel's time tells of the shape that counts."""
    run = owner(told)
    return next(one for one in told if one.run is run)


def _seconds(one: Fingerprint) -> float | None:
    milliseconds = time_of(one)
    return None if milliseconds is None else milliseconds / 1e3


def _line(
    path: str,
    key: str,
    place: Definition,
    of: Fingerprint,
    one: LineMetrics,
    assumptions: tuple[str, ...],
) -> LineReading:
    """The numbers of a place in the source, moved along with the kernel's `def`."""
    moved = place.line - of.line if of.line else 0
    array, space, kind = (str(one.metrics.get(name, "")) for name in ("array", "space", "kind"))
    where = (path, one.line + moved) if one.path == of.identity.path else (one.path, one.line)
    return LineReading(one.entity, key, *where, array, space, kind, dict(one.metrics), assumptions)


def _assumptions(one: Measured) -> tuple[str, ...]:
    facts, who = one.run.facts, one.fingerprint.identity
    on = facts.executed_on or facts.device
    shape = "".join(
        f", {name} {_shape(extent)}" for name, extent in (("grid", who.grid), ("block", who.block)) if extent
    )
    largest = f", the longest of {one.shapes} shapes" if one.shapes > 1 else ""
    # Numbers of a profile and of a report stand beside each other: what is imported names its import.
    by = f" (`{facts.command}`)" if facts.kind == "import" else ""
    what = f"Measured on {on}: {shape.lstrip(', ')}{largest}, {_age(one.run)} ago{by}."
    found = [what.replace(": ,", ":")]
    if who.source_hash is None:
        found.append("Whether the code has changed since it was measured is not known.")
    if "dram_bytes" not in one.fingerprint.metrics and "achieved_bandwidth" in one.metrics:
        found.append("Bytes and operations were counted on the simulated GPU, the time was measured.")
    return tuple(found)


def _shape(extent: Sequence[int]) -> str:
    numbers = list(extent)
    while len(numbers) > 1 and numbers[-1] == 1:
        numbers.pop()
    return " x ".join(map(str, numbers))


_RUN = "measured run"


def _run_key(run: Run) -> str:
    return f"{_RUN} {run.facts.started} {run.id}"


def measured_at(key: str) -> float | None:
    """When the run of a record's key was measured, in seconds since the epoch; None for another key."""
    name, _, rest = key.rpartition(" ")[0].rpartition(" ")
    return float(rest) if name == _RUN else None


def _run_record(run: Run, totals: Totals) -> Record:
    label = run.facts.label or run.facts.command
    record = Record("run", _run_key(run), run.facts.command, Span(1), label)
    know_times(record, "measured", totals, run.metrics)
    assumption = f"Measured on {run.facts.executed_on or run.facts.device}, {_age(run)} ago."
    record.know("measured", (assumption,), **run.metrics)
    return record
