"""Deals units to compiler processes: a lost process costs its unit only, and a full one is replaced."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from advisor.compilation_unit import CompilationUnit
from advisor.compiled.process import Worker
from advisor.errors import EvidenceUnavailable

# A process keeps every kernel it compiled; a new one now and then bounds its memory.
_UNITS_EACH = 120


@dataclass(frozen=True)
class Outcome:
    """What became of a unit, as JSON values; `lasting` when a second attempt would give the same."""

    value: dict[str, Any]
    lasting: bool = True


Work = Callable[[Worker, CompilationUnit], Outcome]


class Crew:
    """At most `jobs` compiler processes, started when first needed; all end with the `with` block."""

    def __init__(self, jobs: int, work: Work) -> None:
        self.unavailable: EvidenceUnavailable | None = None
        self._work = work
        self._stopped = threading.Event()
        self._slots: queue.LifoQueue[Worker | None] = queue.LifoQueue()
        self._workers: set[Worker] = set()
        self._threads = ThreadPoolExecutor(max(jobs, 1), "compiler")
        for _ in range(max(jobs, 1)):
            self._slots.put(None)

    def run(self, units: Sequence[CompilationUnit]) -> Iterator[tuple[CompilationUnit, Outcome]]:
        """Units with their outcomes, in the order in which they finish; ends early without a toolchain."""
        futures: dict[Future[Outcome | None], CompilationUnit] = {
            self._threads.submit(self._one, unit): unit for unit in units
        }
        for future in as_completed(futures):
            unit = futures.pop(future)
            outcome = future.result()
            if outcome is not None:
                yield unit, outcome

    def __enter__(self) -> Crew:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopped.set()
        for worker in list(self._workers):
            worker.close()
        self._threads.shutdown(wait=True, cancel_futures=True)

    def _one(self, unit: CompilationUnit) -> Outcome | None:
        worker = self._slots.get()
        try:
            if self._stopped.is_set():
                return None
            if worker is not None and worker.units >= _UNITS_EACH:
                self._dismiss(worker)
                worker = None
            if worker is None:
                worker = Worker()
                self._workers.add(worker)
            outcome = self._work(worker, unit)
            if not worker.alive:
                self._dismiss(worker)
                worker = None
            return outcome
        except EvidenceUnavailable as unavailable:
            self.unavailable = unavailable
            self._stopped.set()
            return None
        finally:
            self._slots.put(worker)

    def _dismiss(self, worker: Worker) -> None:
        self._workers.discard(worker)
        worker.close()
