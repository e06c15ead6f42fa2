"""A workload run once on the SIMT machine: predicted times and all that was counted."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from advisor.evidence.metrics.derived import derive_all
from advisor.evidence.metrics.launch_weight import launch_weight
from advisor.evidence.simulated.launches.judged_launch import (
    Counted,
    Weighed,
    counted_launches,
    judged_launch,
    launches_as_long,
    weighed_launches,
)
from advisor.evidence.simulated.launches.readings.kernel_readings import kernel_readings
from advisor.evidence.simulated.launches.readings.line_readings import line_readings
from advisor.evidence.simulated.launches.store import LaunchRow, LaunchStore
from advisor.evidence.simulated.launches.workloads import WorkloadFunction
from advisor.evidence.simulated.simt.counts import Statistics
from advisor.model.devices import Device
from advisor.model.history.fingerprint import Fingerprint, KernelIdentity, LineMetrics, Timing
from advisor.model.processes.units_of_work import Executor, Place, Task, content_key
from advisor.model.records import Record, Value, kernel_key
from advisor.model.settings.check_options import CheckOptions
from advisor.model.storage.cache import workers_cache_folder
from advisor.model.text.source_text import Span
from advisor.runs.profiling.compiled_facts import CompiledFacts
from advisor.runs.profiling.rates import achieved_rates
from advisor.runs.profiling.worker.identities import identity_of
from advisor.runs.profiling.worker.process import Iteration, RunFailed, WorkerProcess


@dataclass(frozen=True)
class Prediction:
    """One run of a workload on the SIMT machine; `problem` says why there is none, `notes` what it lacks."""

    fingerprints: tuple[Fingerprint, ...] = ()
    iteration: Iteration | None = None
    problem: str = ""
    notes: tuple[str, ...] = ()
    rows: tuple[LaunchRow, ...] = field(default=(), repr=False)


def predict(
    path: str, name: str, device: Device, options: CheckOptions, compiled: CompiledFacts
) -> Prediction:
    """The prediction for the workload `name` of the file `path`, relative to the project's root."""
    root = options.settings.root
    with tempfile.TemporaryDirectory(prefix="advisor-profile-") as folder:
        try:
            seconds, cache = options.settings.workload_seconds, options.cache_folder is not None
            with WorkerProcess(root, path, seconds, device.id, folder, cache) as worker:
                worker.gpu()
                iteration = worker.run(name, timed=True)
                kernels = list(worker.kernels)
        except RunFailed as error:
            return Prediction(problem=str(error))
        rows = _rows(LaunchStore(root, Path(folder)))
    launched = [(identity_of(kernels[one.kernel]), kernels[one.kernel]["line"]) for one in iteration.launches]
    if len(launched) != len(rows):
        launched = [(_identity(row), row.line) for row in rows]
    fingerprints, notes = _fingerprints(rows, launched, device, compiled)
    return Prediction(tuple(fingerprints), iteration, "", tuple(notes), tuple(rows))


def had_predictions(
    workloads: Sequence[WorkloadFunction], device: Device, options: CheckOptions, executor: Executor
) -> Iterator[Prediction]:
    """The predictions for workloads, in order, made by an executor elsewhere."""
    place = executor.place(options.settings.root)
    travelling = replace(options, executor=None)
    tasks = [
        Task(
            content_key("profile", place.digest, one.path, one.name, device.id, repr(travelling)),
            _predict_at,
            (place, one.path, one.name, device, travelling),
        )
        for one in workloads
    ]
    early: dict[int, Prediction] = {}
    awaited = 0
    for number, prediction in executor.results(tasks):
        early[number] = prediction
        while awaited in early:
            yield early.pop(awaited)
            awaited += 1


def _predict_at(place: Place, path: str, name: str, device: Device, options: CheckOptions) -> Prediction:
    """The prediction for a workload of a project where it lies."""
    with place.opened() as root:
        here = replace(
            options,
            root=root,
            settings=replace(options.settings, root=root),
            cache_folder=workers_cache_folder(options.cache_folder),
        )
        found = predict(path, name, device, here, CompiledFacts(here))
        return replace(found, problem=place.told(found.problem, root))


def _rows(store: LaunchStore) -> list[LaunchRow]:
    try:
        files = [path for run in store.runs() for path in store.kernel_files(run.id)]
        found = [row for rows in store.latest(sorted(set(files))).values() for _, row in rows]
    finally:
        store.close()
    return sorted(found, key=lambda row: row.number)


def _identity(row: LaunchRow) -> KernelIdentity:
    grid, block = row.grid, row.block
    return KernelIdentity(
        row.kernel,
        row.path or None,
        row.function_hash or None,
        tuple(str(one["type"]) for one in row.arguments),
        (grid[0], grid[1], grid[2]),
        (block[0], block[1], block[2]),
        row.dynamic_shared,
    )


