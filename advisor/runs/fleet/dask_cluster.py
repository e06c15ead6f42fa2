"""Has units of work done by the workers of a cluster of dask.distributed."""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from distributed import Client, Future, KilledWorker
from distributed.client import FutureCancelledError

from advisor.model.errors import AdvisorError, UsageError
from advisor.model.processes.packed_projects import PackedProject, packed_project
from advisor.model.processes.units_of_work import Task
from advisor.runs.fleet.on_worker import (
    MOST_BYTES,
    Slot,
    TaskMessage,
    WrongWorker,
    packed,
    perform,
    refuse,
    unpacked,
)
from advisor.runs.fleet.same_program import program_facts

Result = TypeVar("Result")

# A failure that comes of the worker's machine may be no failure on another one.
_RETRIES = 2
# Dask gives up a task whose worker died four times; it may be given again so often.
_AGAIN = 5
# Work for each worker that waits at the scheduler, so that none waits for this machine.
_AHEAD = 4
_LEAST_AHEAD = 64
_LOOK_SECONDS = 0.5
_WORKERS_SECONDS = 8.0
_ALONE_SECONDS = 60.0


@dataclass
class HeldResult:
    """Stands for a result of a task that stays on the cluster, with how often the task was given; of a
    project, `digest` changes with its files.
    """

    task: Task[Any]
    future: Future[bytes]
    digest: str
    given: int = 1


@dataclass
class _Waiting:
    """A task that is under way, where its result is wanted, and how often it was given."""

    task: Task[Any]
    numbers: list[int]
    future: Future[bytes]
    given: int = 1


