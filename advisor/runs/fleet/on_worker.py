"""What a worker of the cluster does with a task, and how it ends one that nobody wants any more."""

from __future__ import annotations

import os
import pickle
import threading
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from distributed import Reschedule, Worker, get_worker

from advisor.model.errors import AdvisorError
from advisor.model.processes.interruption import end_processes_below
from advisor.runs.fleet.same_program import difference, program_facts

# What a result may take, packed. Whatever is larger belongs where it is made.
MOST_BYTES = 256 << 20
_MEGA = 1 << 20
_LOOK_SECONDS = 0.2
_NOT_WANTED = ("cancelled", "released", "forgotten")


class WrongWorker(AdvisorError):
    """A worker that would not give the same results."""


class ResultTooLarge(AdvisorError):
    """A result that does not travel."""


@dataclass(frozen=True)
class Slot:
    """Stands in the arguments of a task for the result of another one, by its number."""

    number: int


@dataclass(frozen=True)
class TaskMessage:
    """A task as it travels: what the worker must have like the sender, the work, its arguments, and how many
    bytes the result may take, packed.
    """

    facts: Mapping[str, str]
    work: Any
    arguments: tuple[Any, ...]
    most_bytes: int


def packed(value: Any) -> bytes:
    """A value as bytes that travel."""
    return zlib.compress(pickle.dumps(value, protocol=5), 1)


def unpacked(data: bytes) -> Any:
    """The value of bytes that travelled."""
    return pickle.loads(zlib.decompress(data))


def perform(message: bytes, *held: bytes) -> bytes:
    """The packed result of a task; `held` are the packed results that it needs.

    Raises WrongWorker where this is none that may do it, ResultTooLarge, and what the work raises. What the
    work has started is ended when the scheduler wants the result no more.
    """
    worker = get_worker()
    task: TaskMessage = unpacked(message)
    refuse(worker.address, program_facts(), task.facts, worker.state.nthreads)
    arguments = [unpacked(held[one.number]) if isinstance(one, Slot) else one for one in task.arguments]
    with _Watch(worker, worker.get_current_task()):
        result = packed(task.work(*arguments))
    if len(result) > task.most_bytes:
        raise ResultTooLarge(
            f"A result takes {len(result) / _MEGA:.1f} MB, more than the {task.most_bytes / _MEGA:.1f} MB "
            "that come back from a cluster; leave out --cluster."
        )
    return result


def refuse(address: str, there: Mapping[str, str], here: Mapping[str, str], threads: int) -> None:
    """Raise WrongWorker where a worker differs from the machine that asks, or does two things at once."""
    told = difference(here, there)
    if told:
        raise WrongWorker(f"The worker {address} cannot work for this command: {told}.")
    if threads > 1:
        raise WrongWorker(
            f"The worker {address} has {threads} threads; its work is done by processes, which end with it: "
            "start workers with `--nthreads 1`, as many as there are cores."
        )


class _Watch:
    """While it is entered, ends what this process has started when its task is not wanted any more."""

    def __init__(self, worker: Worker, key: Any) -> None:
        self._worker, self._key = worker, key
        self._done = threading.Event()
        self._ended = False
        self._thread = threading.Thread(target=self._look, name="watch", daemon=True)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._done.set()
        self._thread.join()
        if self._ended:
            # Whatever came of it is wrong: should anybody want it again, it is made again.
            raise Reschedule

    def _look(self) -> None:
        while not self._done.wait(_LOOK_SECONDS):
            task = self._worker.state.tasks.get(self._key)
            if task is None or task.state in _NOT_WANTED:
                self._ended = True
                end_processes_below(os.getpid())
