"""The counts of a launch when something about its kernel is changed: what a remedy saves, within bounds.

What is asked of a stage is counted; what passes it to the next one is not known of the changed kernel. It is
between what passes if the cache finds as large a part as before, and what passes if the cache had found just
what is no longer asked for. The bytes that threads use still come from DRAM, whoever of them asks for them:
coalescing saves what it fetched of sectors for nothing (docs/decisions/0062).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from advisor.evidence.metrics.times.launch_counts import LaunchCounts
from advisor.model.devices import Device
from advisor.model.errors import EvidenceUnavailable
from advisor.model.occupancy import occupancy

_SECTOR_BYTES = 32
# Sectors of a cache line, and those that pass the banks of L1 at a time.
_SECTORS_OF_A_LINE = 4
# A request whose lanes lie in a line each has 32 lines; side by side they have one or two, and 28 or 24
# sectors fewer.
_LINES_OF_A_SAVED_SECTOR = 30 / 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What a remedy makes of a launch, as factors of what it counts; 1 changes nothing.

    `loads` and `stores` are the requests of warps to global and local memory, atomic updates among the
    stores; `load_sectors` and `store_sectors` the sectors of a mean request, as coalescing changes them.
    `load_rounds` is how often a warp waits for loads, `shared_wavefronts` what conflicts of banks multiply,
    `updates` the atomic updates that meet at one place, `instructions` all machine instructions.

    `element_bytes` is the size of the elements of all arrays in global memory, whose sectors go with it.
    `fp64_as_fp32` is the share of float64 instructions that become float32; `undivided` makes all lanes of
    each warp active. The rest is what blocks are from then on: threads, registers of a thread, bytes of
    shared memory; a grid of other blocks has as many threads.
    """

    loads: float = 1.0
    load_sectors: float = 1.0
    load_rounds: float = 1.0
    stores: float = 1.0
    element_bytes: float = 1.0
    store_sectors: float = 1.0
    shared_wavefronts: float = 1.0
    updates: float = 1.0
    instructions: float = 1.0
    fp64_as_fp32: float = 0.0
    undivided: bool = False
    block_threads: int | None = None
    registers: int | None = None
    shared_bytes: int | None = None

    def __post_init__(self) -> None:
        factors = (
            self.loads, self.load_sectors, self.load_rounds, self.stores, self.store_sectors,
            self.element_bytes, self.shared_wavefronts, self.updates, self.instructions,
        )  # fmt: skip
        if min(factors) < 0.0 or not 0.0 <= self.fp64_as_fp32 <= 1.0:
            raise ValueError("Factors are not negative, and a share is between 0 and 1.")

    @property
    def is_of_blocks(self) -> bool:
        """Whether it changes how many blocks are resident."""
        return any(one is not None for one in (self.block_threads, self.registers, self.shared_bytes))


def changed(counts: LaunchCounts, change: Change, device: Device) -> tuple[LaunchCounts, LaunchCounts] | None:
    """The counts with the most and with the least that a change may save.

    None where the number that it changes is not known, or where no block can be resident.
    """
    found = []
    for saves_most in (True, False):
        one = _with_memory(_with_elements(counts, change), change, saves_most)
        one = _with_instructions(one, change, saves_most) if one is not None else None
        if one is not None and change.is_of_blocks:
            one = _with_blocks(one, change, device)
        if one is None:
            return None
        found.append(one)
    return found[0], found[1]


def with_occupancy(counts: LaunchCounts, device: Device) -> LaunchCounts | None:
    """The counts with the resident blocks that registers, shared memory and threads allow; None where these
    are not known, or allow none.
    """
    if counts.registers is None or counts.block_threads is None:
        return None
    try:
        found = occupancy(
            device,
            registers=int(counts.registers),
            shared_bytes=int(counts.shared_bytes or 0.0),
            block_threads=int(counts.block_threads),
        )
    except (EvidenceUnavailable, ValueError):
        return None
    if not found.resident_blocks:
        return None
    resident = float(found.resident_blocks)
    return replace(counts, resident_blocks=resident, theoretical_occupancy=found.ratio)


def _with_blocks(counts: LaunchCounts, change: Change, device: Device) -> LaunchCounts | None:
    threads, grid = counts.block_threads, counts.grid_blocks
    if change.block_threads is not None:
        if not threads or not grid:
            return None
        grid = grid * threads / change.block_threads
        threads = float(change.block_threads)
    registers = counts.registers if change.registers is None else float(change.registers)
    shared = counts.shared_bytes if change.shared_bytes is None else float(change.shared_bytes)
    return with_occupancy(
        replace(counts, block_threads=threads, grid_blocks=grid, registers=registers, shared_bytes=shared),
        device,
    )


