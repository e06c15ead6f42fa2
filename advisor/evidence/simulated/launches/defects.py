"""Defects that the machine saw, in words of the source: line, array, block and thread."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from advisor.evidence.simulated.driver.executor import ArgumentNote, Place
from advisor.evidence.simulated.simt.launch import Extent, Launch
from advisor.evidence.simulated.simt.machine import DefectSeen, Execution
from advisor.evidence.simulated.simt.statistics import place_of
from advisor.evidence.simulated.simt.vector.kernels import Kernel
from advisor.evidence.simulated.simt.vector.layout import AT_BARRIER, Defect, Site
from advisor.evidence.simulated.simt.vector.sites import Access
from advisor.evidence.simulated.simt.written_sectors import UnwrittenPart

_KINDS = {
    Defect.OUT_OF_BOUNDS: "out_of_bounds",
    Defect.MISALIGNED: "misaligned",
    Defect.RACE: "race",
    Defect.UNINITIALISED: "uninitialised",
    Defect.BARRIER: "barrier",
    Defect.TRAP: "trap",
    Defect.INDEX_OVERFLOW: "index_overflow",
    Defect.RACE_OF_BLOCKS: "global_race",
    Defect.RACE_OF_WARPS: "global_race",
    Defect.ATOMIC_BESIDE_BLOCK: "atomic_race",
    Defect.ATOMIC_BESIDE_WARP: "atomic_race",
    Defect.UNFENCED: "unfenced",
    Defect.UNWRITTEN: "unwritten",
    Defect.OUTSIDE_MASK: "outside_mask",
    Defect.ABSENT_LANE: "absent_lane",
}
# What is noted with a line of the PTX text in place of an access.
_OF_INSTRUCTIONS = (Defect.TRAP, Defect.INDEX_OVERFLOW, Defect.OUTSIDE_MASK, Defect.ABSENT_LANE)
_OF_WARPS = frozenset({Defect.RACE_OF_WARPS, Defect.ATOMIC_BESIDE_WARP})


@dataclass
class FoundDefect:
    """One kind of defect at one line: the first block and thread that met it, and how many times it was
    noted.

    `distance` is the number of bytes by which an access lies beyond its array's end, negative before its
    begin; `access` says load, store or atomic. A race in global memory has another access, that of `other_by`
    (another block, or another warp of the block) at `other_path` and `other_line`. A copy to the host of
    memory that nothing has written stands at the line of the program and has no block and thread; of its
    `elements` so many are `unwritten`, `first` is the first of them.
    """

    kind: str
    path: str
    line: int
    array: str
    access: str
    block: tuple[int, ...]
    thread: tuple[int, ...]
    distance: int | None = None
    count: int = 1
    other_by: str = ""
    other_access: str = ""
    other_path: str = ""
    other_line: int = 0
    elements: int | None = None
    unwritten: int | None = None
    first: int | None = None

    def as_data(self) -> dict[str, Any]:
        """The defect as plain data for a store."""
        return asdict(self)


def place_in(number: int, extent: Extent) -> Extent:
    """The three coordinates of a linear number in a grid or a block."""
    column, rest = number % extent[0], number // extent[0]
    return column, rest % extent[1], rest // extent[1]


def found_defects(
    kernel: Kernel, launch: Launch, execution: Execution, names: dict[str, str], by_blocks: bool = False
) -> list[FoundDefect]:
    """The defects of an execution, one for each kind, line and array.

    A kernel written `by_blocks` says nothing of warps: its compiler lets several of them do the same, and
    load what one of them then stores, without taking it. Races between the warps of a block are not told.
    """
    found: dict[tuple[Any, ...], FoundDefect] = {}
    by_number = {access.number: access for access in kernel.warp.accesses.values()}
    for seen in execution.defects:
        if _is_first_look(seen, execution) or (by_blocks and Defect(seen.kind) in _OF_WARPS):
            continue
        defect = _defect(kernel, launch, seen, names, by_number)
        key = (defect.kind, defect.path, defect.line, defect.array)
        if key in found:
            found[key].count += 1
        else:
            found[key] = defect
    # What a race reads too early was not written yet; the race is what has to be fixed. So is a missing fence
    # where the load and the store of one line race.
    racing = {_place(one) for one in found.values() if one.kind == "race"}
    unfenced = {_place(one) for one in found.values() if one.kind == "unfenced"}
    hidden = {"uninitialised": racing, "global_race": unfenced}
    return [one for one in found.values() if _place(one) not in hidden.get(one.kind, ())]


def unwritten_copy(argument: ArgumentNote, part: UnwrittenPart, size: int, place: Place) -> FoundDefect:
    """What is wrong with a copy of `size` bytes of an array to the host."""
    item = _item_size(argument)
    return FoundDefect(
        "unwritten_copy", place[0] or "", place[1] or 0, argument.name, "copy", (), (),
        elements=size // item, unwritten=max(1, part.size // item), first=part.first // item,
    )  # fmt: skip


def _item_size(argument: ArgumentNote) -> int:
    """The bytes of an array's element, where it lies without gaps; else 1."""
    count = math.prod(argument.shape or ())
    size = argument.size or 0
    return size // count if count and size >= count and size % count == 0 else 1


