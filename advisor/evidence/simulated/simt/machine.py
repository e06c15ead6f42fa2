"""Runs launches of kernels: threads of the host share the blocks, each with counters of its own."""

from __future__ import annotations

import ctypes
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from advisor.evidence.simulated.simt.device_memory import DeviceMemory
from advisor.evidence.simulated.simt.launch import Launch
from advisor.evidence.simulated.simt.resident_blocks import (
    neighbours_first,
    ranges_of,
    ranges_without,
    split_at,
)
from advisor.evidence.simulated.simt.vector.host import host_memory
from advisor.evidence.simulated.simt.vector.host.cache_model import CacheModel
from advisor.evidence.simulated.simt.vector.host.caches import CacheSizes
from advisor.evidence.simulated.simt.vector.host.contexts import HostThread, host_thread
from advisor.evidence.simulated.simt.vector.host.followed_elements import follow_elements
from advisor.evidence.simulated.simt.vector.host.printing import PrintedText, Printer, Silence
from advisor.evidence.simulated.simt.vector.host.touched_sectors import TouchedSectors
from advisor.evidence.simulated.simt.vector.host.update_counters import Hottest, UpdateCounters, hottest
from advisor.evidence.simulated.simt.vector.host.wave_sectors import WaveSectors
from advisor.evidence.simulated.simt.vector.kernels import Kernel, compile_kernel
from advisor.evidence.simulated.simt.vector.layout import Context, DefectWord, Site, Space, Status

Counts = npt.NDArray[np.int64]
_RUN_BLOCKS = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
_RUN_BLOCK = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int32)
# How a block is run: from its begin, on from a barrier of the grid or from a trace that was full.
_FROM_BEGIN, _FROM_GRID_BARRIER, _FROM_FULL_TRACE = range(3)
# Bytes of the shadow's entry for a unit of shared memory: two words.
_SHADOW_ENTRY = 16


@dataclass(frozen=True)
class Settings:
    """How a launch is run.

    `threads` of the host run blocks. `budget` bounds the ways back to a loop's head of each thread together,
    `seconds` the time; None for no bound. `blocks` are the numbers of the blocks to run, None for all, in
    order. The first blocks are looked at access by access, until they ran `detailed_lanes` lane instructions:
    caches of the given sizes, races, shared memory that was not written. What a kernel prints is ignored if
    the run is `silent`.
    """

    threads: int = 1
    budget: int | None = None
    seconds: float | None = None
    blocks: Sequence[int] | None = None
    detailed_lanes: int = 0
    caches: CacheSizes | None = None
    most_defects: int = 256
    silent: bool = False


@dataclass(frozen=True, slots=True)
class DefectSeen:
    """A defect as the machine noted it: kind, the access's number, block, thread and address.

    `other` is the number of the access that this one races with, None for a defect of one access.
    """

    kind: int
    access: int
    block: int
    thread: int
    address: int
    other: int | None = None


@dataclass
class Execution:
    """What a run gave: how it ended, counts for each basic block and each access, and defects.

    `block_runs` and `block_lanes` count executions by warps and their active lanes, `divisions` how often a
    block's branch divided a warp; `sites` has a row for each access and a column for each word of a site.
    `detailed` of the `blocks_run` were looked at access by access; `balance` is, in these, the mean of warps'
    times over those of the longest warp of their block. `loaded_sectors` and `stored_sectors` are
    different sectors of global memory, `detailed_sectors` both together of the blocks that were looked at
    access by access, `unused_parts` the parts of these blocks' loaded and of their stored sectors that no
    thread uses, `wave_sectors` those of the first `wave_blocks`, as many as are resident at one time;
    `hottest` says how often the most updated place of global memory was. `printed` is the last part of what
    the kernel printed, without the first `lines_left_out` lines.
    """

    status: Status
    blocks_run: int
    block_runs: Counts
    block_lanes: Counts
    divisions: Counts
    sites: Counts
    barriers: int
    balance: float = 1.0
    detailed: int = 0
    loaded_sectors: int = 0
    stored_sectors: int = 0
    defects: list[DefectSeen] = field(default_factory=list)
    defect_count: int = 0
    hottest: Hottest | None = None
    detailed_sectors: int | None = None
    unused_parts: tuple[float, float] | None = None
    wave_sectors: int | None = None
    wave_blocks: int | None = None
    printed: str = ""
    lines_left_out: int = 0