# -- instructions ------------------------------------------------------------------------------------------
def _with_instructions(counts: LaunchCounts, change: Change, saves_most: bool) -> LaunchCounts | None:
    """The counts with other instructions.

    Whether instructions that are saved stand in the longest chains is not known. Where a branch divides
    warps, both sides are run one after the other; at most so many slots are saved that all lanes are active.
    """
    slots = steps = change.instructions
    if change.undivided:
        if counts.warp_execution_efficiency is None:
            return None
        slots *= counts.warp_execution_efficiency if saves_most else 1.0
    if slots < 1.0 and not saves_most:
        steps = max(1.0, steps)
    moved = change.fp64_as_fp32 * (counts.fp64_slots or 0.0)
    waits = change.fp64_as_fp32 * (counts.chained_fp64_steps or 0.0)
    return replace(
        counts,
        issue_slots=_times(counts.issue_slots, slots),
        fp32_slots=_times(_plus(counts.fp32_slots, moved), slots),
        fp64_slots=_times(_plus(counts.fp64_slots, -moved), slots),
        multiply_slots=_times(counts.multiply_slots, slots),
        special_slots=_times(counts.special_slots, slots),
        chained_arithmetic_steps=_times(_plus(counts.chained_arithmetic_steps, waits), steps),
        chained_fp64_steps=_times(_plus(counts.chained_fp64_steps, -waits), steps),
        chained_special_steps=_times(counts.chained_special_steps, steps),
        chained_shared_steps=_times(counts.chained_shared_steps, steps),
        chained_issue_steps=_times(counts.chained_issue_steps, steps),
        shared_wavefronts=_times(counts.shared_wavefronts, change.shared_wavefronts),
        joined_wavefronts=_times(counts.joined_wavefronts, change.shared_wavefronts),
        hottest_element_updates=_times(counts.hottest_element_updates, change.updates),
        hottest_slice_sectors=_times(counts.hottest_slice_sectors, change.updates),
    )


def _with_elements(counts: LaunchCounts, change: Change) -> LaunchCounts:
    """The counts with elements of another size: as many sectors find their place in the caches as before."""
    factor = change.element_bytes
    if factor == 1.0:
        return counts
    requests = counts.load_requests or 0.0
    lines, passes = _times(counts.load_lines, factor), _times(counts.load_wavefronts, factor)
    return replace(
        counts,
        load_sectors=_times(counts.load_sectors, factor),
        l1_sectors=_times(counts.l1_sectors, factor),
        load_lines=None if lines is None else max(lines, min(requests, counts.load_lines or 0.0)),
        load_wavefronts=None if passes is None else max(passes, min(requests, counts.load_wavefronts or 0.0)),
        store_lines=_times(counts.store_lines, factor),
        partial_store_lines=_times(counts.partial_store_lines, factor),
        l2_sectors=_times(counts.l2_sectors, factor),
        dram_bytes=_times(counts.dram_bytes, factor),
        needed_load_sectors=_times(counts.needed_load_sectors, factor),
        needed_dram_bytes=_times(counts.needed_dram_bytes, factor),
    )


# -- memory ------------------------------------------------------------------------------------------------
def _with_memory(counts: LaunchCounts, change: Change, saves_most: bool) -> LaunchCounts | None:
    loads, stores = change.loads * change.load_sectors, change.stores * change.store_sectors
    if loads == stores == change.loads == change.stores == change.load_rounds == 1.0:
        return counts
    if not counts.l1_sectors:
        return _with_requests(counts, change, saves_most)
    loaded, stored = counts.load_sectors, counts.store_sectors
    if loaded is None or stored is None:
        return None
    now = _Sectors(loaded * loads, stored * stores)
    before = _Sectors(loaded, stored)
    return replace(
        _with_requests(_with_lines(counts, change, now, saves_most), change, saves_most),
        load_sectors=now.loaded,
        l1_sectors=now.total,
        l2_sectors=_l2_sectors(counts, before, now, saves_most, min(1.0, change.loads)),
        dram_bytes=_dram_bytes(counts, before, now, saves_most, min(1.0, change.loads, change.stores)),
    )


@dataclass(frozen=True, slots=True)
class _Sectors:
    """The sectors that a launch asks L1 for."""

    loaded: float
    stored: float

    @property
    def total(self) -> float:
        return self.loaded + self.stored


def _l2_sectors(
    counts: LaunchCounts, before: _Sectors, now: _Sectors, saves_most: bool, asked: float
) -> float | None:
    """Of loads what L1 does not find, of stores all; `asked` is the part of the loads that is left."""
    if counts.l2_sectors is None:
        return None
    stored = min(counts.l2_sectors, before.stored)
    loaded = counts.l2_sectors - stored
    needed = min(loaded, asked * (counts.needed_load_sectors or 0.0))
    left = max(needed, _passing(loaded, before.loaded, now.loaded, saves_most))
    return left + stored * _part(now.stored, before.stored)


