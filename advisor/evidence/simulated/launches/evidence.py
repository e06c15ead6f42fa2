"""Recorded launches as evidence: readings of kernels, their accesses, branches and atomics."""

from __future__ import annotations

import math
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from advisor.evidence.simulated.launches.function_text import cuda_lines, definition
from advisor.evidence.simulated.launches.judged_launch import (
    Counted,
    Weigh,
    Weighed,
    counted_launches,
    for_another_device,
    judged_launch,
    launches_as_long,
    weighed_launches,
)
from advisor.evidence.simulated.launches.launched_types import launched_types
from advisor.evidence.simulated.launches.readings.array_statement_readings import (
    array_statement_records,
    counted_lines,
)
from advisor.evidence.simulated.launches.readings.kernel_readings import kernel_readings
from advisor.evidence.simulated.launches.readings.line_readings import Move, defect_reading, line_readings
from advisor.evidence.simulated.launches.readings.pointer_readings import pointer_readings
from advisor.evidence.simulated.launches.readings.triton_readings import (
    is_triton,
    tell_triton_kernel,
    triton_line_readings,
)
from advisor.evidence.simulated.launches.store import CUDA_SOURCE, LaunchRow, LaunchStore, RunRow
from advisor.model.compilation_unit import ArgumentTypes
from advisor.model.devices import Device
from advisor.model.findings import in_launches
from advisor.model.records import LineReading, Record, kernel_key
from advisor.model.text.source_text import Span

_DAY = 86_400.0
# What was wrong in kernels of Numba and of Triton.
_DEFECTS = {"kernel": "defect", "triton_kernel": "triton_defect"}

_Named = tuple[str, str]
_Recorded = tuple[RunRow, LaunchRow]


@dataclass(frozen=True)
class DifferentLaunch:
    """One of a kernel's launches that differ: how many are equal to it, the predicted seconds of all of these
    (None where unknown), and what would be told if the kernel were judged by it.
    """

    launches: int
    seconds: float | None
    record: Record
    lines: Sequence[LineReading]
    has_types_of_judged: bool


@dataclass
class LaunchEvidence:
    """What recorded launches tell: records, readings of lines, notices of what is too old, and the types of
    the arguments of each kernel by its key, those of the heaviest launch first.

    `different` gives the launches of a kernel that differ, where there are several.
    """

    records: list[Record] = field(default_factory=list)
    lines: list[LineReading] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    problems: list[tuple[str, int, str]] = field(default_factory=list)
    types: dict[str, tuple[ArgumentTypes, ...]] = field(default_factory=dict)
    different: dict[str, Callable[[], list[DifferentLaunch]]] = field(default_factory=dict)

    def extend(self, other: LaunchEvidence) -> None:
        """Add what another store told."""
        self.records += other.records
        self.lines += other.lines
        self.notices += other.notices
        self.problems += other.problems
        self.types |= other.types
        self.different |= other.different


@dataclass(frozen=True)
class _Kernel:
    """The launches of one kernel in its latest run, and how far its lines have moved since."""

    path: str
    name: str
    run: RunRow
    launches: Sequence[LaunchRow]
    moved: int
    line: int
    names: Names

    @property
    def key(self) -> str:
        return kernel_key(self.path, self.name, self.line)


@dataclass(frozen=True)
class Names:
    """How paths are called: in the record relative to its root, in the report relative to another folder."""

    recorded_from: Path
    shown_from: Path

    def recorded(self, shown: str) -> str:
        """The record's name of a path in the report."""
        return _relative(self.shown_from / shown, self.recorded_from)

    def shown(self, recorded: str) -> str:
        """The report's name of a path in the record."""
        return _relative(self.recorded_from / recorded, self.shown_from)


def _relative(path: Path, folder: Path) -> str:
    try:
        return os.path.relpath(path, folder).replace(os.sep, "/")
    except ValueError:  # on another drive
        return path.as_posix()


def launch_evidence(
    store: LaunchStore, root: Path, device: Device, texts: Mapping[str, str], weigh: Weigh
) -> LaunchEvidence:
    """The evidence of a store for the files with these texts, by their paths relative to `root`.

    A kernel is judged by the launch to which `weigh` gives the most.
    """
    found = LaunchEvidence()
    if not store.exists():
        return found
    names = Names(store.root, root)
    recorded = {names.recorded(path): path for path in texts}
    kernels = []
    for (path, name), rows in _by_definition(store.latest(sorted(recorded))):
        kernel = _current(recorded[path], name, rows, texts[recorded[path]], names)
        if kernel is None:
            run, row = rows[-1]
            found.notices.append(_stale(recorded[path], name, row, run))
        else:
            kernels.append(kernel)
    kernels = _of_device(kernels, device, store, texts)
    for kernel in kernels:
        _tell(found, kernel, device, weigh)
    _tell_runs(found, kernels, device)
    for recorded_path, path in recorded.items():
        _tell_statements(found, store, recorded_path, path, texts[path])
    return found