def run(kernel: Kernel, launch: Launch, memory: DeviceMemory, settings: Settings = Settings()) -> Execution:
    """The counts of a launch; the memory holds its results afterwards.

    The kernel's variables must not be freed between launches. Raises ValueError for a cooperative launch of
    which a part of the blocks shall run.
    """
    kernel.variable_addresses(memory)
    touched = TouchedSectors(memory, settings.detailed_lanes > 0 and settings.caches is not None)
    printed = PrintedText(launch.print_bytes)
    # Blocks that wait for each other print in the order in which they come to run.
    by_block = not launch.cooperative
    loud = Silence() if settings.silent else Printer(touched.buffer_at, printed, by_block)
    printer = loud if kernel.prints else None
    together = _run_together if launch.cooperative else _run_apart
    execution = together(kernel, launch, memory, settings, touched, printer)
    kernel.executed += int(execution.block_runs @ kernel.lengths)
    execution.printed, execution.lines_left_out = printed.text(), printed.lines_left_out
    if execution.status == Status.DONE and settings.blocks is None:
        memory.written.add_launch(touched.stored_of())
    else:
        memory.written.forget()
    return execution


def _run_apart(
    kernel: Kernel,
    launch: Launch,
    memory: DeviceMemory,
    settings: Settings,
    touched: TouchedSectors,
    printer: Printer | Silence | None,
) -> Execution:
    """An ordinary launch: each thread of the host runs blocks one after the other."""
    numbers = range(launch.blocks) if settings.blocks is None else settings.blocks
    threads = max(1, min(settings.threads, len(numbers)))
    updates = [UpdateCounters(kernel) for _ in range(threads)]
    workers = [
        host_thread(kernel, launch, memory, settings, threads, touched, printer, own) for own in updates
    ]
    sectors = WaveSectors(touched, launch.blocks, settings.blocks, settings.caches)
    with _stoppable(workers, settings.seconds):
        detailed, status = _run_detailed(kernel, launch, workers[0], settings, threads, sectors)
        run_blocks = len(detailed)
        for ranges in _rest_in_turn(launch, settings, detailed, sectors.wave):
            parts = _Parts(ranges, threads)
            if status == Status.DONE:
                status = _run_rest(kernel, workers, parts)
            run_blocks += parts.taken
            sectors.ran(run_blocks)
    execution = _gathered(workers, status, run_blocks, len(detailed), touched, hottest(updates))
    return replace(
        execution,
        detailed_sectors=sectors.detailed,
        unused_parts=sectors.unused,
        wave_sectors=sectors.first,
        wave_blocks=sectors.wave,
    )


def _rest_in_turn(
    launch: Launch, settings: Settings, done: list[int], wave: int | None
) -> tuple[list[range], list[range]]:
    """Runs of neighbouring blocks that were not run yet, those of the first wave before the others."""
    if settings.blocks is None:
        ranges = ranges_without(launch.blocks, done)
    else:
        ranges = ranges_of(sorted(set(settings.blocks).difference(done)))
    return split_at(ranges, wave or 0)


# The threads of each launch under way.
_UNDER_WAY: dict[int, list[HostThread]] = {}


def stop_launches() -> None:
    """Make the launches under way end soon, without a result; to be called from another thread."""
    for workers in list(_UNDER_WAY.values()):
        _stop(workers)


def _stop(workers: list[HostThread]) -> None:
    for worker in workers:
        worker.context[Context.STOP] = 1


@contextmanager
def _stoppable(workers: list[HostThread], seconds: float | None) -> Iterator[None]:
    """A context in which threads work on a launch, which is stopped when the time has passed."""
    timer = threading.Timer(seconds, _stop, (workers,)) if seconds is not None else None
    if timer is not None:
        timer.daemon = True
        timer.start()
    _UNDER_WAY[id(workers)] = workers
    try:
        yield
    finally:
        del _UNDER_WAY[id(workers)]
        if timer is not None:
            timer.cancel()


