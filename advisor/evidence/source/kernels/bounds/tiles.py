"""Loops that walk an axis of an array tile by tile: the last tile, in which the array ends.

Where the number of tiles is rounded up, a part of the last tile lies past the end, and whoever loads it asks
whether its place is inside; where it is rounded down, the elements behind the last whole tile are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from advisor.evidence.source.kernel_walk.affine_forms import THREAD, Atoms, Form, atom, number
from advisor.evidence.source.kernel_walk.index_bounds import is_guarded, spans_the_grid
from advisor.evidence.source.kernel_walk.kernel_facts import (
    Access,
    AccessGroups,
    KernelFacts,
    LoopContext,
    LoopUse,
)
from advisor.model.records import Record

_ONE = number(1)
# The size of an axis that is walked in tiles, and that of the tiles, each None where it is not known.
_Tiled: TypeAlias = tuple[int | None, int | None]


def know_last_tiles(facts: KernelFacts, groups: AccessGroups, records: Sequence[Record]) -> None:
    """Say of each access, whose record stands at its place, whether it goes past the end in the last tile of
    a loop, and whether the sizes that the launches pass are whole tiles.
    """
    for access, record in zip(facts.accesses, records, strict=True):
        tiles = _tiles_past_the_end(access, facts, groups)
        record.know("source", past_last_tile=bool(tiles), whole_tiles=_are_whole(tiles))


def know_left_out_tiles(loop: LoopUse, inside: Sequence[Access], facts: KernelFacts, record: Record) -> None:
    """Say of a loop over whole tiles whether nothing of the kernel meets what is behind the last of them, and
    whether the sizes that the launches pass are whole tiles; `inside` are the accesses in the loop.
    """
    tiles = _tiles_walked(loop, inside, facts)
    record.know("source", leaves_last_tile_out=bool(tiles), whole_tiles=_are_whole(tiles))


def _are_whole(tiles: Sequence[_Tiled]) -> bool:
    return bool(tiles) and all(size is not None and tile and size % tile == 0 for size, tile in tiles)


def _tiled(access: Access, axis: int, tile: Form) -> _Tiled:
    made = access.array.made
    return made[axis] if axis < len(made) else None, tile.constant


def _tiles_walked(loop: LoopUse, inside: Sequence[Access], facts: KernelFacts) -> list[_Tiled]:
    """The axes that a loop over whole tiles walks; none where a place outside of it meets the arrays."""
    context = loop.context
    whole = _whole_tiles(context, facts.atoms)
    walked = [
        (access, axis)
        for access in inside
        if whole is not None and access.array.parameter
        for axis, index in enumerate(access.indices)
        if _tile(index.form, context, access) == whole
    ]
    arrays = {id(access.array) for access, _ in walked}
    outside = (
        id(access.array) in arrays and context.counter not in {one.counter for one in access.place.loops}
        for access in facts.accesses
    )
    if whole is None or any(outside):
        return []
    return [_tiled(access, axis, whole) for access, axis in walked]


def _tiles_past_the_end(access: Access, facts: KernelFacts, groups: AccessGroups) -> list[_Tiled]:
    """The axes along which an access goes past the end in a last tile."""
    array = access.array
    if not array.parameter or array.space != "global" or access.row is not None:
        return []
    found: list[_Tiled] = []
    for axis, index in enumerate(access.indices):
        for context in access.place.loops:
            tile = None if index.is_slice else _tile(index.form, context, access)
            if tile is None or _asks_for_place(access, context):
                continue
            if _ends_in_last_tile(context, tile, facts.atoms) or _follows_rounded_grid(
                access, axis, context, facts, groups
            ):
                found.append(_tiled(access, axis, tile))
    return found


def _tile(index: Form, context: LoopContext, access: Access) -> Form | None:
    """The length of the tiles of which an index meets one in each iteration, at the place of the thread or of
    an inner loop that walks the tile; None for any other index.
    """
    if not context.over_range or any(name.startswith("bid.") for name in index.atoms()):
        return None
    factors = {
        tuple(name for name in monomial if name != context.counter): factor
        for monomial, factor in index.terms
        if context.counter in monomial
    }
    if len(factors) != 1:
        return None
    ((names, factor),) = factors.items()
    if names and (factor != 1 or len(names) != 1 or not names[0].startswith("bdim.")):
        return None
    tile = atom(names[0]) if names else number(factor)
    terms = dict(index.terms)
    inner = [one.counter for one in access.place.loops if one.stop is not None and one.stop == tile]
    places = [name for name in (*THREAD, *inner) if terms.get((name,)) == 1]
    return tile if places and tile != _ONE and factor > 0 else None


def _asks_for_place(access: Access, context: LoopContext) -> bool:
    """Whether something beside a loop itself bounds what follows its counter around an access."""
    return any(
        context.counter in monomial and factor > 0
        for condition in access.place.conditions
        for bound in condition.bounds
        if condition.node is not context.node or not bound.atoms().isdisjoint(THREAD)
        for monomial, factor in bound.terms
    )


def _ends_in_last_tile(context: LoopContext, tile: Form, atoms: Atoms) -> bool:
    """Whether a loop goes on to the tile in which its size ends: the number of tiles is rounded up, or the
    loop takes steps of a tile up to the size itself.
    """
    if context.stop is None or context.stop.constant is not None:
        return False
    if context.step == tile:
        return _is_size(context.stop)
    return context.step == _ONE and _rounding(context.stop, tile, atoms) == "up"


def _whole_tiles(context: LoopContext, atoms: Atoms) -> Form | None:
    """The length of the tiles of a loop that has as many iterations as there are whole ones."""
    if context.stop is None or context.step != _ONE or context.trip_count is not None:
        return None
    quotient = atoms.quotient(context.stop)
    if quotient is None or _rounding(context.stop, quotient.divisor, atoms) != "down":
        return None
    return quotient.divisor


def _rounding(count: Form, tile: Form, atoms: Atoms) -> str | None:
    """Whether a number of tiles is a size in tiles rounded up or down; None for any other number."""
    rest = count.without_offset()
    more = count.offset
    quotient = atoms.quotient(rest) or atoms.quotient(-rest)
    if quotient is None or quotient.divisor != tile or not 0 <= more <= 1:
        return None
    dividend = quotient.dividend
    if atoms.quotient(rest) is None:
        return "up" if more == 0 and _is_size(-dividend) else None
    if quotient.up or _is_size(dividend - tile + _ONE):
        return "up" if more == 0 else None
    if more:
        return "up" if _is_size(dividend) or _is_size(dividend + _ONE) else None
    return "down" if _is_size(dividend) else None


def _is_size(value: Form) -> bool:
    """Whether a value is a size that the kernel is given: of an array, or a number, not one of the launch."""
    names = value.atoms()
    return (
        len(names) == 1
        and value == atom(next(iter(names)))
        and not any("#" in name or name.startswith(("tid.", "bid.", "bdim.", "gdim.")) for name in names)
    )


def _follows_rounded_grid(
    access: Access, axis: int, context: LoopContext, facts: KernelFacts, groups: AccessGroups
) -> bool:
    """Whether a loop has an iteration for each block of a grid that is rounded up: a condition around the
    access bounds the thread's position in it. An axis along which each thread of the grid has an element is
    made as long as the grid.
    """
    if not context.counts_blocks:
        return False
    rounded = any(
        factor > 0 and any(name.startswith("bid.") for name in monomial)
        for condition in access.place.conditions
        for bound in condition.bounds.union(*condition.alternatives)
        for monomial, factor in bound.terms
    )
    return rounded and not any(
        spans_the_grid(facts.atoms.depends(other.indices[axis].form)) and not is_guarded(other, facts.atoms)
        for other in groups.of(access.array)
        if axis < len(other.indices)
    )