def _tell_statements(found: LaunchEvidence, store: LaunchStore, recorded: str, path: str, text: str) -> None:
    """What the statements of a file let array libraries do in the latest run in which they used one."""
    known = store.array_statements(recorded)
    if known is not None:
        run, rows = known
        ran = f"Counted without a GPU in `{run.command}`, {_ago(run)} ago."
        records = list(array_statement_records(path, text, recorded, rows, ran))
        found.records += records
        found.lines += [reading for record in records for reading in counted_lines(record)]


def _of_device(
    kernels: Sequence[_Kernel], device: Device, store: LaunchStore, texts: Mapping[str, str]
) -> list[_Kernel]:
    """The kernels, with their latest run for a device where that of another device is later."""
    others = [one for one in kernels if one.run.device != device.id]
    own: dict[str, _Kernel] = {}
    paths = {one.names.recorded(one.path): one for one in others}
    for (path, name), rows in _by_definition(store.latest(sorted(paths), device.id)):
        shown = paths[path].path
        kernel = _current(shown, name, rows, texts[shown], paths[path].names)
        if kernel is not None:
            own[kernel.key] = kernel
    return [own.get(one.key, one) if one in others else one for one in kernels]


def _by_definition(latest: Mapping[_Named, list[_Recorded]]) -> Iterator[tuple[_Named, list[_Recorded]]]:
    """The launches of each kernel; several kernels of a file may have one name."""
    for named, rows in latest.items():
        definitions: dict[tuple[int, str], list[_Recorded]] = {}
        for run, row in rows:
            definitions.setdefault((row.line, row.function_hash), []).append((run, row))
        for launches in definitions.values():
            yield named, launches


def _current(
    path: str, name: str, rows: Sequence[tuple[RunRow, LaunchRow]], text: str, names: Names
) -> _Kernel | None:
    """The kernel where its text is still that which ran, also when it stands at another line now."""
    run, first = rows[-1]
    launches = [row for _, row in rows]
    if first.is_cuda_source:
        lines = cuda_lines(path, text, name, first.function_hash.removeprefix(CUDA_SOURCE))
        line = min(lines, key=lambda one: abs(one - first.line), default=None)
        return _Kernel(path, name, run, launches, line - first.line, line, names) if line else None
    here = definition(text, first.line)
    if here is not None and here[1] == first.function_hash:
        return _Kernel(path, name, run, launches, 0, here[0], names)
    for line in range(1, text.count("\n") + 2):
        moved = definition(text, line)
        if moved is not None and moved[1] == first.function_hash:
            return _Kernel(path, name, run, launches, line - first.line, moved[0], names)
    return None


def _stale(path: str, name: str, row: LaunchRow, run: RunRow) -> str:
    return (
        f"{path}:{row.line}: the recorded launches of {name} are older than its code and are not used; "
        f"run `{run.command}` again."
    )


def age(seconds: float) -> str:
    """An age in words: seconds, minutes, hours or days."""
    for name, size in (("d", _DAY), ("h", 3600.0), ("min", 60.0)):
        if seconds >= size:
            return f"{seconds / size:.0f} {name}"
    return f"{seconds:.0f} s"


def _tell(found: LaunchEvidence, kernel: _Kernel, device: Device, weigh: Weigh) -> None:
    problems = {row.problem for row in kernel.launches if row.problem}
    found.problems += [(kernel.path, kernel.line, problem) for problem in sorted(problems)]
    of_triton = is_triton(kernel.launches)
    entity = "triton_kernel" if of_triton else "kernel"
    record = Record(entity, kernel.key, kernel.path, Span(kernel.line), kernel.name, _run_key(kernel.run))
    if kernel.launches[-1].is_cuda_source:
        record.know("source", text_unread=True, name=kernel.name)
    found.records.append(record)
    same_device = kernel.run.device == device.id
    counted = counted_launches(kernel.launches)
    if not same_device:
        counted = for_another_device(counted)
    weighed = weighed_launches(counted, weigh)
    judged = judged_launch(weighed) if weighed else None
    if not of_triton and not kernel.launches[-1].is_cuda_source:
        found.types[kernel.key] = _types(kernel, weighed, judged)
    found.lines += [replace(one, entity=_DEFECTS[entity]) for one in _defects(kernel)]
    if judged is None:
        return
    assumptions = _assumptions(kernel, judged, counted, device, "predicted to take longest")
    together = launches_as_long(weighed, judged, len(kernel.launches))
    record.know("simulated", assumptions, launches_as_long=together)
    if of_triton:
        record.know("simulated", assumptions, launches=float(len(kernel.launches)))
        tell_triton_kernel(record, judged, device, same_device, assumptions)
        found.lines += triton_line_readings(kernel.key, judged.statistics, _moved(kernel), assumptions)
        return
    readings = kernel_readings(judged.statistics, device, same_device)
    record.know("simulated", assumptions, **readings)
    record.know("simulated", assumptions, launches=float(len(kernel.launches)))
    found.lines += _lines(kernel, judged, assumptions)
    if len(weighed) > 1:
        found.different[kernel.key] = partial(_different, kernel, weighed, judged, device)
        found.lines += _places(kernel, weighed) if same_device else []


