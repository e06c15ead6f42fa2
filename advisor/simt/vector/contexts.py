"""The memory of a host thread that runs blocks: its context, the states of warps, shared memory, counters."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from advisor.simt.device_memory import DeviceMemory
from advisor.simt.launch import Launch, parameter_offsets
from advisor.simt.vector.kernels import Kernel
from advisor.simt.vector.lanes import LANES
from advisor.simt.vector.layout import (
    FIXED_BOUNDS,
    LOWEST,
    NO_RANGE,
    Context,
    DefectWord,
    Extent,
    Site,
    Space,
    State,
)
from advisor.simt.vector.printing import print_address
from advisor.simt.vector.sites import Access

if TYPE_CHECKING:
    from advisor.simt.machine import Settings

_Words = npt.NDArray[np.int64]
_NO_BUDGET = 1 << 62
# Ways back to a loop's head between two looks at the clock; few where lanes wait for each other.
_SLICE, _SHORT_SLICE = 1 << 18, 1 << 6
# Room behind arrays that vectors are read from as a whole.
_MARGIN = 512


@dataclass
class HostThread:
    """What one thread of the host needs to run blocks; the arrays keep the memory alive."""

    context: _Words
    block_runs: _Words
    block_lanes: _Words
    divisions: _Words
    sites: _Words
    defects: _Words
    kept: list[Any] = field(default_factory=list)


def aligned_bytes(size: int, align: int = 64) -> npt.NDArray[np.uint8]:
    """Zeroed bytes that begin at a multiple of an alignment."""
    whole = np.zeros(size + align + _MARGIN, np.uint8)
    begin = -int(whole.ctypes.data) % align
    return whole[begin : begin + size + _MARGIN]


class TouchedSectors:
    """One byte for each sector of the buffers that kernels load from, and one for each they store to.

    `extents` is the table of buffers that the compiled code searches.
    """

    def __init__(self, memory: DeviceMemory) -> None:
        self.loaded: list[npt.NDArray[np.uint8]] = []
        self.stored: list[npt.NDArray[np.uint8]] = []
        rows = []
        for low, high in memory.extents():
            first = low >> 5
            sectors = ((high + 31) >> 5) - first
            maps = [np.zeros(sectors + _MARGIN, np.uint8) for _ in range(2)]
            self.loaded.append(maps[0][:sectors])
            self.stored.append(maps[1][:sectors])
            rows.append((low, high, *(int(one.ctypes.data) - first for one in maps)))
        self.extents = np.array([*rows, (0, 0, 0, 0)], np.int64)

    def base_of(self, address: int, writes: bool) -> int:
        """What is added to a sector's number to find its byte, 0 for an address in no buffer."""
        for row in self.extents[:-1]:
            if row[Extent.LOW] <= address < max(row[Extent.HIGH], row[Extent.LOW] + 1):
                return int(row[Extent.STORED if writes else Extent.LOADED])
        return 0

    def counts(self) -> tuple[int, int]:
        """How many sectors were loaded and how many stored."""
        loaded, stored = (
            sum(int(np.count_nonzero(one)) for one in maps) for maps in (self.loaded, self.stored)
        )
        return loaded, stored


def host_thread(
    kernel: Kernel,
    launch: Launch,
    memory: DeviceMemory,
    settings: Settings,
    threads: int,
    touched: TouchedSectors,
) -> HostThread:
    """The memory of a thread for a launch; all counters are zero, `touched` is common to all threads."""
    warp = kernel.warp
    count = len(warp.blocks)
    worker = HostThread(
        context=aligned_bytes(8 * Context.WORDS).view(np.int64)[: int(Context.WORDS)],
        block_runs=np.zeros(count, np.int64),
        block_lanes=np.zeros(count, np.int64),
        divisions=np.zeros(count, np.int64),
        sites=np.zeros((max(1, len(warp.accesses)), int(Site.WORDS)), np.int64),
        defects=np.zeros((settings.most_defects, int(DefectWord.WORDS)), np.int64),
    )
    _set_launch(worker, kernel, launch, memory, touched)
    _set_counters(worker, settings, threads, warp.ordered)
    sizes = np.array(kernel.block_slots, np.int64)
    worker.context[Context.BLOCK_SIZES] = _keep(worker, sizes)
    worker.context[Context.BLOCK_COUNT] = len(sizes)
    _set_sites(worker, kernel, launch, memory, touched)
    return worker


def _keep(worker: HostThread, array: npt.NDArray[Any]) -> int:
    worker.kept.append(array)
    return int(array.ctypes.data)