def _dram_bytes(
    counts: LaunchCounts, before: _Sectors, now: _Sectors, saves_most: bool, asked: float
) -> float | None:
    """What L2 does not find, of loads and stores together, or of stores as much as they ask for; `asked` is
    the part of the requests that is left.
    """
    if counts.dram_bytes is None:
        return None
    moved = counts.dram_bytes / _SECTOR_BYTES
    together = _passing(moved, before.total, now.total, saves_most)
    if saves_most:
        stored = min(moved, before.stored)
        apart = _passing(moved - stored, before.loaded, now.loaded, True)
        together = min(together, apart + stored * _part(now.stored, before.stored))
    needed = min(counts.dram_bytes, asked * (counts.needed_dram_bytes or 0.0))
    return max(needed, together * _SECTOR_BYTES)


def _passing(passed: float, asked: float, now: float, saves_most: bool) -> float:
    """The sectors that pass a cache when `now` are asked for, where `passed` of those `asked` for did."""
    in_proportion = passed * _part(now, asked)
    return in_proportion if saves_most or now >= asked else min(passed, max(now, in_proportion))


def _with_lines(counts: LaunchCounts, change: Change, now: _Sectors, saves_most: bool) -> LaunchCounts:
    """The counts with other lines and passes through the banks: at worst with as many sectors of each as
    before, at best full ones, as far as the sectors that are saved can bring it.
    """
    loads, stores = change.loads * change.load_sectors, change.stores * change.store_sectors
    requests = (counts.load_requests or 0.0) * change.loads
    full, full_stores = max(requests, now.loaded / _SECTORS_OF_A_LINE), now.stored / _SECTORS_OF_A_LINE
    loaded = max(0.0, (counts.load_sectors or 0.0) - now.loaded) * _LINES_OF_A_SAVED_SECTOR
    stored = max(0.0, (counts.store_sectors or 0.0) - now.stored) * _LINES_OF_A_SAVED_SECTOR
    if not saves_most:
        loaded = stored = 0.0
    # Sectors that are no longer stored are those that were filled in part.
    return replace(
        counts,
        load_lines=_fewer(counts.load_lines, loads, full, loaded),
        load_wavefronts=_fewer(counts.load_wavefronts, loads, full, loaded),
        store_lines=_fewer(counts.store_lines, stores, full_stores, stored),
        partial_store_lines=_fewer(counts.partial_store_lines, stores, 0.0, stored),
    )


def _fewer(count: float | None, factor: float, full: float, saved: float) -> float | None:
    """The lines that are left: as many as the sectors in proportion, or `saved` fewer than before, but no
    fewer than there would be if all were `full`.
    """
    if count is None or factor == 1.0:
        return count
    in_proportion = count * factor
    left = min(in_proportion, count - saved) if saved else in_proportion
    return max(left, min(full, count))


def _with_requests(counts: LaunchCounts, change: Change, saves_most: bool) -> LaunchCounts:
    """The counts with other requests; loads that are saved may be those that waited, or not."""
    loads = _times(counts.load_requests, change.loads)
    saved = (counts.load_requests or 0.0) - (loads or 0.0)
    saved += (1.0 - change.stores) * (counts.stores_per_warp or 0.0) * (counts.warps or 0.0)
    rounds = change.load_rounds * (change.loads if saves_most else max(1.0, change.loads))
    past = 1.0 if saves_most or not change.loads else max(1.0, 1.0 / change.loads)
    return replace(
        counts,
        load_requests=loads,
        memory_requests=_plus(counts.memory_requests, -saved),
        loads_per_warp=_times(counts.loads_per_warp, change.loads),
        load_rounds_per_warp=_times(counts.load_rounds_per_warp, rounds),
        loads_past_l1=_share(_times(counts.loads_past_l1, past)),
        loads_past_l2=_share(_times(counts.loads_past_l2, past)),
        stores_per_warp=_times(counts.stores_per_warp, change.stores),
    )


def _times(count: float | None, factor: float) -> float | None:
    return None if count is None else count * factor


def _plus(count: float | None, more: float) -> float | None:
    return None if count is None else max(0.0, count + more)


def _share(count: float | None) -> float | None:
    return None if count is None else min(1.0, count)


def _part(now: float, before: float) -> float:
    return now / before if before else 1.0


def all_changed(
    counts: LaunchCounts, changes: Iterable[Change], device: Device
) -> tuple[LaunchCounts, ...] | None:
    """The counts that a launch may have after all changes, one after the other."""
    possible: tuple[LaunchCounts, ...] = (counts,)
    for change in changes:
        each = [changed(one, change, device) for one in possible]
        pairs = [one for one in each if one is not None]
        if len(pairs) < len(each):
            return None
        # What saves the most stays that, and so does what saves the least.
        possible = (pairs[0][0], pairs[-1][1])
    return possible