class _Parts:
    """Runs of neighbouring blocks, handed out in order; `taken` blocks were."""

    def __init__(self, ranges: Sequence[range], threads: int) -> None:
        self.ranges = deque(ranges)
        self.size = max(1, min(1024, sum(map(len, ranges)) // (threads * 16)))
        self.taken = 0
        self.lock = threading.Lock()
        self.stopped = False

    def take(self) -> tuple[int, int] | None:
        """The first and the end of the next blocks to run, None when all are taken."""
        with self.lock:
            if self.stopped or not self.ranges:
                return None
            first = self.ranges.popleft()
            if len(first) > self.size:
                self.ranges.appendleft(first[self.size :])
            part = first[: self.size]
            self.taken += len(part)
            return part.start, part.stop


def _run_detailed(
    kernel: Kernel,
    launch: Launch,
    worker: HostThread,
    settings: Settings,
    threads: int,
    sectors: WaveSectors,
) -> tuple[list[int], Status]:
    """Run the first blocks one by one with every access inspected; gives their numbers too."""
    done: list[int] = []
    if settings.detailed_lanes <= 0:
        return done, Status.DONE
    context = worker.context
    shift = _shadow_shift(kernel)
    shadow = host_memory.zeroed_bytes(((int(context[Context.SHARED_SIZE]) >> shift) + 1) * _SHADOW_ENTRY)
    context[Context.SHADOW_SHIFT], context[Context.SHADOW_BYTES] = shift, len(shadow)
    followed = follow_elements(worker, kernel)
    caches = CacheModel(kernel, launch, context, settings.caches) if settings.caches is not None else None
    context[Context.DETAILED] = 1
    context[Context.ALONE] = 1
    context[Context.SHADOW] = host_memory.address_of(shadow) if context[Context.SHARED_SIZE] else 0
    status = Status.DONE
    for number in _detailed_blocks(launch, settings):
        if int(worker.block_lanes @ kernel.lengths) >= settings.detailed_lanes or status != Status.DONE:
            break
        done.append(number)
        status = _run_block(kernel, worker, number, caches)
        sectors.ran(len(done))
    if caches is not None:
        caches.look_up()
        sectors.ran_closely()
    del followed
    worker.sites[:, Site.USED] = 0
    for word in (Context.DETAILED, Context.SHADOW, Context.CACHES, Context.ELEMENTS):
        context[word] = 0
    context[Context.ALONE] = int(threads == 1)
    return done, status


def _detailed_blocks(launch: Launch, settings: Settings) -> Iterable[int]:
    """The blocks in the order in which they are looked at access by access."""
    if settings.caches is None:
        return range(launch.blocks) if settings.blocks is None else settings.blocks
    every = neighbours_first(launch.blocks, settings.caches.processors, settings.caches.residents)
    if settings.blocks is None:
        return every
    chosen = frozenset(settings.blocks)
    return (number for number in every if number in chosen)


def _run_block(kernel: Kernel, worker: HostThread, number: int, caches: CacheModel | None) -> Status:
    """Run one block, whose accesses are looked up in the caches where they need the trace's room."""
    context = worker.context
    function = _RUN_BLOCK(kernel.runtime.addresses["run_block"])
    status = Status(function(context.ctypes.data, number, _FROM_BEGIN))
    while status == Status.TRACE_FULL:
        assert caches is not None
        caches.look_up()
        status = Status(function(context.ctypes.data, number, _FROM_FULL_TRACE))
    return Status.STOPPED if context[Context.STOP] else status


def _shadow_shift(kernel: Kernel) -> int:
    """The logarithm of the smallest element that the kernel accesses in shared memory, four bytes at most.

    Threads that write neighbouring bytes of one word do not race.
    """
    sizes = [one.size for one in kernel.warp.accesses.values() if one.space in (Space.SHARED, Space.GENERIC)]
    return min([4, *sizes]).bit_length() - 1


def _run_rest(kernel: Kernel, workers: list[HostThread], parts: _Parts) -> Status:
    statuses = [Status.DONE] * len(workers)
    others = [
        threading.Thread(target=_work, args=(kernel, workers, parts, statuses, place), daemon=True)
        for place in range(1, len(workers))
    ]
    for other in others:
        other.start()
    _work(kernel, workers, parts, statuses, 0)
    for other in others:
        other.join()
    return max(statuses)


def _work(
    kernel: Kernel, workers: list[HostThread], parts: _Parts, statuses: list[Status], place: int
) -> None:
    worker = workers[place]
    function = _RUN_BLOCKS(kernel.runtime.addresses["run_blocks"])
    while (part := parts.take()) is not None:
        kernel.optimise_when_worth(sum(int(one.block_runs @ kernel.lengths) for one in workers))
        worker.context[Context.WARP_FUNCTION] = kernel.address
        status = Status(function(worker.context.ctypes.data, *part))
        if status != Status.DONE:
            statuses[place] = status
            parts.stopped = True
            return


def _run_together(
    kernel: Kernel,
    launch: Launch,
    memory: DeviceMemory,
    settings: Settings,
    touched: TouchedSectors,
    printer: Printer | Silence | None,
) -> Execution:
    """A cooperative launch: each block has memory of its own and runs to the next barrier of the grid."""
    if settings.blocks is not None:
        raise ValueError("the blocks of a cooperative launch wait for each other, so all of them must run")
    updates = UpdateCounters(kernel)
    workers = [
        host_thread(kernel, launch, memory, settings, 1, touched, printer, updates)
        for _ in range(launch.blocks)
    ]
    function = _RUN_BLOCK(kernel.runtime.addresses["run_block"])
    waiting = list(range(launch.blocks))
    status, resume = Status.DONE, _FROM_BEGIN
    with _stoppable(workers, settings.seconds):
        while waiting and status == Status.DONE:
            still = []
            for number in waiting:
                ended = Status(function(workers[number].context.ctypes.data, number, resume))
                if ended == Status.AT_GRID_BARRIER:
                    still.append(number)
                elif ended != Status.DONE:
                    status = ended
                    break
            waiting, resume = still, _FROM_GRID_BARRIER
    return _gathered(workers, status, launch.blocks, 0, touched, hottest([updates]))


def _balance(workers: list[HostThread]) -> float:
    total, longest = (
        sum(int(worker.context[word]) for worker in workers)
        for word in (Context.WORK_SUM, Context.WORK_LONGEST)
    )
    return total / longest if longest else 1.0


def _summed_sites(workers: list[HostThread]) -> Counts:
    sites: Counts = np.sum([worker.sites for worker in workers], axis=0)
    for word, function in ((Site.STEP_LOW, np.min), (Site.STEP_HIGH, np.max)):
        sites[:, word] = function([worker.sites[:, word] for worker in workers], axis=0)
    return sites


def _defect_seen(row: list[int]) -> DefectSeen:
    other = row[DefectWord.OTHER]
    return DefectSeen(
        row[DefectWord.KIND], row[DefectWord.SITE], row[DefectWord.BLOCK], row[DefectWord.THREAD],
        row[DefectWord.ADDRESS], other - 1 if other else None,
    )  # fmt: skip


def _gathered(
    workers: list[HostThread],
    status: Status,
    blocks_run: int,
    detailed: int,
    touched: TouchedSectors,
    most: Hottest | None,
) -> Execution:
    defects = [
        _defect_seen(row)
        for worker in workers
        for row in worker.defects[: int(worker.context[Context.DEFECT_COUNT])].tolist()
    ]
    loaded, stored = touched.counts()
    return Execution(
        status,
        blocks_run,
        np.sum([worker.block_runs for worker in workers], axis=0),
        np.sum([worker.block_lanes for worker in workers], axis=0),
        np.sum([worker.divisions for worker in workers], axis=0),
        _summed_sites(workers),
        sum(int(worker.context[Context.BARRIERS]) for worker in workers),
        _balance(workers),
        detailed,
        loaded,
        stored,
        sorted(defects, key=lambda one: (one.block, one.thread, one.access)),
        sum(int(worker.context[Context.DEFECT_COUNT]) for worker in workers),
        hottest=most,
    )


__all__ = ["CacheSizes", "Execution", "Kernel", "Settings", "compile_kernel", "run", "stop_launches"]
