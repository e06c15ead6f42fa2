"""One version of a project run on the simulated GPU: what its kernels wrote, and what was counted."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

import numpy.typing as npt

from advisor.check.pipeline import gather
from advisor.evidence.metrics.derived.timing import resource_times
from advisor.evidence.metrics.predicted_times import NAME as PREDICTOR
from advisor.evidence.metrics.tables import Table, kernel_tables
from advisor.evidence.simulated.launches.recording.kept_outputs import read_outputs
from advisor.evidence.simulated.launches.store import FOLDER, LaunchStore
from advisor.evidence.simulated.launches.workloads import KeptOutputs
from advisor.model.devices import Device, find_device
from advisor.model.processes.units_of_work import Here, Place, Task, ThisMachine, content_key
from advisor.model.records import Record, Value
from advisor.model.settings.check_options import CheckOptions
from advisor.model.storage.cache import workers_cache_folder
from advisor.model.text.source_text import Span
from advisor.runs.verification.numbers import verification_numbers
from advisor.runs.verification.shadow_tree import ShadowTree

# What is wrong in launches, by the kernels that it belongs to.
_DEFECTS = (("defect", "kernel"), ("triton_defect", "triton_kernel"))


class Runnable(Protocol):
    """What launches kernels: a workload, or a program that was recorded. `path` is its file, `files` are
    those whose kernels it launches, all from the project's root.
    """

    @property
    def path(self) -> str:
        """Its file."""

    @property
    def name(self) -> str:
        """What tells it from others."""

    @property
    def files(self) -> tuple[str, ...]:
        """The files whose kernels it launches."""

    def moved(self, root: Path) -> Runnable:
        """The same in a copy of the project."""

    def run(
        self,
        store: LaunchStore,
        device: str,
        seconds: float,
        cache_folder: Path | None,
        kept: KeptOutputs,
        predictor: str = "",
    ) -> str:
        """What went wrong in a run in the store's root, an empty text where nothing did.

        `predictor` names the class that predicts the elapsed times of events, as `module:class`.
        """


@dataclass(frozen=True)
class KernelMetrics:
    """A kernel of a trial and its metrics: predicted_ms of its longest launch, its number of launches.

    `resources` are the seconds that the model takes each resource to need alone for that launch.
    """

    path: str
    name: str
    metrics: Mapping[str, Value]
    resources: Mapping[str, float] = field(default_factory=dict)

    @property
    def predicted_ms(self) -> float | None:
        """The predicted time of one launch, None where it is not known."""
        value = self.metrics.get("predicted_ms")
        return float(value) if isinstance(value, float) else None


@dataclass(frozen=True)
class Trial:
    """What became of a run: why it failed or an empty text, outputs by name and whether these are all,
    kernels by path and name, and defects (kind, kernel) that it showed.
    """

    problem: str
    whole: bool = False
    outputs: Mapping[str, npt.NDArray[Any]] = field(default_factory=dict)
    kernels: Mapping[tuple[str, str], KernelMetrics] = field(default_factory=dict)
    defects: frozenset[tuple[str, str]] = frozenset()


def trial(runnables: Sequence[Runnable], texts: Mapping[str, str], options: CheckOptions) -> Trial:
    """The trial of a project with `texts` in the place of some files; nothing of the project is written.

    Paths are relative to the project's root (`options.settings.root`), also those of the result.
    """
    try:
        with ShadowTree(options.settings.root, texts) as copy:
            return _run(copy, runnables, texts, options)
    except OSError as error:
        return Trial(f"a copy could not be made: {error}")


def had_trial(
    runnables: Sequence[Runnable],
    texts: Mapping[str, str],
    options: CheckOptions,
    attempt: int = 0,
) -> Trial:
    """The trial as `trial` makes it, made by the executor of `options`; each `attempt` is one of its own."""
    executor = options.executor or ThisMachine(1)
    place = executor.place(options.settings.root)
    travelling = replace(options, executor=None, workspace_files=None, stdin=None)
    decisive = (place.digest, [repr(one) for one in runnables], dict(texts), repr(travelling), attempt)
    key = content_key("trial", *decisive)
    return executor.result(Task(key, _trial_at, (place, tuple(runnables), dict(texts), travelling)))


def _trial_at(
    place: Place, runnables: Sequence[Runnable], texts: Mapping[str, str], options: CheckOptions
) -> Trial:
    """The trial of a project where it lies."""
    if isinstance(place, Here):
        return trial(runnables, texts, options)
    with place.opened() as root:
        here = replace(
            options,
            root=root,
            settings=replace(options.settings, root=root),
            cache_folder=workers_cache_folder(options.cache_folder),
        )
        found = trial([one.moved(root) for one in runnables], texts, here)
        return replace(found, problem=place.told(found.problem, root))


def _run(copy: Path, runnables: Sequence[Runnable], texts: Mapping[str, str], options: CheckOptions) -> Trial:
    settings = options.settings
    store = LaunchStore(copy, copy / FOLDER)
    outputs: dict[str, npt.NDArray[Any]] = {}
    whole = True
    for runnable in runnables:
        with tempfile.TemporaryDirectory(prefix="advisor-outputs-") as folder:
            kept = KeptOutputs(Path(folder), verification_numbers().most_bytes)
            seconds = settings.workload_seconds
            problem = runnable.run(store, options.device, seconds, options.cache_folder, kept, PREDICTOR)
            if problem:
                store.close()
                return Trial(problem)
            complete, arrays = read_outputs(Path(folder))
            whole = whole and complete
            outputs |= arrays if len(runnables) == 1 else _of(runnable, arrays)
    store.close()
    files = sorted({copy / path for path in {*texts, *(path for one in runnables for path in one.files)}})
    looked_at = replace(
        options,
        root=copy,
        no_run=True,
        evidence="simulated",
        settings=replace(settings, root=copy),
        workspace_files=(),
    )
    tables, _, _ = gather(files, looked_at)
    return Trial("", whole, outputs, _kernels(tables, find_device(options.device)), _defects(tables))


def _of(runnable: Runnable, arrays: Mapping[str, npt.NDArray[Any]]) -> dict[str, npt.NDArray[Any]]:
    """Outputs under names that tell workloads apart."""
    return {
        f"result of {runnable.name}{name[6:]}"
        if name.startswith("result")
        else f"{runnable.name}/{name}": value
        for name, value in arrays.items()
    }


def _kernels(tables: Mapping[str, Table], device: Device) -> dict[tuple[str, str], KernelMetrics]:
    found = {}
    rows = [(table, row) for table in kernel_tables(tables) for row in range(len(table))]
    for table, number in rows:
        path, label = table.paths[number], table.labels[number]
        metrics: dict[str, Value] = {}
        for name, column in table.columns.items():
            if column.source(number) is not None:
                value = column.values[number]
                metrics[name] = value if isinstance(value, str) else float(value)
        record = Record("kernel", "", path, Span(1), label)
        record.know("simulated", (), **metrics)
        found[path, label] = KernelMetrics(path, label, metrics, resource_times(record, device))
    return found


def _defects(tables: Mapping[str, Table]) -> frozenset[tuple[str, str]]:
    return frozenset(one for entity, of in _DEFECTS for one in _defects_of(tables, entity, of))


def _defects_of(tables: Mapping[str, Table], entity: str, of: str) -> Iterator[tuple[str, str]]:
    table = tables.get(entity)
    if table is None or not len(table) or "kind" not in table.columns:
        return
    kernels = tables[of]
    kinds = table.columns["kind"].values
    for number, owner in enumerate(int(one) for one in table.owners):
        yield str(kinds[number]), kernels.labels[owner] if owner >= 0 else ""
