"""Who is asked to try configurations: one process of this machine, or workers elsewhere."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any, Protocol

from advisor.model.devices import Device, find_device
from advisor.model.errors import AdvisorError, UsageError
from advisor.model.processes.units_of_work import Executor, Place, Task, content_key
from advisor.runs.tuning.trials.trial_worker import TrialWorker

Answer = dict[str, Any]


@dataclass(frozen=True)
class Question:
    """What a trial is asked: the texts of files, by their paths as they are shown, and where these files lie
    from the project's root; the workloads (path from the root, name); how many bytes of outputs are kept, 0
    to compare with those that are; within how many seconds, and within how many each launch.
    """

    texts: Mapping[str, str]
    files: Mapping[str, str]
    workloads: tuple[tuple[str, str], ...]
    device: str
    tolerance: float
    keep: int
    seconds: float
    launch_seconds: float


class Asking(Protocol):
    """Has trials made. Raises AdvisorError where the process ends without an answer."""

    def ask(self, question: Question) -> Answer:
        """The answer of the trial process; files in it are called as they are shown."""

    def ahead(self, questions: Sequence[Question], until: float) -> None:
        """Have trials begun that will be asked about next, until a time (of `time.monotonic`)."""

    def close(self) -> None:
        """End what is under way."""


class AskingHere:
    """Asks one process of this machine, which forks for each trial; `project` is the project's root."""

    def __init__(self, device: Device, project: Path) -> None:
        self._worker, self._project = TrialWorker(device), project

    def ask(self, question: Question) -> Answer:
        """The answer."""
        return _asked(self._worker, self._project, question)

    def ahead(self, questions: Sequence[Question], until: float) -> None:
        """Nothing: one trial is made at a time."""

    def close(self) -> None:
        """End the process."""
        self._worker.close()


class AskingElsewhere:
    """Asks an executor: trials are made in copies of the project, and the outputs to compare with stay there.

    Raises UsageError where a file lies outside of the project.
    """

    def __init__(self, executor: Executor, project: Path) -> None:
        self._executor, self._place = executor, executor.place(project)
        self._project = project
        self._present: tuple[str, Any] = ("", None)
        self._answers: dict[str, Answer] = {}

    def ask(self, question: Question) -> Answer:
        """The answer; of what keeps outputs, the first."""
        for path in (*question.files.values(), *(path for path, _ in question.workloads)):
            if path.startswith("../"):
                raise UsageError(f"--cluster: {path} lies outside of the project {self._project}.")
        if question.keep:
            key = self._key(question)
            held = self._executor.held(Task(key, _present_there, (self._place, question)))
            self._present = (key, held)
            return self._executor.result(Task(f"answer-{key}", _answer_of, (held,)))
        known = self._answers.pop(self._key(question), None)
        return known if known is not None else self._executor.result(self._task(question))

    def ahead(self, questions: Sequence[Question], until: float) -> None:
        """Have trials made at once, as many as there are workers."""
        tasks = [self._task(one) for one in questions]
        for number, answer in self._executor.results(tasks, until):
            self._answers[tasks[number].key] = answer

    def close(self) -> None:
        """Nothing is under way."""

    def _task(self, question: Question) -> Task[Answer]:
        return Task(
            self._key(question), _trial_there, (self._place, question, self._present[0], self._present[1])
        )

    def _key(self, question: Question) -> str:
        # The time that is left for a trial decides nothing but whether it is made.
        asked = {**vars(question), "seconds": 0}
        return content_key("tune", self._place.digest, self._present[0], asked)


@dataclass(frozen=True)
class Present:
    """The trial of the files as they are: its answer, and its outputs by the names of their files."""

    answer: Answer
    outputs: dict[str, bytes]


_workers: dict[str, TrialWorker] = {}
_loaded: dict[str, str] = {}
_one_at_a_time = Lock()


def _present_there(place: Place, question: Question) -> Present:
    with _one_at_a_time:
        worker = _own_worker(question.device)
        _loaded.pop(question.device, None)
        _put(worker, {})
        answer = _asked_there(worker, place, question)
        outputs = {
            file.relative_to(_outputs(worker)).as_posix(): file.read_bytes()
            for file in sorted(_outputs(worker).rglob("*"))
            if file.is_file()
        }
        return Present(answer, outputs)


def _answer_of(present: Present) -> Answer:
    return present.answer


def _trial_there(place: Place, question: Question, key: str, present: Present) -> Answer:
    with _one_at_a_time:
        worker = _own_worker(question.device)
        if _loaded.get(question.device) != key:
            _put(worker, present.outputs)
            _loaded[question.device] = key
        return _asked_there(worker, place, question)


def _asked_there(worker: TrialWorker, place: Place, question: Question) -> Answer:
    with place.opened() as root:
        try:
            answer = _asked(worker, root, question)
        except AdvisorError:
            _workers.pop(question.device).close()
            _loaded.pop(question.device, None)
            raise
        found: Answer = json.loads(place.told(json.dumps(answer), root))
        return found


def _own_worker(device: str) -> TrialWorker:
    """The process of this worker for trials, which has imported Numba from the second task on."""
    if device not in _workers:
        _workers[device] = TrialWorker(find_device(device))
    return _workers[device]


def _outputs(worker: TrialWorker) -> Path:
    return worker.folder / "outputs"


def _put(worker: TrialWorker, outputs: Mapping[str, bytes]) -> None:
    """Have only these outputs to compare with."""
    shutil.rmtree(_outputs(worker), ignore_errors=True)
    for name, content in outputs.items():
        file = _outputs(worker) / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)


def _asked(worker: TrialWorker, project: Path, question: Question) -> Answer:
    """The answer of a trial process about a project."""
    copies = {}
    for number, (shown, text) in enumerate(question.texts.items()):
        copy = worker.folder / "copies" / str(number) / Path(shown).name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(text.encode("utf-8"))
        copies[shown] = copy
    request = {
        "copies": [[str(project / question.files[shown]), str(copy)] for shown, copy in copies.items()],
        "workloads": [[str(project / path), name] for path, name in question.workloads],
        "root": str(project),
        "keep": question.keep,
        "tolerance": question.tolerance,
        "seconds": question.seconds,
    }
    text = json.dumps(worker.ask(request, question.launch_seconds))
    for shown, copy in copies.items():
        text = text.replace(_escaped(str(copy)), _escaped(shown))
    found: Answer = json.loads(text)
    return found


def _escaped(text: str) -> str:
    return json.dumps(text)[1:-1]


def from_project(file: Path, project: Path) -> str:
    """The path of a file from the project's root."""
    return os.path.relpath(file, project).replace(os.sep, "/")
