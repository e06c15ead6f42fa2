"""Defects that the machine saw, in words of the source: line, array, block and thread."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from advisor.evidence.simulated.simt.launch import Extent, Launch
from advisor.evidence.simulated.simt.machine import DefectSeen, Execution
from advisor.evidence.simulated.simt.statistics import place_of
from advisor.evidence.simulated.simt.vector.kernels import Kernel
from advisor.evidence.simulated.simt.vector.layout import AT_BARRIER, Defect

_KINDS = {
    Defect.OUT_OF_BOUNDS: "out_of_bounds",
    Defect.MISALIGNED: "misaligned",
    Defect.RACE: "race",
    Defect.UNINITIALISED: "uninitialised",
    Defect.BARRIER: "barrier",
    Defect.TRAP: "trap",
    Defect.INDEX_OVERFLOW: "index_overflow",
}


@dataclass
class FoundDefect:
    """One kind of defect at one line: the first block and thread that met it, and how many times it was
    noted.

    `distance` is the number of bytes by which an access lies beyond its array's end, negative before its
    begin; `access` says load, store or atomic.
    """

    kind: str
    path: str
    line: int
    array: str
    access: str
    block: Extent
    thread: Extent
    distance: int | None = None
    count: int = 1

    def as_data(self) -> dict[str, Any]:
        """The defect as plain data for a store."""
        return asdict(self)


def place_in(number: int, extent: Extent) -> Extent:
    """The three coordinates of a linear number in a grid or a block."""
    column, rest = number % extent[0], number // extent[0]
    return column, rest % extent[1], rest // extent[1]


def found_defects(
    kernel: Kernel, launch: Launch, execution: Execution, names: dict[str, str]
) -> list[FoundDefect]:
    """The defects of an execution, one for each kind, line and array."""
    found: dict[tuple[Any, ...], FoundDefect] = {}
    by_number = {access.number: access for access in kernel.warp.accesses.values()}
    for seen in execution.defects:
        defect = _defect(kernel, launch, seen, names, by_number)
        key = (defect.kind, defect.path, defect.line, defect.array)
        if key in found:
            found[key].count += 1
        else:
            found[key] = defect
    racing = {(one.path, one.line, one.array) for one in found.values() if one.kind == "race"}
    # What a race reads too early was not written yet; the race is what has to be fixed.
    return [
        one
        for one in found.values()
        if one.kind != "uninitialised" or (one.path, one.line, one.array) not in racing
    ]


def _defect(
    kernel: Kernel, launch: Launch, seen: DefectSeen, names: dict[str, str], by_number: dict[int, Any]
) -> FoundDefect:
    kind = Defect(seen.kind)
    array, access_kind, distance = "", "", None
    if kind == Defect.BARRIER:
        path, line = _barrier_place(kernel, seen.address)
    elif kind in (Defect.TRAP, Defect.INDEX_OVERFLOW):
        items = (item for item in kernel.function.instructions if item.text_line == seen.address)
        path, line = place_of(next((item.location for item in items), None))
    else:
        access = by_number[seen.access]
        path, line = place_of(kernel.function.instructions[access.instruction].location)
        array = names.get(access.root or "", "")
        access_kind = "atomic" if access.atomic else "store" if access.writes else "load"
        bounds = {given.name: (given.low, given.high) for given in launch.arrays}.get(array)
        if bounds is not None and kind == Defect.OUT_OF_BOUNDS:
            distance = seen.address - bounds[0] if seen.address < bounds[0] else seen.address - bounds[1]
    return FoundDefect(
        _KINDS[kind], path, line, array, access_kind, place_in(seen.block, launch.grid),
        place_in(seen.thread, launch.block), distance,
    )  # fmt: skip


def _barrier_place(kernel: Kernel, counter: int) -> tuple[str, int]:
    """The place of the barrier behind which a waiting lane would go on at a block."""
    target = counter & (AT_BARRIER - 1)
    for block in kernel.warp.blocks:
        if block.at_barrier and block.successors[:1] == (target,):
            return place_of(kernel.function.instructions[block.last - 1].location)
    return "", 0