def _set_launch(
    worker: HostThread, kernel: Kernel, launch: Launch, memory: DeviceMemory, touched: TouchedSectors
) -> None:
    context, placement = worker.context, kernel.warp.placement
    warps = -(-launch.threads_in_block // LANES)
    parameters = aligned_bytes(len(launch.parameters))
    parameters[: len(launch.parameters)] = np.frombuffer(launch.parameters, np.uint8)
    context[Context.PARAMETERS] = _keep(worker, parameters)
    shared_size = placement.shared_size + launch.dynamic_shared
    context[Context.SHARED] = _keep(worker, aligned_bytes(shared_size, 1024))
    context[Context.SHARED_SIZE] = shared_size
    context[Context.DYNAMIC_SHARED] = launch.dynamic_shared
    for word, value in zip(
        (
            Context.NTID_X,
            Context.NTID_Y,
            Context.NTID_Z,
            Context.NCTAID_X,
            Context.NCTAID_Y,
            Context.NCTAID_Z,
        ),
        (*launch.block, *launch.grid),
        strict=True,
    ):
        context[word] = value
    context[Context.LOCAL_SIZE] = placement.local_size
    context[Context.FIRST_THREAD] = _keep(worker, aligned_bytes(warps * LANES * placement.local_size))
    context[Context.WARPS] = warps
    context[Context.THREADS] = launch.threads_in_block
    context[Context.STATE_SIZE] = kernel.warp.state_size
    context[Context.STATES] = _keep(worker, _states(kernel.warp.state_size, warps, launch))
    context[Context.WARP_FUNCTION] = kernel.address
    variables = np.array([*kernel.variable_addresses(memory), 0], np.int64)
    context[Context.VARIABLES] = _keep(worker, variables)
    context[Context.EXTENTS] = _keep(worker, touched.extents)
    context[Context.EXTENT_COUNT] = len(touched.extents) - 1


def _states(size: int, warps: int, launch: Launch) -> npt.NDArray[np.uint8]:
    """The states of the warps of a block, with the threads' numbers filled in."""
    states = aligned_bytes(size * warps)
    threads = np.arange(warps * LANES, dtype=np.int32).reshape(warps, LANES)
    columns, rows, _ = launch.block
    rest = threads // columns
    numbers = {State.TID_X: threads % columns, State.TID_Y: rest % rows, State.TID_Z: rest // rows}
    for warp in range(warps):
        begin = warp * size
        for place, values in numbers.items():
            states[begin + place : begin + place + 4 * LANES] = values[warp].astype(np.int32).view(np.uint8)
        states[begin + State.WARP : begin + State.WARP + 4] = np.array([warp], np.int32).view(np.uint8)
    return states


def _set_counters(worker: HostThread, settings: Settings, threads: int, ordered: bool) -> None:
    context = worker.context
    context[Context.BLOCK_RUNS] = int(worker.block_runs.ctypes.data)
    context[Context.BLOCK_LANES] = int(worker.block_lanes.ctypes.data)
    context[Context.BRANCHES] = int(worker.divisions.ctypes.data)
    context[Context.SITES] = int(worker.sites.ctypes.data)
    context[Context.DEFECTS] = int(worker.defects.ctypes.data)
    context[Context.DEFECT_CAPACITY] = len(worker.defects)
    context[Context.ALONE] = int(threads == 1)
    context[Context.SLICE] = _SLICE if ordered else _SHORT_SLICE
    context[Context.BUDGET] = context[Context.SLICE]
    context[Context.LEFT] = _NO_BUDGET if settings.budget is None else settings.budget
    context[Context.PREFERRED] = LOWEST
    context[Context.PROCESSORS] = 1
    context[Context.PRINTED] = print_address()
    context[Context.CONTENTS] = _keep(worker, aligned_bytes(LANES * 16))


def _set_sites(
    worker: HostThread, kernel: Kernel, launch: Launch, memory: DeviceMemory, touched: TouchedSectors
) -> None:
    bounds = _Bounds(worker, kernel, launch, memory)
    for access in kernel.warp.accesses.values():
        low, high, fixed = bounds.of(access)
        row = worker.sites[access.number]
        row[Site.LOW], row[Site.HIGH] = low, high
        flags = access.description & ~FIXED_BOUNDS
        row[Site.DESCRIPTION] = flags | (FIXED_BOUNDS if fixed else 0)
        row[Site.NUMBER] = access.number
        row[Site.STEP_LOW], row[Site.STEP_HIGH] = NO_RANGE
        row[Site.PLACE_LOW], row[Site.PLACE_HIGH] = NO_RANGE
        if access.space != Space.SHARED:
            row[Site.TOUCHED] = touched.base_of(low, access.writes)


class _Bounds:
    """The addresses that an access may touch, and whether these are its only ones."""

    def __init__(self, worker: HostThread, kernel: Kernel, launch: Launch, memory: DeviceMemory) -> None:
        self.context = worker.context
        self.kernel = kernel
        self.launch = launch
        self.memory = memory
        self.offsets = parameter_offsets(kernel.function.parameters)[0]
        self.given = {
            kernel.function.parameters[array.parameter].name: (array.low, array.high)
            for array in launch.arrays
        }
        names = kernel.warp.variables
        self.variables = dict(zip(names, kernel.variable_addresses(memory), strict=True))

    def of(self, access: Access) -> tuple[int, int, bool]:
        """The lowest address, that behind the highest, and whether no others are allowed."""
        placement = self.kernel.warp.placement
        if access.space == Space.SHARED:
            return (*self._shared(access.root), True)
        root = access.root
        if root is None or root in placement.local or root in placement.shared:
            return 1, 0, False
        if root in self.variables:
            address = self.variables[root]
            return address, address + self.memory.size_of(address), True
        if root in self.given:
            return (*self.given[root], True)
        return self._buffer(root)

    def _shared(self, root: str | None) -> tuple[int, int]:
        begin = int(self.context[Context.SHARED])
        end = begin + int(self.context[Context.SHARED_SIZE])
        placed = self.kernel.warp.placement.shared
        if root not in placed or root is None:
            return begin, end
        declared = {
            one.name: one.size
            for one in (*self.kernel.module.variables.values(), *self.kernel.function.variables)
        }
        size = declared[root]
        low = begin + placed[root]
        return low, low + size if size else end

    def _buffer(self, root: str) -> tuple[int, int, bool]:
        name, _, inside = root.partition("+")
        begin = self.offsets.get(name)
        if begin is None:
            return 1, 0, False
        begin += int(inside or 0)
        pointer = int.from_bytes(self.launch.parameters[begin : begin + 8], "little")
        start = self.memory.start_of(pointer)
        if start is None:
            return 1, 0, False
        return start, start + self.memory.size_of(start), True
