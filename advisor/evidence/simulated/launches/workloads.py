"""Workloads: functions beside kernels that launch them with typical data, found by their name.

A workload is a function at the top of a module that is called `workload` or `workload_…` and can be called
without arguments. Nothing of advisor has to be imported for it.
"""

from __future__ import annotations

import ast
import atexit
import hashlib
import json
import os
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from advisor import __version__
from advisor.evidence.simulated.launches.function_text import read_source
from advisor.evidence.simulated.launches.processes.warm_processes import Start, run_process
from advisor.evidence.simulated.launches.store import LaunchStore
from advisor.model.processes.units_of_work import Executor, Place, Task, ThisMachine, content_key, in_order
from advisor.model.text.notebooks import is_notebook
from advisor.model.text.syntax_trees import syntax_tree

_NAME = "workload"
_TAIL = 2000


@dataclass(frozen=True)
class WorkloadFunction:
    """A workload: the file, relative to the root, and the function's name."""

    path: str
    name: str
    line: int

    @property
    def command(self) -> str:
        """How the record calls a run of it."""
        return f"workload {self.path}::{self.name}"

    @property
    def files(self) -> tuple[str, ...]:
        """The files whose kernels it is there for."""
        return (self.path,)

    def moved(self, root: Path) -> WorkloadFunction:
        """The same workload of a copy of the project."""
        del root
        return self

    def run(
        self,
        store: LaunchStore,
        device: str,
        seconds: float,
        cache_folder: Path | None,
        kept: KeptOutputs,
        predictor: str = "",
    ) -> str:
        """What went wrong in a run whose outputs are kept, an empty text where nothing did."""
        problems = run_workloads(store, [self], device, seconds, 1, cache_folder, kept, predictor)
        return problems[0].message if problems else ""


@dataclass(frozen=True)
class WorkloadProblem:
    """A workload that did not end well: its place and the last line that it said."""

    path: str
    line: int
    message: str


@dataclass(frozen=True)
class KeptOutputs:
    """Where to keep what launches wrote, and how many bytes of it at most."""

    folder: Path
    most_bytes: int


def find_workloads(path: str, text: str) -> list[WorkloadFunction]:
    """The workloads in the text of a file; none of a notebook, which is never run. Nothing is imported."""
    if _NAME not in text or is_notebook(path):
        return []
    try:
        tree = syntax_tree(text)
    except (SyntaxError, ValueError, RecursionError):
        return []
    return [
        WorkloadFunction(path, node.name, node.lineno)
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
        and (node.name == _NAME or node.name.startswith(f"{_NAME}_"))
        and _callable_bare(node.args)
    ]


def _callable_bare(arguments: ast.arguments) -> bool:
    named = [*arguments.posonlyargs, *arguments.args]
    return len(named) == len(arguments.defaults) and all(
        default is not None for default in arguments.kw_defaults
    )


