"""What the history knows of kernels as evidence: their latest measurement, while their code is the same."""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from advisor.devices import Device, find_device
from advisor.errors import UsageError
from advisor.history.fingerprint import Fingerprint, Run
from advisor.history.identity import Definition, functions
from advisor.history.store import HistoryStore
from advisor.records import LineReading, Record, Value, kernel_key
from advisor.text import Span

_SPANS = (("d", 86_400.0), ("h", 3600.0), ("min", 60.0))
# What a launch is like, not what was measured of it: the counts of a simulated launch belong to its own.
SHAPE_METRICS = ("block_threads", "grid_blocks", "launches")


@dataclass
class MeasuredEvidence:
    """Records of kernels and runs, readings of lines, and notices of what is not used."""

    records: list[Record] = field(default_factory=list)
    lines: list[LineReading] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)


def measured_evidence(
    store: HistoryStore,
    root: Path,
    device: Device,
    texts: Mapping[str, str],
    simulated: Collection[str] = (),
) -> MeasuredEvidence:
    """The evidence of a history for the files with these texts, by their paths relative to `root`.

    Of a kernel with several shapes the one with the longest time in all counts. `simulated` are the keys of
    kernels whose launch another source describes: they get no metrics of the shape.
    """
    found = MeasuredEvidence()
    if not store.exists():
        return found
    shown = {_relative(root / path, store.root): path for path in texts}
    others: dict[str, str] = {}
    runs: dict[int, Run] = {}
    for (recorded, name), (run, those) in store.latest_of(sorted(shown), source="measured").items():
        path = shown[recorded]
        if run.facts.executed_on == "simt":
            continue
        if not _is_of(run.facts.device, device):
            others.setdefault(run.facts.device, f"{path}: {name}")
            continue
        fingerprint = max(those, key=_weight)
        place = _place(texts[path], name, fingerprint)
        if place is None:
            found.notices.append(_stale(path, name, run, fingerprint))
            continue
        runs[run.id or 0] = run
        _tell(found, path, place, run, fingerprint, len(those), simulated)
    found.records += [_run_record(run) for run in runs.values()]
    found.notices += [
        f"{first} was measured on {name}, not on {device.name}; `--device '{name}'` uses what is known there."
        for name, first in others.items()
    ]
    return found


def _relative(path: Path, folder: Path) -> str:
    try:
        return os.path.relpath(path, folder).replace(os.sep, "/")
    except ValueError:  # on another drive
        return path.as_posix()


def _is_of(name: str, device: Device) -> bool:
    """Whether a run's device is the one that advice is for; one that nobody knows may be any."""
    try:
        return find_device(name).id == device.id
    except UsageError:
        return True


def _weight(one: Fingerprint) -> float:
    return one.timing.mean * one.launches if one.timing else 0.0


def _place(text: str, name: str, fingerprint: Fingerprint) -> Definition | None:
    """The kernel's definition where its text is still that which was measured.

    A report that knows no text is taken to be of the present one.
    """
    known = fingerprint.identity.source_hash
    here = [one for one in functions(text) if one.name == name]
    return next((one for one in here if known is None or one.source_hash == known), None)


def _stale(path: str, name: str, run: Run, fingerprint: Fingerprint) -> str:
    line = f":{fingerprint.line}" if fingerprint.line else ""
    again = f"`{run.facts.command}`" if run.facts.kind == "profile" else "measuring it"
    return (
        f"{path}{line}: {name} has changed since it was measured {_age(run)} ago, so that is not used; "
        f"{again} again gives new numbers."
    )


def _age(run: Run) -> str:
    seconds = max(0.0, time.time() - run.facts.started)
    for name, size in _SPANS:
        if seconds >= size:
            return f"{seconds / size:.0f} {name}"
    return f"{seconds:.0f} s"


def _tell(
    found: MeasuredEvidence,
    path: str,
    place: Definition,
    run: Run,
    fingerprint: Fingerprint,
    shapes: int,
    simulated: Collection[str],
) -> None:
    key = kernel_key(path, place.name, place.line)
    assumptions = _assumptions(run, fingerprint, shapes)
    metrics: dict[str, Value | None] = dict(fingerprint.metrics)
    if key in simulated:
        metrics = {name: value for name, value in metrics.items() if name not in SHAPE_METRICS}
    record = Record("kernel", key, path, Span(place.line), place.name, _run_key(run))
    record.know("measured", assumptions, **metrics)
    found.records.append(record)
    moved = place.line - fingerprint.line if fingerprint.line else 0
    for one in fingerprint.lines:
        own = one.path == fingerprint.identity.path
        array, space, kind = (str(one.metrics.get(name, "")) for name in ("array", "space", "kind"))
        where = (path, one.line + moved) if own else (one.path, one.line)
        values: dict[str, Value | None] = dict(one.metrics)
        found.lines.append(LineReading(one.entity, key, *where, array, space, kind, values, assumptions))


def _assumptions(run: Run, fingerprint: Fingerprint, shapes: int) -> tuple[str, ...]:
    facts, who = run.facts, fingerprint.identity
    on = facts.executed_on or facts.device
    shape = "".join(
        f", {name} {_shape(extent)}" for name, extent in (("grid", who.grid), ("block", who.block)) if extent
    )
    largest = f", the longest of {shapes} shapes" if shapes > 1 else ""
    what = f"Measured on {on}: {shape.lstrip(', ')}{largest}, {_age(run)} ago."
    found = [what.replace(": ,", ":")]
    if who.source_hash is None:
        found.append("Whether the code has changed since it was measured is not known.")
    if "dram_bytes" not in fingerprint.metrics and "achieved_bandwidth" in fingerprint.metrics:
        found.append("Bytes and operations were counted on the SIMT machine, the time was measured.")
    return tuple(found)


def _shape(extent: Sequence[int]) -> str:
    numbers = list(extent)
    while len(numbers) > 1 and numbers[-1] == 1:
        numbers.pop()
    return " x ".join(map(str, numbers))


def _run_key(run: Run) -> str:
    return f"measured run {run.facts.started} {run.id}"


def _run_record(run: Run) -> Record:
    label = run.facts.label or run.facts.command
    record = Record("run", _run_key(run), run.facts.command, Span(1), label)
    assumption = f"Measured on {run.facts.executed_on or run.facts.device}, {_age(run)} ago."
    record.know("measured", (assumption,), **run.metrics)
    return record