class DaskCluster:
    """Has tasks done by the workers that `client` reaches; `name` is what the user calls the cluster.

    `sent_bytes` and `received_bytes` are what tasks and results took so far, packed.

    Raises WrongWorker where a worker differs from this machine, and UsageError where there is no worker.
    """

    elsewhere = True

    def __init__(self, client: Client, name: str) -> None:
        self._client, self._name = client, name
        self._facts = program_facts()
        self._lock, self._giving = threading.Lock(), threading.RLock()
        self.sent_bytes = self.received_bytes = 0
        self._held: dict[str, HeldResult] = {}
        self._check()

    @property
    def at_once(self) -> int:
        """How many workers there are now."""
        return max(1, len(self._client.nthreads()))

    @property
    def gpus(self) -> bool:
        """Whether a worker offers a GPU (`dask worker --resources GPU=1`)."""
        workers = self._client.scheduler_info()["workers"].values()
        return any(one.get("resources", {}).get("GPU", 0) >= 1 for one in workers)

    def results(
        self, tasks: Iterable[Task[Result]], until: float | None = None
    ) -> Generator[tuple[int, Result], None, None]:
        """The results; a bounded number of tasks is at the scheduler at a time."""
        done: queue.SimpleQueue[Future[bytes]] = queue.SimpleQueue()
        waiting: dict[str, _Waiting] = {}
        source = enumerate(tasks)
        ahead = max(_LEAST_AHEAD, _AHEAD * self.at_once)
        seen = time.monotonic()
        try:
            self._give(source, waiting, done, ahead)
            while waiting:
                if until is not None and time.monotonic() >= until:
                    return
                try:
                    first = done.get(timeout=_LOOK_SECONDS)
                except queue.Empty:
                    seen = self._look(seen)
                    continue
                seen = time.monotonic()
                ready = self._finished(_all(first, done), waiting, done)
                self._give(source, waiting, done, ahead)
                for one, result in ready:
                    yield from ((number, result) for number in one.numbers)
        finally:
            self._cancel([one.future for one in waiting.values()])

    def result(self, task: Task[Result]) -> Result:
        """The result of one task."""
        return next(result for _, result in self.results([task]))

    def held(self, task: Task[Any]) -> HeldResult:
        """What stands for the result of a task; it is made again where the worker is lost that has it."""
        return HeldResult(task, self._submit(task, task.key), task.key)

    def place(self, root: Path) -> HeldResult:
        """What stands for the project below `root` as it is now."""
        project = packed_project(root)
        key = f"project-{project.digest}"
        with self._lock:
            if key not in self._held:
                task = Task(key, _itself, (project,))
                self._held[key] = HeldResult(task, self._submit(task, key), project.digest)
            return self._held[key]

    def _check(self) -> None:
        """Raise where there is no worker, or one that may not work for this command."""
        try:
            self._client.wait_for_workers(1, timeout=_WORKERS_SECONDS)
        # Two classes before Python 3.11.
        except (TimeoutError, asyncio.TimeoutError):
            raise UsageError(f"The cluster {self._name} has no worker.") from None
        ours = self._facts["Python"]
        for address, found in self._client.get_versions()["workers"].items():
            python = ".".join(found["host"]["python"].split(".")[:2])
            # A function of another version could not even be asked.
            refuse(address, {"Python": python}, {"Python": ours}, 1)
        threads = self._client.nthreads()
        for address, there in self._client.run(_asking()).items():
            refuse(address, there, self._facts, threads.get(address, 1))

    def _give(
        self,
        source: Iterator[tuple[int, Task[Any]]],
        waiting: dict[str, _Waiting],
        done: queue.SimpleQueue[Future[bytes]],
        ahead: int,
    ) -> None:
        """Give the scheduler more tasks, up to a number that waits there."""
        while len(waiting) < ahead:
            number, task = next(source, (-1, None))
            if task is None:
                return
            if task.key in waiting:
                waiting[task.key].numbers.append(number)
                continue
            one = waiting[task.key] = _Waiting(task, [number], self._submit(task, task.key))
            one.future.add_done_callback(done.put)

    def _submit(self, task: Task[Any], key: str) -> Future[bytes]:
        if task.on_gpu and not self.gpus:
            raise UsageError(f"No worker of the cluster {self._name} offers a GPU (--resources GPU=1).")
        held: list[Future[bytes]] = []
        arguments: list[Any] = []
        for argument in task.arguments:
            if isinstance(argument, HeldResult):
                arguments.append(Slot(len(held)))
                held.append(self._future_of(argument))
            else:
                arguments.append(argument)
        message = packed(TaskMessage(self._facts, task.work, tuple(arguments), MOST_BYTES))
        self.sent_bytes += len(message)
        return self._client.submit(
            perform,
            message,
            *held,
            key=key,
            retries=_RETRIES,
            resources={"GPU": 1} if task.on_gpu else None,
        )

    def _future_of(self, held: HeldResult) -> Future[bytes]:
        """What a task takes; where that was given up with the workers that made it, it is made again."""
        with self._giving:
            if held.future.status == "error" and isinstance(held.future.exception(), KilledWorker):
                held.future = self._submit(held.task, f"{held.task.key}-again-{held.given}")
                held.given += 1
            return held.future

    def _finished(
        self,
        futures: list[Future[bytes]],
        waiting: dict[str, _Waiting],
        done: queue.SimpleQueue[Future[bytes]],
    ) -> list[tuple[_Waiting, Any]]:
        """The tasks that are done with their results; those that lost their worker are given again."""
        by_future = {one.future: key for key, one in waiting.items()}
        ready: list[tuple[_Waiting, Future[bytes]]] = []
        for future in futures:
            key = by_future.get(future)
            if key is None:
                continue
            one = waiting[key]
            if future.status == "finished":
                ready.append((waiting.pop(key), future))
            else:
                self._give_again(one, done)
        try:
            found = self._client.gather([future for _, future in ready])
        except FutureCancelledError:
            raise self._gone() from None
        self.received_bytes += sum(map(len, found))
        return [(one, unpacked(data)) for (one, _), data in zip(ready, found, strict=True)]

    def _give_again(self, one: _Waiting, done: queue.SimpleQueue[Future[bytes]]) -> None:
        """Give a task again whose workers died; raises what it raised, or that the cluster is gone."""
        if one.future.status != "error":
            raise self._gone()
        error = one.future.exception()
        if not isinstance(error, KilledWorker):
            assert error is not None
            raise error
        if one.given > _AGAIN:
            raise AdvisorError(
                f"The cluster {self._name} lost {one.given * 4} workers over one unit of work "
                f"({one.task.key.partition('-')[0]}); their memory may be too small."
            )
        one.future = self._submit(one.task, f"{one.task.key}-again-{one.given}")
        one.given += 1
        one.future.add_done_callback(done.put)

    def _look(self, seen: float) -> float:
        """When anything was last seen to work; raises AdvisorError where nothing works any more."""
        if self._client.status != "running":
            raise self._gone()
        try:
            workers = self._client.nthreads()
        except (OSError, ValueError, RuntimeError):
            raise self._gone() from None
        if workers:
            return time.monotonic()
        if time.monotonic() - seen > _ALONE_SECONDS:
            raise AdvisorError(f"The cluster {self._name} has had no worker for {_ALONE_SECONDS:.0f} s.")
        return seen

    def _gone(self) -> AdvisorError:
        return AdvisorError(
            f"The cluster {self._name} does not answer any more; its scheduler may have ended."
        )

    def _cancel(self, futures: list[Future[bytes]]) -> None:
        """Let the scheduler forget tasks; workers end what they are doing for them."""
        if futures and self._client.status == "running":
            with suppress(OSError, RuntimeError):
                self._client.cancel(futures)


def _itself(project: PackedProject) -> PackedProject:
    return project


def _all(first: Future[bytes], done: queue.SimpleQueue[Future[bytes]]) -> list[Future[bytes]]:
    found = [first]
    with suppress(queue.Empty):
        while True:
            found.append(done.get_nowait())
    return found


def _asking() -> Callable[[], dict[str, str]]:
    """What asks a worker for its versions; it travels by value, for there may be nothing to import."""

    def ask() -> dict[str, str]:
        try:
            from advisor.runs.fleet.same_program import program_facts
        except ImportError:
            return {}
        return program_facts()

    return ask


__all__ = ["DaskCluster", "HeldResult", "WrongWorker"]
