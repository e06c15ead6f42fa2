"""Indices beside the one that a guard keeps inside of an array, which may lie past its end."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from advisor.evidence.source.kernel_walk.affine_forms import Form, atom, number
from advisor.evidence.source.kernel_walk.kernel_facts import Access, Condition, KernelFacts, LoopContext
from advisor.model.records import Record
from advisor.program.launches.block_shape import BlockShape

_ONE = number(1)
_POSITION = ("tid.", "bid.")


def know_elements_past_the_end(
    facts: KernelFacts, shapes: Sequence[BlockShape], records: Sequence[Record]
) -> None:
    """Say of each access, whose record stands at its place, how many elements past the end of its array the
    conditions around it let an index go, 0 where none is seen to, and how many of these are left without the
    number that the index adds to the thread's position. `shapes` are the blocks of the kernel's launches.
    """
    block = _one_block(shapes)
    for access, record in zip(facts.accesses, records, strict=True):
        past = _past_end(access, block)
        record.know("source", elements_past_end=past.of_index, position_past_end=past.of_position)


class _Past(NamedTuple):
    """By how many elements an index passes the end, and by how many without what it adds to the position."""

    of_index: int = 0
    of_position: int = 0


def _one_block(shapes: Sequence[BlockShape]) -> dict[str, int]:
    """The threads along the axes where all launches have as many, by the names that the walk has for them."""
    found = {}
    for axis in "xyz":
        sizes = {getattr(one, axis) if one.stated else None for one in shapes}
        size = sizes.pop() if len(sizes) == 1 else None
        if size is not None:
            found[f"bdim.{axis}"] = size
    return found


def _past_end(access: Access, block: Mapping[str, int]) -> _Past:
    array = access.array
    if not array.parameter or array.space != "global" or access.whole or access.row is not None:
        return _Past()
    conditions = access.place.conditions
    if not all(_compares_by_order(one.node) for one in conditions if _asks_for_position(one)):
        return _Past()
    past = [
        _past_bounds(index.form, _extents(array.name, axis, len(access.indices)), conditions, access, block)
        for axis, index in enumerate(access.indices)
        if not index.is_slice
    ]
    return max(past, default=_Past())


def _asks_for_position(condition: Condition) -> bool:
    if isinstance(condition.node, ast.For):
        return False
    return any(name.startswith((*_POSITION, "loop#")) for name in condition.depends)


def _compares_by_order(test: ast.AST) -> bool:
    """Whether a test has nothing but comparisons by order: what an equality leaves out is not known."""
    if isinstance(test, ast.While):
        return _compares_by_order(test.test)
    if isinstance(test, ast.BoolOp):
        return all(map(_compares_by_order, test.values))
    return isinstance(test, ast.Compare) and all(
        isinstance(one, ast.Lt | ast.LtE | ast.Gt | ast.GtE) for one in test.ops
    )


def _extents(array: str, axis: int, rank: int) -> list[Form]:
    """The names under which the walk knows an array's size along an axis."""
    sizes = [atom(f"{array}.shape[{axis}]")]
    return [*sizes, atom(f"{array}.size")] if rank == 1 else sizes


def _past_bounds(
    index: Form,
    sizes: Sequence[Form],
    conditions: Iterable[Condition],
    access: Access,
    block: Mapping[str, int],
) -> _Past:
    """By how many elements the strictest bound on an index lets it pass the end; 0 where it stays inside, and
    where something else bounds it as well.
    """
    if not any(name.startswith(_POSITION) for name in index.atoms()):
        return _Past()
    highest = _highest(index, access.place.loops, block)
    found: list[tuple[int, int]] = []
    for difference in {one for condition in conditions for one in condition.bounds}:
        for form in {index, highest}:
            beside = difference - form
            if any(name.startswith(_POSITION) or "#" in name for name in beside.atoms()):
                continue
            room = next(
                (rest for size in sizes if (rest := (beside + size - _ONE).constant) is not None), None
            )
            if room is None and difference.atoms() - form.atoms():
                # Another size bounds it, which may be smaller.
                return _Past()
            if room is not None:
                found.append((room, form.offset))
    room, offset = max(found, default=(0, 0))
    return _Past(max(0, -room), max(0, -room - max(0, offset)))


def _highest(index: Form, loops: Sequence[LoopContext], block: Mapping[str, int]) -> Form:
    """An index at the last iteration of the loops of constant length that it rises with, by elements or by
    blocks of known size.
    """
    for loop in loops:
        for monomial, factor in index.terms:
            rest = tuple(name for name in monomial if name != loop.counter)
            by_blocks = len(rest) + 1 == len(monomial) and all(name in block for name in rest)
            if loop.trip_count and factor > 0 and by_blocks:
                step = factor * math.prod(block[name] for name in rest)
                index = index - Form(((monomial, factor),)) + number(step * (loop.trip_count - 1))
    return index
