"""Deals units to compiler processes: a lost process costs its unit only, and a full one is replaced."""

from __future__ import annotations

import atexit
import os
import queue
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cache, partial
from types import TracebackType
from typing import Any, TypeVar

from advisor.evidence.compiled.compilers.process import Worker
from advisor.model.compilation_unit import CompilationUnit
from advisor.model.errors import EvidenceUnavailable

# A process keeps every kernel it compiled; a new one now and then bounds its memory.
_UNITS_EACH = 120
# A new process costs about as much as waiting this long for one that is at work.
_PATIENCE_SECONDS = 1.5


@dataclass(frozen=True)
class Outcome:
    """What became of a unit, as JSON values; `lasting` when a second attempt would give the same.

    It was `fatal` when the process did not live through it. `codes` is its code to execute, where that was
    asked for. `answers` are those of its process, of which `value` is not known before their machine code is
    read, and `process` is the number of that process.
    """

    value: dict[str, Any]
    lasting: bool = True
    fatal: bool = False
    codes: list[dict[str, Any]] | None = None
    answers: tuple[dict[str, Any], ...] = ()
    process: int = 0


Work = Callable[[Worker, CompilationUnit], Outcome]
Found = TypeVar("Found")


class WorkerStock:
    """Idle compiler processes that wait for the next pool, so that it need not start its own."""

    def __init__(self) -> None:
        self._idle: list[Worker] = []
        self._lock = threading.Lock()
        self._closed = False

    def take(self) -> Worker:
        """An idle process, a new one where none is left. Raises EvidenceUnavailable where none starts."""
        with self._lock:
            worker = self._idle.pop() if self._idle else None
        if worker is not None and worker.alive:
            return worker
        if worker is not None:
            worker.close()
        return Worker()

    def give_back(self, worker: Worker) -> None:
        """Keep a process for the next pool; one that is lost or full is ended."""
        with self._lock:
            kept = worker.alive and worker.units < _UNITS_EACH and not self._closed
            if kept:
                self._idle.append(worker)
        if not kept:
            worker.close()

    def empty(self) -> None:
        """End the idle processes."""
        with self._lock:
            gone, self._idle = self._idle, []
        for worker in gone:
            worker.close()

    def close(self) -> None:
        """End the idle processes, and each other one when it is given back."""
        self._closed = True
        self.empty()


def own_stock() -> WorkerStock:
    """The stock of this process, so that what is checked again and again starts no second compiler."""
    return _stock_of(os.getpid())


@cache
def _stock_of(process: int) -> WorkerStock:
    stock = WorkerStock()

    def close() -> None:
        # A forked process must not end the compilers of its parent.
        if os.getpid() == process:
            stock.close()

    # What is registered last runs first: the processes end before Python removes their folders.
    weakref.finalize(stock, int)
    atexit.register(close)
    return stock


class WorkerPool:
    """At most `jobs` compiler processes, started when first needed; all end with the `with` block.

    With a `stock` they come from there, and those that are idle at the end go back to it.
    """

    def __init__(self, jobs: int, work: Work, stock: WorkerStock | None = None) -> None:
        self.unavailable: EvidenceUnavailable | None = None
        self._work, self._stock = work, stock
        self._stopped = threading.Event()
        self._slots: queue.LifoQueue[Worker | None] = queue.LifoQueue()
        self._workers: set[Worker] = set()
        self._threads = ThreadPoolExecutor(max(jobs, 1), "compiler")
        for _ in range(max(jobs, 1)):
            self._slots.put(None)

    def run(self, units: Sequence[CompilationUnit]) -> Iterator[tuple[CompilationUnit, Outcome]]:
        """Units with their outcomes, in the order in which they finish; ends early without a toolchain."""
        futures: dict[Future[Outcome | None], CompilationUnit] = {
            self._threads.submit(self.ask, partial(self._worked, unit)): unit for unit in units
        }
        for future in as_completed(futures):
            unit = futures.pop(future)
            outcome = future.result()
            if outcome is not None:
                yield unit, outcome

    def __enter__(self) -> WorkerPool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopped.set()
        self._threads.shutdown(wait=False, cancel_futures=True)
        if self._stock is not None:
            self._return_to(self._stock)
        for worker in list(self._workers):
            worker.close()
        self._threads.shutdown(wait=True)
        # One may have been starting all the while.
        for worker in list(self._workers):
            self._workers.discard(worker)
            if self._stock is not None and worker.alive:
                self._stock.give_back(worker)
            else:
                worker.close()

    def _worked(self, unit: CompilationUnit, worker: Worker) -> Outcome:
        return self._work(worker, unit)

    def ask(self, question: Callable[[Worker], Found]) -> Found | None:
        """What is found with the next process that is free; None where the pool has ended."""
        worker = self._slots.get()
        try:
            if self._stopped.is_set():
                return None
            if worker is not None and worker.units >= _UNITS_EACH:
                self._dismiss(worker)
                worker = None
            if worker is None:
                worker = self._stock.take() if self._stock is not None else Worker()
                self._workers.add(worker)
                if self._stopped.is_set():
                    return None
            found = question(worker)
            if not worker.alive:
                self._dismiss(worker)
                worker = None
            return found
        except EvidenceUnavailable as unavailable:
            self.unavailable = unavailable
            self._stopped.set()
            return None
        finally:
            self._slots.put(worker)

    def _return_to(self, stock: WorkerStock) -> None:
        """Give the processes back that are idle, or soon will be; who has begun a unit may end it."""
        until, taken = time.monotonic() + _PATIENCE_SECONDS, 0
        while self._workers and (left := until - time.monotonic()) > 0:
            try:
                worker = self._slots.get(timeout=left)
            except queue.Empty:
                break
            taken += 1
            if worker is not None:
                self._workers.discard(worker)
                stock.give_back(worker)
        for _ in range(taken):
            self._slots.put(None)

    def _dismiss(self, worker: Worker) -> None:
        self._workers.discard(worker)
        worker.close()