def _different(
    kernel: _Kernel, weighed: Sequence[Weighed], judged: Counted, device: Device
) -> list[DifferentLaunch]:
    """The launches of a kernel that differ, each with what it tells alone."""
    same_device = kernel.run.device == device.id
    counted = [one.launch for one in weighed]
    found = []
    for one in weighed:
        statistics = one.launch.statistics
        record = Record("kernel", kernel.key, kernel.path, Span(kernel.line), kernel.name)
        readings = kernel_readings(statistics, device, same_device)
        assumptions = _assumptions(kernel, one.launch, counted, device, "one")
        record.know("simulated", assumptions, **readings, launches=float(len(kernel.launches)))
        lines = _lines(kernel, one.launch, assumptions)
        seconds = one.weight[0] if same_device and one.weight[0] else None
        alike = _types_of(one.launch.row) == _types_of(judged.row)
        found.append(DifferentLaunch(one.launch.launches, seconds, record, lines, alike))
    return found


def _lines(kernel: _Kernel, launch: Counted, assumptions: tuple[str, ...]) -> list[LineReading]:
    """What one launch tells of the lines of a kernel."""
    moved = _moved(kernel)
    lines = line_readings(kernel.key, launch.statistics, (), moved, assumptions)
    if launch.row.is_cuda_source:
        return list(pointer_readings(lines, launch.statistics, moved))
    return lines


def _types_of(row: LaunchRow) -> list[tuple[object, ...]]:
    return [(one["name"], one["type"], one.get("dtype")) for one in row.arguments]


def _places(kernel: _Kernel, weighed: Sequence[Weighed]) -> list[LineReading]:
    """The predicted time of the launches of each place over that of the place where they take longest.

    Nothing is told of a file that has changed since the run, for its lines may have moved.
    """
    seconds: dict[tuple[str, int], float] = {}
    for one in weighed:
        for (path, line), launches in one.launch.places.items():
            if path is not None and line is not None:
                share = one.weight[0] * launches / one.launch.launches
                seconds[path, line] = seconds.get((path, line), 0.0) + share
    longest = max(seconds.values(), default=0.0)
    if not longest or sum(one.launch.launches for one in weighed) < len(kernel.launches):
        return []
    return [
        LineReading(
            "launch", kernel.key, kernel.names.shown(path), line, "", "", "",
            {"share_of_longest": part / longest},
        )
        for (path, line), part in seconds.items()
        if _is_older(kernel.names.recorded_from / path, kernel.run)
    ]  # fmt: skip


def _is_older(file: Path, run: RunRow) -> bool:
    """Whether a file has not changed since a run began."""
    try:
        return file.stat().st_mtime <= run.started
    except OSError:
        return False


def _defects(kernel: _Kernel) -> list[LineReading]:
    """The defects that any launch showed, each as the launch that met it most often did."""
    found: dict[tuple[Any, ...], tuple[LaunchRow, dict[str, Any]]] = {}
    showing: Counter[tuple[Any, ...]] = Counter()
    for row in kernel.launches:
        for one in row.defects:
            key = one["kind"], one["path"], one["line"], one["array"], one["access"]
            showing[key] += 1
            if key not in found or one["count"] > found[key][1]["count"]:
                found[key] = row, one
    return [
        defect_reading(
            kernel.key, one, _moved(kernel),
            (f"{_ran(kernel, row)}.", *_shown(one, showing[key], len(kernel.launches))),
        )
        for key, (row, one) in found.items()
    ]  # fmt: skip


