"""Runs launches of kernels: threads of the host share the blocks, each with counters of its own."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from advisor.simt.device_memory import DeviceMemory
from advisor.simt.launch import Launch
from advisor.simt.vector.contexts import HostThread, host_thread
from advisor.simt.vector.kernels import Kernel, compile_kernel
from advisor.simt.vector.layout import Context, DefectWord, Status

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Settings:
    """How a launch is run.

    `threads` of the host run blocks. `budget` bounds the ways back to a loop's head of each thread together,
    `seconds` the time; None for no bound. `blocks` are the numbers of the blocks to run, None for all, in
    order; those in `detailed` are looked at access by access: caches, races, uninitialised shared memory.
    """

    threads: int = 1
    budget: int | None = None
    seconds: float | None = None
    blocks: Sequence[int] | None = None
    detailed: int = 0
    most_defects: int = 256


@dataclass(frozen=True, slots=True)
class DefectSeen:
    """A defect as the machine noted it: kind, the access's number, block, thread and address."""

    kind: int
    access: int
    block: int
    thread: int
    address: int


@dataclass
class Execution:
    """What a run gave: how it ended, counts for each basic block and each access, and defects.

    `block_runs` and `block_lanes` count executions by warps and their active lanes, `divisions` how often a
    block's branch divided a warp; `sites` has a row for each access and a column for each word of a site.
    """

    status: Status
    blocks_run: int
    block_runs: Counts
    block_lanes: Counts
    divisions: Counts
    sites: Counts
    barriers: int
    defects: list[DefectSeen] = field(default_factory=list)
    defect_count: int = 0


def run(kernel: Kernel, launch: Launch, memory: DeviceMemory, settings: Settings = Settings()) -> Execution:
    """The counts of a launch; the memory holds its results afterwards."""
    numbers = range(launch.blocks) if settings.blocks is None else settings.blocks
    threads = max(1, min(settings.threads, len(numbers)))
    workers = [host_thread(kernel, launch, memory, settings, threads) for _ in range(threads)]
    parts = _Parts(numbers, threads)
    timer = None
    if settings.seconds is not None:
        timer = threading.Timer(settings.seconds, lambda: _stop(workers))
        timer.daemon = True
        timer.start()
    statuses = [Status.DONE] * threads
    others = [
        threading.Thread(target=_work, args=(kernel, worker, parts, statuses, place), daemon=True)
        for place, worker in enumerate(workers[1:], 1)
    ]
    for other in others:
        other.start()
    _work(kernel, workers[0], parts, statuses, 0)
    for other in others:
        other.join()
    if timer is not None:
        timer.cancel()
    return _gathered(workers, max(statuses), parts)


def _stop(workers: list[HostThread]) -> None:
    for worker in workers:
        worker.context[Context.STOP] = 1


class _Parts:
    """Runs of neighbouring blocks, handed out in order."""

    def __init__(self, numbers: Sequence[int], threads: int) -> None:
        self.numbers = numbers
        self.size = max(1, min(1024, len(numbers) // (threads * 16)))
        self.next = 0
        self.lock = threading.Lock()
        self.stopped = False

    def take(self) -> tuple[int, int] | None:
        """The first and the end of the next blocks to run, None when all are taken."""
        with self.lock:
            if self.stopped or self.next >= len(self.numbers):
                return None
            begin, end = self.next, min(self.next + self.size, len(self.numbers))
            if not isinstance(self.numbers, range):
                end = begin + 1
                while end < len(self.numbers) and self.numbers[end] == self.numbers[end - 1] + 1:
                    end += 1
            self.next = end
            return self.numbers[begin], self.numbers[end - 1] + 1


def _work(kernel: Kernel, worker: HostThread, parts: _Parts, statuses: list[Status], place: int) -> None:
    function = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)(
        kernel.runtime.addresses["run_blocks"]
    )
    while (part := parts.take()) is not None:
        status = Status(function(worker.context.ctypes.data, part[0], part[1]))
        if status != Status.DONE:
            statuses[place] = status
            parts.stopped = True
            return


def _gathered(workers: list[HostThread], status: Status, parts: _Parts) -> Execution:
    defects = [
        DefectSeen(*(int(row[word]) for word in (
            DefectWord.KIND, DefectWord.SITE, DefectWord.BLOCK, DefectWord.THREAD, DefectWord.ADDRESS
        )))
        for worker in workers
        for row in worker.defects[: int(worker.context[Context.DEFECT_COUNT])]
    ]  # fmt: skip
    return Execution(
        status,
        parts.next,
        sum(worker.block_runs for worker in workers),
        sum(worker.block_lanes for worker in workers),
        sum(worker.divisions for worker in workers),
        sum(worker.sites for worker in workers),
        sum(int(worker.context[Context.BARRIERS]) for worker in workers),
        sorted(defects, key=lambda one: (one.block, one.thread, one.access)),
        sum(int(worker.context[Context.DEFECT_COUNT]) for worker in workers),
    )


__all__ = ["Execution", "Kernel", "Settings", "compile_kernel", "run"]