def file_hash(path: Path) -> str | None:
    """A hash of a file's bytes, None where it cannot be read."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    except OSError:
        return None


def is_fresh(store: LaunchStore, workload: WorkloadFunction, device: str) -> bool:
    """Whether a record of the workload exists and no file that it imported has changed since."""
    if not store.exists():
        return False
    inputs = store.last_inputs(workload.command, device)
    if not inputs or inputs.get("advisor") != __version__:
        return False
    return all(file_hash(store.root / path) == known for path, known in inputs.items() if path != "advisor")


def workload_folder(cache_folder: Path | None) -> Path:
    """Where runs of workloads are recorded: in the cache, or for this process only where there is none."""
    if cache_folder is not None:
        return cache_folder / "workloads"
    folder = tempfile.TemporaryDirectory(prefix="advisor-")
    atexit.register(folder.cleanup)
    return Path(folder.name)


def run_workloads(
    store: LaunchStore,
    workloads: Sequence[WorkloadFunction],
    device: str,
    seconds: float,
    jobs: int,
    cache_folder: Path | None,
    outputs: KeptOutputs | None = None,
    predictor: str = "",
    executor: Executor | None = None,
) -> list[WorkloadProblem]:
    """What went wrong, by place; runs workloads in processes of their own, those of one file in one process.

    `outputs` says where to keep what the launches of a single workload wrote, `predictor` names the class
    that predicts the elapsed times of events, as `module:class`. An `executor` elsewhere has them run in
    copies of the project, unless outputs are to be kept.
    """
    by_file: dict[str, list[WorkloadFunction]] = {}
    for workload in workloads:
        by_file.setdefault(workload.path, []).append(workload)
    groups = list(by_file.values())
    if executor is not None and executor.elsewhere and outputs is None:
        how = _Elsewhere(device, seconds, cache_folder, predictor)
        found = _run_elsewhere(store, groups, how, executor)
    else:
        run = _Run(store, device, seconds, cache_folder, outputs, predictor)
        tasks = [Task("", run.part, (part,)) for part in _shared_out(groups, jobs)]
        found = in_order(ThisMachine(jobs).results(tasks))
    problems = [problem for part in found for problem in part]
    return sorted(problems, key=lambda one: (one.path, one.line))


@dataclass(frozen=True)
class _Elsewhere:
    """How workloads are run in copies of the project."""

    device: str
    seconds: float
    cache_folder: Path | None
    predictor: str


def _run_elsewhere(
    store: LaunchStore, groups: Sequence[list[WorkloadFunction]], how: _Elsewhere, executor: Executor
) -> list[list[WorkloadProblem]]:
    """What went wrong in the workloads of each file, which is a task; records are added in order."""
    place = executor.place(store.root)
    folder = _inside(Path.cwd(), store.root)
    tasks = [
        Task(
            content_key("workloads", place.digest, [vars(one) for one in group], vars(how), folder),
            _part_there,
            (place, group, how, folder),
        )
        for group in groups
    ]
    found = in_order(executor.results(tasks))
    for _, record in found:
        store.adopt(record)
    return [problems for problems, _ in found]


def _part_there(
    place: Place, workloads: list[WorkloadFunction], how: _Elsewhere, folder: str
) -> tuple[list[WorkloadProblem], bytes]:
    """What went wrong in workloads that are run in a copy of their project, and the record of them."""
    with place.opened() as root, tempfile.TemporaryDirectory(prefix="advisor-") as record:
        store = LaunchStore(root, Path(record))
        run = _Run(store, how.device, how.seconds, how.cache_folder, None, how.predictor, root / folder)
        problems = [replace(one, message=place.told(one.message, root)) for one in run.part(workloads)]
        return problems, store.content()


def _inside(folder: Path, root: Path) -> str:
    """A folder as seen from the root; the root itself for one that lies outside."""
    folder, root = folder.resolve(), root.resolve()
    return folder.relative_to(root).as_posix() if folder.is_relative_to(root) else "."


def _shared_out(groups: list[list[WorkloadFunction]], jobs: int) -> list[list[WorkloadFunction]]:
    parts: list[list[WorkloadFunction]] = [[] for _ in range(max(1, min(jobs, len(groups))))]
    for number, group in enumerate(groups):
        parts[number % len(parts)].extend(group)
    return [part for part in parts if part]


@dataclass(frozen=True)
class _Run:
    """How workloads are run, for all parts."""

    store: LaunchStore
    device: str
    seconds: float
    cache_folder: Path | None
    outputs: KeptOutputs | None
    predictor: str
    folder: Path | None = None

    def part(self, workloads: Sequence[WorkloadFunction]) -> list[WorkloadProblem]:
        """What went wrong in the workloads of one process."""
        with tempfile.TemporaryDirectory() as folder:
            answer, asked, errors = (
                Path(folder) / name for name in ("answer.json", "request.json", "errors")
            )
            asked.write_text(json.dumps(self._request(workloads, answer)), encoding="utf-8")
            start = Start(
                "advisor.evidence.simulated.launches.processes.worker",
                asked,
                errors,
                {**os.environ, "PYTHONFAULTHANDLER": "1"},
                folder=self.folder,
            )
            try:
                status = run_process(start, self.seconds * len(workloads) + 60.0)
            except subprocess.TimeoutExpired:
                return [_problem(one, f"it did not end within {self.seconds:g} s") for one in workloads]
            said = errors.read_text(encoding="utf-8", errors="replace")
            return _answers(workloads, answer, status, said)

    def _request(self, workloads: Sequence[WorkloadFunction], answer: Path) -> dict[str, object]:
        request: dict[str, object] = {
            "root": str(self.store.root),
            "folder": str(self.store.file.parent),
            "device": self.device,
            "workloads": [[one.path, one.name] for one in workloads],
            "seconds": self.seconds,
            "cache": self.cache_folder is not None,
            "answer": str(answer),
            "predictor": self.predictor,
        }
        if self.outputs is not None:
            request |= {"outputs": str(self.outputs.folder), "most_bytes": self.outputs.most_bytes}
        return request


def _answers(
    workloads: Sequence[WorkloadFunction], answer: Path, status: int, errors: str
) -> list[WorkloadProblem]:
    text = read_source(answer)
    answers = json.loads(text) if text else {}
    found = []
    for one in workloads:
        said = answers.get(f"{one.path}::{one.name}")
        if said is None:
            said = f"its process ended with status {status}: {last_words_of(errors)[:_TAIL]}"
        if said:
            found.append(_problem(one, said))
    return found


def last_words_of(stderr: str) -> str:
    """The line that tells why a process ended. Python's report of a crash ends with a list of modules; its
    first line, and what a library said before it, tell more.
    """
    lines = stderr.strip().splitlines() or ["no output"]
    for before, line in zip(["", *lines], lines, strict=False):
        if line.startswith("Fatal Python error"):
            return f"{line} {before}" if "ssertion" in before or "terminate called" in before else line
    return lines[-1]


def _problem(workload: WorkloadFunction, said: str) -> WorkloadProblem:
    return WorkloadProblem(workload.path, workload.line, f"`{workload.name}()` failed: {said}")


def stale_workloads(
    store: LaunchStore, texts: Iterable[tuple[str, str]], device: str
) -> list[WorkloadFunction]:
    """The workloads in files, given as paths and texts, that have no fresh record."""
    return [
        workload
        for path, text in texts
        for workload in find_workloads(path, text)
        if not is_fresh(store, workload, device)
    ]