def _fingerprints(
    rows: Sequence[LaunchRow],
    launched: Sequence[tuple[KernelIdentity, int | None]],
    device: Device,
    compiled: CompiledFacts,
) -> tuple[list[Fingerprint], list[str]]:
    groups: dict[KernelIdentity, list[LaunchRow]] = {}
    lines: dict[KernelIdentity, int | None] = {}
    for row, (who, line) in zip(rows, launched, strict=True):
        groups.setdefault(who, []).append(row)
        lines.setdefault(who, line)
    compiled.prepare({who.path for who in groups if who.path})
    found, notes = [], []
    for who, those in groups.items():
        one = _fingerprint(who, lines[who], those, device, compiled)
        found.append(one)
        if one.timing is None:
            notes.append(why_no_time(who.name, one.metrics, device))
    return found, list(dict.fromkeys(notes))


def why_no_time(name: str, metrics: Mapping[str, Value], device: Device) -> str:
    """Why no time is predicted for a kernel of these metrics, as a sentence."""
    missing = [
        told
        for told, known in (
            ("the number of SMs", device.sm_count),
            ("the boost clock", device.boost_clock),
            ("the L2 size", device.l2_bytes),
        )
        if known is None
    ]
    if missing:
        unknown = " and ".join(missing)
        return f"No time is predicted for {device.name}: its device file does not know {unknown}."
    if "registers" not in metrics:
        return f"No time is predicted for {name}: its occupancy is unknown without its machine code."
    return f"No time is predicted for {name}: its launches were stopped, or not looked at access by access."


def _fingerprint(
    who: KernelIdentity,
    line: int | None,
    rows: Sequence[LaunchRow],
    device: Device,
    compiled: CompiledFacts,
) -> Fingerprint:
    counted = counted_launches(rows)
    key = kernel_key(who.path or "", who.name, line or 1)
    record = Record("kernel", key, who.path or "", Span(line or 1), who.name)
    record.readings.update(compiled.readings(who.path or "", who.name))
    record.know("simulated", launches=float(len(rows)))
    places: tuple[LineMetrics, ...] = ()
    each: list[Record] = []
    weighed: list[Weighed] = []
    if counted:
        each = [_predicted(record, one, device) for one in counted]
        weighed = weighed_launches(counted, partial(launch_weight, device=device))
        judged = judged_launch(weighed)
        record = each[counted.index(judged)]
        places = _lines(key, judged.statistics, _with_all_defects(judged.row, counted))
    else:
        derive_all([record], device)
    metrics = {name: reading.value for name, reading in record.readings.items()}
    timing = None
    predicted = metrics.get("predicted_ms")
    if isinstance(predicted, float):
        # A model that gives the same time each time has no variation that could be told.
        timing = Timing(1, predicted, predicted, 0.0, predicted, predicted, (predicted,))
        metrics["latency_ms"] = _together(each, weighed, judged, len(rows))
        metrics = {**achieved_rates(predicted, metrics, device), **metrics}
    return Fingerprint(who, "simulated", len(rows), timing, metrics, places, line=line)


def _predicted(kernel: Record, one: Counted, device: Device) -> Record:
    """The record of a kernel with what a launch counted, and what follows from it."""
    record = Record(kernel.entity, kernel.key, kernel.path, kernel.span, kernel.label)
    record.readings.update(kernel.readings)
    record.know("simulated", (), **kernel_readings(one.statistics, device, True))
    derive_all([record], device)
    return record


def _together(each: Sequence[Record], weighed: Sequence[Weighed], judged: Counted, launches: int) -> float:
    """The predicted time of all launches in ms.

    One that was not looked at access by access takes as many times as long as the judged one as it weighs.
    """
    times = [one.value("predicted_ms") for one in each]
    known = [one for one in times if isinstance(one, float)]
    if len(known) == len(times):
        counted = sum(one.launch.launches for one in weighed)
        together = sum(time * one.launch.launches for time, one in zip(known, weighed, strict=True))
        return together * launches / counted
    of_judged = next(time for time, one in zip(times, weighed, strict=True) if one.launch is judged)
    as_long = launches_as_long(weighed, judged, launches)
    return float(of_judged or 0.0) * (as_long or launches)


def _with_all_defects(row: LaunchRow, counted: Sequence[Counted]) -> LaunchRow:
    """A launch with the defects that any of the launches showed."""
    found = {
        (defect["kind"], defect["path"], defect["line"], defect["array"]): defect
        for one in counted
        for defect in one.row.defects
    }
    return replace(row, defects=list(found.values()))


def _lines(key: str, counted: Statistics, row: LaunchRow) -> tuple[LineMetrics, ...]:
    found = []
    for one in line_readings(key, counted, row.defects, lambda path, line: (path, line), ()):
        values: dict[str, Value] = {name: value for name, value in one.values.items() if value is not None}
        told = {"array": one.array, "space": one.space, "kind": one.kind}
        values |= {name: text for name, text in told.items() if text and one.entity in ("access", "atomic")}
        found.append(LineMetrics(one.path, one.line, one.entity, values))
    return tuple(found)