def _place(defect: FoundDefect) -> tuple[str, int, str]:
    return defect.path, defect.line, defect.array


def _is_first_look(seen: DefectSeen, execution: Execution) -> bool:
    """Whether what is beside an atomic operation is a load of what its warp then compares atomically."""
    if Defect(seen.kind) not in (Defect.ATOMIC_BESIDE_BLOCK, Defect.ATOMIC_BESIDE_WARP):
        return False
    numbers = [number for number in (seen.access, seen.other) if number is not None]
    return any(execution.sites[number][Site.COMPARED_LATER] for number in numbers)


def _defect(
    kernel: Kernel, launch: Launch, seen: DefectSeen, names: dict[str, str], by_number: dict[int, Access]
) -> FoundDefect:
    kind = Defect(seen.kind)
    array, access_kind, distance = "", "", None
    if kind == Defect.BARRIER:
        path, line = _barrier_place(kernel, seen.address)
    elif kind in _OF_INSTRUCTIONS:
        items = (item for item in kernel.function.instructions if item.text_line == seen.address)
        path, line = place_of(next((item.location for item in items), None))
    else:
        access = by_number[seen.access]
        path, line = place_of(kernel.function.instructions[access.instruction].location)
        array = names.get(access.root or "", "")
        access_kind = _kind_of(access)
        bounds = {given.name: (given.low, given.high) for given in launch.arrays}.get(array)
        if bounds is not None and kind == Defect.OUT_OF_BOUNDS:
            distance = seen.address - bounds[0] if seen.address < bounds[0] else seen.address - bounds[1]
    found = FoundDefect(
        _KINDS[kind], path, line, array, access_kind, place_in(seen.block, launch.grid),
        place_in(seen.thread, launch.block), distance,
    )  # fmt: skip
    if seen.other is not None:
        other = by_number[seen.other]
        instruction = kernel.function.instructions[other.instruction]
        found.other_by = "another warp of the block" if kind in _OF_WARPS else "another block"
        found.other_access = _kind_of(other)
        found.other_path, found.other_line = place_of(instruction.location)
    return found


def _kind_of(access: Access) -> str:
    return "atomic" if access.atomic else "store" if access.writes else "load"


def _barrier_place(kernel: Kernel, counter: int) -> tuple[str, int]:
    """The place of the barrier behind which a waiting lane would go on at a block."""
    target = counter & (AT_BARRIER - 1)
    for block in kernel.warp.blocks:
        if block.at_barrier and block.successors[:1] == (target,):
            return place_of(kernel.function.instructions[block.last - 1].location)
    return "", 0
