"""The memory of a host thread that runs blocks: its context, the states of warps, shared memory, counters."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from advisor.evidence.simulated.simt.device_memory import Buffer, DeviceMemory
from advisor.evidence.simulated.simt.launch import Launch, parameter_offsets
from advisor.evidence.simulated.simt.vector.host import host_memory
from advisor.evidence.simulated.simt.vector.host.printing import Printer, Silence
from advisor.evidence.simulated.simt.vector.host.touched_sectors import TouchedSectors
from advisor.evidence.simulated.simt.vector.host.update_counters import UpdateCounters
from advisor.evidence.simulated.simt.vector.kernels import Kernel
from advisor.evidence.simulated.simt.vector.lanes import LANES
from advisor.evidence.simulated.simt.vector.layout import (
    BARRIERS_OF_BLOCK,
    FIXED_BOUNDS,
    FOLLOWED,
    LOWEST,
    NO_RANGE,
    SECTOR_SHIFT,
    SLICE_SHIFT,
    Box,
    Context,
    DefectWord,
    GroupScratch,
    Site,
    Space,
    State,
)
from advisor.evidence.simulated.simt.vector.sites import Access

if TYPE_CHECKING:
    from advisor.evidence.simulated.simt.machine import Settings

_Words = npt.NDArray[np.int64]
_NO_BUDGET = 1 << 62
# Ways back to a loop's head between two looks at the clock; few where lanes wait for each other.
_SLICE, _SHORT_SLICE = 1 << 18, 1 << 6
# The same where each may call a function of the host, although what is printed is ignored.
_PRINTING_SLICE = 1 << 12
# What is behind a place in shared memory whose content is kept: 16 bytes are read, whatever its size.
_BEHIND_SHARED = 16


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


def host_thread(
    kernel: Kernel,
    launch: Launch,
    memory: DeviceMemory,
    settings: Settings,
    threads: int,
    touched: TouchedSectors,
    printer: Printer | Silence | None,
    updates: UpdateCounters,
) -> HostThread:
    """The memory of a thread for a launch; all counters are zero, those of touched sectors and what is
    printed common to all threads, those of updates to threads that do not run at once.
    """
    warp = kernel.warp
    count = len(warp.blocks)
    worker = HostThread(
        context=host_memory.zeroed_words(Context.WORDS),
        block_runs=host_memory.zeroed_words(count),
        block_lanes=host_memory.zeroed_words(count),
        divisions=host_memory.zeroed_words(count),
        sites=host_memory.zeroed_words(max(1, len(warp.accesses)), Site.WORDS),
        defects=host_memory.zeroed_words(settings.most_defects, DefectWord.WORDS),
    )
    _set_launch(worker, kernel, launch, memory, touched)
    _set_counters(worker, settings, threads, warp.ordered, kernel.prints)
    if printer is not None:
        worker.kept.append(printer)
        worker.context[Context.PRINTED] = printer.address
    sizes = np.array(kernel.block_slots, np.int64)
    worker.context[Context.BLOCK_SIZES] = _keep(worker, sizes)
    worker.context[Context.BLOCK_COUNT] = len(sizes)
    _set_sites(worker, kernel, launch, memory, touched)
    worker.context[Context.UPDATES], worker.context[Context.SLICE_SECTORS] = updates.addresses
    return worker


def _keep(worker: HostThread, array: npt.NDArray[Any]) -> int:
    worker.kept.append(array)
    return host_memory.address_of(array)


def _set_launch(
    worker: HostThread, kernel: Kernel, launch: Launch, memory: DeviceMemory, touched: TouchedSectors
) -> None:
    context, placement = worker.context, kernel.warp.placement
    warps = -(-launch.threads_in_block // LANES)
    parameters = host_memory.zeroed_bytes(len(launch.parameters))
    parameters[: len(launch.parameters)] = np.frombuffer(launch.parameters, np.uint8)
    context[Context.PARAMETERS] = _keep(worker, parameters)
    context[Context.PARAMETER_BYTES] = len(launch.parameters)
    opcodes = {item.opcode for item in kernel.function.instructions}
    if {"bar", "barrier"} & opcodes:
        context[Context.PARTS] = _keep(worker, host_memory.zeroed_words(BARRIERS_OF_BLOCK))
    if "wgmma" in opcodes:
        context[Context.GROUPS] = _keep(worker, host_memory.zeroed_bytes(GroupScratch.BYTES, 64))
    if any(item.opcode == "cp" and "bulk" in item.modifiers for item in kernel.function.instructions):
        context[Context.BOXES] = _keep(worker, host_memory.zeroed_bytes(Box.CAPACITY * Box.BYTES, 64))
    shared_size = placement.shared_size + launch.dynamic_shared
    context[Context.SHARED] = _keep(worker, host_memory.zeroed_bytes(shared_size + _BEHIND_SHARED, 1024))
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
    context[Context.FIRST_THREAD] = _keep(
        worker, host_memory.zeroed_bytes(warps * LANES * placement.local_size)
    )
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
    states = host_memory.zeroed_bytes(size * warps)
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


def _set_counters(worker: HostThread, settings: Settings, threads: int, ordered: bool, prints: bool) -> None:
    context = worker.context
    context[Context.BLOCK_RUNS] = host_memory.address_of(worker.block_runs)
    context[Context.BLOCK_LANES] = host_memory.address_of(worker.block_lanes)
    context[Context.BRANCHES] = host_memory.address_of(worker.divisions)
    context[Context.SITES] = host_memory.address_of(worker.sites)
    context[Context.DEFECTS] = host_memory.address_of(worker.defects)
    context[Context.DEFECT_CAPACITY] = len(worker.defects)
    context[Context.ALONE] = int(threads == 1)
    context[Context.SLICE] = _SLICE if ordered else _SHORT_SLICE
    if settings.silent and prints:
        context[Context.SLICE] = min(_PRINTING_SLICE, int(context[Context.SLICE]))
    context[Context.BUDGET] = context[Context.SLICE]
    context[Context.LEFT] = _NO_BUDGET if settings.budget is None else settings.budget
    context[Context.PREFERRED] = LOWEST
    context[Context.PROCESSORS] = 1
    context[Context.CONTENTS] = _keep(worker, host_memory.zeroed_bytes(LANES * 16))


def _set_sites(
    worker: HostThread, kernel: Kernel, launch: Launch, memory: DeviceMemory, touched: TouchedSectors
) -> None:
    bounds = _Bounds(worker, kernel, launch, memory, touched)
    ranges = {access: bounds.of(access) for access in kernel.warp.accesses.values()}
    followed = _followed(ranges)
    for access, found in ranges.items():
        row = worker.sites[access.number]
        row[Site.LOW], row[Site.HIGH] = found.low, found.high
        flags = access.description & ~FIXED_BOUNDS
        flags |= FOLLOWED if access in followed else 0
        row[Site.DESCRIPTION] = flags | (FIXED_BOUNDS if found.fixed else 0)
        row[Site.NUMBER] = access.number
        row[Site.STEP_LOW], row[Site.STEP_HIGH] = NO_RANGE
        if found.buffer is not None:
            row[Site.TOUCHED] = touched.base_of(found.buffer, access.writes)
        if found.buffer is not None and found.fixed:
            row[Site.USED] = touched.used_base_of(found.buffer, access.writes)
    _set_places(worker, ranges)
    _set_unwritten(worker, ranges, memory, touched)


def _set_places(worker: HostThread, ranges: dict[Access, _Range]) -> None:
    """Lay the arrays that are updated atomically side by side in the tables of updates, each from the begin
    of a slice, so that counts do not depend on where the host keeps them.
    """
    updated = {
        access: found
        for access, found in ranges.items()
        if access.atomic and access.space != Space.SHARED and found.buffer is not None
    }
    begin = 0
    for low in dict.fromkeys(found.low for found in updated.values()):
        of_array = {access: found for access, found in updated.items() if found.low == low}
        # A sector stays one, also where a view begins inside of one.
        first = low >> SECTOR_SHIFT << SECTOR_SHIFT
        for access in of_array:
            worker.sites[access.number][Site.PLACED] = begin - first
        size = max(found.high for found in of_array.values()) - first
        begin += -(-size >> SLICE_SHIFT) << SLICE_SHIFT


def _set_unwritten(
    worker: HostThread, ranges: dict[Access, _Range], memory: DeviceMemory, touched: TouchedSectors
) -> None:
    """Let reads of buffers with sectors that nobody has written look into the maps of these.

    What an atomic operation reads is known to be unwritten only where no plain store goes to the buffer.
    """
    in_global = {
        access: found for access, found in ranges.items() if access.space in (Space.GLOBAL, Space.GENERIC)
    }
    stores = [found.buffer for access, found in in_global.items() if access.writes and not access.atomic]
    stored = {None if buffer is None else buffer.begin for buffer in stores}
    for access, found in in_global.items():
        written = None if found.buffer is None else memory.written.of(found.buffer.begin)
        if found.buffer is None or written is None or not access.reads:
            continue
        if access.atomic and (None in stored or found.buffer.begin in stored):
            continue
        row = worker.sites[access.number]
        row[Site.WRITTEN] = _keep(worker, written) - (found.buffer.begin >> SECTOR_SHIFT)
        row[Site.STORED] = 0 if access.atomic else touched.base_of(found.buffer, writes=True)


class _Range(NamedTuple):
    """Where an access may go: within a buffer of global memory, if there is one; `fixed` says nowhere else.

    No access fits between the addresses 1 and 0.
    """

    low: int = 1
    high: int = 0
    fixed: bool = False
    buffer: Buffer | None = None

    @property
    def is_nowhere(self) -> bool:
        """Whether no address at all is allowed."""
        return self.fixed and self.low > self.high


def _followed(ranges: dict[Access, _Range]) -> set[Access]:
    """The accesses of global memory whose buffer the kernel may change; strong ones do not race."""
    in_global = {
        access: found
        for access, found in ranges.items()
        if access.space in (Space.GLOBAL, Space.GENERIC) and (access.atomic or not access.strong)
    }
    changed = [found.buffer for access, found in in_global.items() if access.writes and not found.is_nowhere]
    begins = {None if buffer is None else buffer.begin for buffer in changed}
    return {
        access
        for access, found in in_global.items()
        if None in begins or found.buffer is None or found.buffer.begin in begins
    }


class _Bounds:
    """The addresses that an access may touch, and whether these are its only ones."""

    def __init__(
        self,
        worker: HostThread,
        kernel: Kernel,
        launch: Launch,
        memory: DeviceMemory,
        touched: TouchedSectors,
    ) -> None:
        self.context = worker.context
        self.kernel = kernel
        self.launch = launch
        self.touched = touched
        self.offsets = parameter_offsets(kernel.function.parameters)[0]
        self.given = {
            kernel.function.parameters[array.parameter].name: (array.low, array.high)
            for array in launch.arrays
        }
        names = kernel.warp.variables
        self.variables = dict(zip(names, kernel.variable_addresses(memory), strict=True))

    def of(self, access: Access) -> _Range:
        """Where an access may go."""
        placement = self.kernel.warp.placement
        if access.space == Space.SHARED:
            return self._shared(access.root)
        root = access.root
        if root is None or root in placement.local or root in placement.shared:
            return _Range()
        if root in self.variables:
            return self._within_buffer(self.variables[root])
        pointer = self._pointer(root)
        return _Range() if pointer is None else self._within_buffer(pointer, self.given.get(root))

    def _shared(self, root: str | None) -> _Range:
        begin = int(self.context[Context.SHARED])
        end = begin + int(self.context[Context.SHARED_SIZE])
        placed = self.kernel.warp.placement.shared
        if root not in placed or root is None:
            return _Range(begin, end, True)
        declared = {
            one.name: one.size
            for one in (*self.kernel.module.variables.values(), *self.kernel.function.variables)
        }
        size = declared[root]
        low = begin + placed[root]
        return _Range(low, low + size if size else end, True)

    def _pointer(self, root: str) -> int | None:
        """What a parameter, or a part of one, holds."""
        name, _, inside = root.partition("+")
        begin = self.offsets.get(name)
        if begin is None:
            return None
        begin += int(inside or 0)
        return int.from_bytes(self.launch.parameters[begin : begin + 8], "little")

    def _within_buffer(self, pointer: int, array: tuple[int, int] | None = None) -> _Range:
        """The part of a buffer that an array takes, or all of it; anywhere for a pointer to no buffer.

        What the program says of an array may reach beyond the buffer, or the buffer may have been freed.
        """
        buffer = self.touched.buffer_at(pointer)
        if buffer is None:
            return _Range(fixed=array is not None)
        low, high = array or (buffer.begin, buffer.end)
        low, high = max(low, buffer.begin), min(high, buffer.end)
        return _Range(low, high, True, buffer) if low < high else _Range(fixed=True)
