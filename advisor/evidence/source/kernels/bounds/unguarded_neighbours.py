"""Neighbours on both sides of the thread's own element, with nothing that leaves out the border."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from advisor.evidence.source.kernel_walk.affine_forms import Form, atom, number
from advisor.evidence.source.kernel_walk.index_bounds import grid_axis
from advisor.evidence.source.kernel_walk.kernel_facts import Access, Condition, KernelFacts, LoopContext
from advisor.model.records import Record

# The array by identity, the axis of it, and the axis of the grid whose threads stand along it.
_Line: TypeAlias = tuple[int, int, str]


def know_unguarded_neighbours(facts: KernelFacts, records: Sequence[Record]) -> None:
    """Say of each access, whose record stands at its place, whether it meets an element behind the thread's
    own, of an array of which threads meet one before their own as well, with no condition around either that
    may leave threads out.
    """
    reaches = [_reaches(access) for access in facts.accesses]
    before = {line for found in reaches for line, (lowest, _) in found.items() if lowest < 0}
    for found, record in zip(reaches, records, strict=True):
        behind = any(highest > 0 and line in before for line, (_, highest) in found.items())
        record.know("source", unguarded_neighbour=behind)


def _reaches(access: Access) -> dict[_Line, tuple[int, int]]:
    """How far from the thread's own element an access is at least and at most, along each axis."""
    array = access.array
    if array.space != "global" or not array.parameter or access.row is not None:
        return {}
    loops = access.place.loops
    found: dict[_Line, tuple[int, int]] = {}
    for number_of_axis, index in enumerate(access.indices):
        reach = None if index.is_slice else _reach(index.form, loops)
        if reach is not None:
            axis, *ends = reach
            found[id(array), number_of_axis, axis] = ends[0], ends[1]
    return {} if any(map(_chooses, access.place.conditions)) else found


def _chooses(condition: Condition) -> bool:
    """Whether a condition may leave out threads: it asks for their position, or for data."""
    return condition.loaded or any(name.startswith(("tid.", "bid.")) for name in condition.depends)


def _reach(index: Form, loops: Sequence[LoopContext]) -> tuple[str, int, int] | None:
    """The axis of the grid that an index runs along, and between which numbers it adds to the position."""
    terms, rest = dict(index.terms), index
    lowest = highest = index.offset
    for loop in loops:
        factor = terms.get((loop.counter,), 0)
        if factor and loop.trip_count:
            last = factor * (loop.trip_count - 1)
            lowest, highest = lowest + min(last, 0), highest + max(last, 0)
            rest = rest - atom(loop.counter) * number(factor)
    axis = grid_axis(rest.without_offset(), ())
    return None if axis is None else (axis, lowest, highest)