def _shown(defect: dict[str, Any], showing: int, launches: int) -> list[str]:
    """In how many launches a defect was seen; copies are looked at once for each place."""
    return [in_launches(showing, launches)] if launches > 1 and defect["block"] else []


def _ran(kernel: _Kernel, row: LaunchRow) -> str:
    """Where and how a launch was simulated, in words."""
    shape = f"grid {_shape(row.grid)}, block {_shape(row.block)}"
    return f"Simulated without a GPU: {_place(kernel, row)}, {shape}"


def _types(kernel: _Kernel, weighed: Sequence[Weighed], judged: Counted | None) -> tuple[ArgumentTypes, ...]:
    """The typings of a kernel's launches, that of the judged launch first; on a GPU by the time it took."""
    if judged is None:
        weights = [(row, row.seconds) for row in kernel.launches]
    else:
        order = sorted(weighed, key=lambda one: one.weight)
        weights = [(one.launch.row, float(place)) for place, one in enumerate(order, 1)]
        weights += [(judged.row, math.inf)]
        weights += [(row, 0.0) for row in kernel.launches if not row.statistics]
    return launched_types(weights, lambda row: _place(kernel, row))


def _place(kernel: _Kernel, row: LaunchRow) -> str:
    shown = kernel.names.shown(row.launch_path) if row.launch_path else None
    return f"{shown}:{row.launch_line}" if shown else "a recorded launch"


def _moved(kernel: _Kernel) -> Move:
    """What gives a place's path and line as they are now: lines of the kernel's file move with it."""

    def moved(path: str, line: int) -> tuple[str, int]:
        shown = kernel.names.shown(path)
        return shown, line + kernel.moved if shown == kernel.path else line

    return moved


def _assumptions(
    kernel: _Kernel, judged: Counted, counted: Sequence[Counted], device: Device, stands: str
) -> tuple[str, ...]:
    """Where the numbers of a launch come from; `stands` says what it is among the others."""
    launches = len(kernel.launches)
    among = f", {_among(judged.launches, launches, len(counted), stands)}" if launches > 1 else ""
    of_workload = kernel.run.command.startswith("workload ")
    old = "" if of_workload else f", {_ago(kernel.run)} ago"
    found = [f"{_ran(kernel, judged.row)}{among}{old}."]
    if not judged.statistics.ended:
        found.append("The launch was stopped before its end; the counts are those until then.")
    if kernel.run.device != device.id:
        found.append(_other_device(kernel.run, device))
    elif not judged.statistics.detailed:
        found.append("The launch was not looked at access by access: hit rates and races are not known.")
    unknown = launches - sum(one.launches for one in counted)
    if unknown:
        found.append(f"{unknown} of the launches have no counts in the record.")
    return tuple(found)


def _ago(run: RunRow) -> str:
    return age(max(0.0, time.time() - run.started))


def _among(alike: int, launches: int, different: int, stands: str) -> str:
    """How the launch that numbers are of stands among all of its kernel."""
    if different == 1 and alike == launches:
        return f"as all {launches} launches"
    if alike == 1:
        return f"{stands} of {launches} launches"
    longest = "" if stands == "one" else f", {stands} together"
    return f"one of {alike} with the same counts{longest} of {launches} launches"


def _shape(extent: Sequence[int]) -> str:
    numbers = list(extent)
    while len(numbers) > 1 and numbers[-1] == 1:
        numbers.pop()
    return " x ".join(map(str, numbers))


def _run_key(run: RunRow) -> str:
    return f"run {run.started} {run.id}"


def run_started(key: str) -> float | None:
    """When the run of a record's key began, in seconds since the epoch; None for another key."""
    parts = key.split(" ")
    try:
        return float(parts[1]) if len(parts) == 3 and parts[0] == "run" else None
    except ValueError:
        return None


def _other_device(run: RunRow, device: Device) -> str:
    """What is missing where launches were simulated for another device."""
    of_workload = run.command.startswith("workload ")
    again = "" if of_workload else f": `advisor run --device {device.id} {run.command}`"
    return (
        f"Simulated for {run.device}: the counts are taken to be those on {device.id}, but hit rates and the "
        f"predicted time are unknown until it is simulated for that device{again}."
    )


def _tell_runs(found: LaunchEvidence, kernels: Sequence[_Kernel], device: Device) -> None:
    for run in {kernel.run.id: kernel.run for kernel in kernels}.values():
        if run.device != device.id and run.executed_on == "simt":
            found.notices.append(_other_device(run, device))
        record = Record("run", _run_key(run), run.command, Span(1), run.command)
        record.know("simulated", active_kernels=float(sum(kernel.run.id == run.id for kernel in kernels)))
        found.records.append(record)
