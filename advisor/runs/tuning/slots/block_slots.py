"""The block of a kernel's launches as numbers that can be changed together with the grid."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from advisor.fixes.support.launches.launch_sites import LaunchSite
from advisor.program.syntax.literals import written_integer
from advisor.runs.tuning.reached import integers_in, number, reached_expressions, slot_name
from advisor.runs.tuning.slots.numbers_in_source import Slot, Spot

AXES = "xyz"


@dataclass(frozen=True)
class BlockSlots:
    """The slot of each axis of the block, or the reason why the block cannot be changed.

    One slot may stand for several axes (`(TILE, TILE)`). `values` are the present threads of each axis.
    """

    axes: tuple[Slot, ...]
    values: tuple[int, ...]
    reason: str = ""


def block_slots(sites: Sequence[LaunchSite], paths: Sequence[str], grid_stride: bool) -> BlockSlots:
    """The block's slots in all launches, which must agree; `paths` are the files of the launches.

    `grid_stride` says that the kernel covers its data whatever the grid is.
    """
    read = [_read(site, path, grid_stride) for site, path in zip(sites, paths, strict=True)]
    for one in read:
        if isinstance(one, str):
            return BlockSlots((), (), one)
    axes = [one for one in read if not isinstance(one, str)]
    if not axes:
        return BlockSlots((), (), "no launch of it was found in the source")
    if len({len(one) for one in axes}) > 1:
        return BlockSlots((), (), "its launches give the block different numbers of axes")
    merged = [_merged([one[axis] for one in axes]) for axis in range(len(axes[0]))]
    slots = tuple(_shared(slot, merged) for slot in merged)
    return BlockSlots(slots, tuple(slot.value for slot in slots))


def grid_slots(sites: Sequence[LaunchSite], paths: Sequence[str]) -> list[Slot]:
    """The number of blocks where a launch gives it as one number, for kernels that cover their data with any.

    Launches with other numbers of blocks have no such slot.
    """
    found = []
    for site, path in zip(sites, paths, strict=True):
        grid = site.defined(site.grid)
        if not isinstance(grid, ast.Constant) or written_integer(grid) is None:
            return []
        name = slot_name(site.module, grid, "grid")
        found.append(Slot(name, number(grid), (_spot(site, path, grid, 0),)))
    return [_merged(found)] if len({slot.value for slot in found}) == 1 else []


def _read(site: LaunchSite, path: str, grid_stride: bool) -> list[Slot] | str:
    """The slots of one launch, or the reason why there are none."""
    place = f"{path}:{site.module.line_of(site.module.range_of(site.subscript)[0])}"
    block = site.defined(site.block)
    parts = block.elts if isinstance(block, ast.Tuple) else [block]
    values = [site.defined(part) for part in parts]
    literals = [one for one in values if isinstance(one, ast.Constant) and written_integer(one) is not None]
    if len(literals) != len(values) or not literals:
        return f"the block at {place} is not made of numbers in the file"
    found = []
    for axis, integer in enumerate(literals):
        spots = _spots(site, path, integer, _grid_of(site, axis, literals))
        # An axis of one thread needs no block of the grid to follow it as long as it stays.
        if spots is None and not grid_stride and number(integer) > 1:
            return f"the grid at {place} does not follow from the block"
        if spots is None:
            spots = [_spot(site, path, integer, 0)]
        name = slot_name(site.module, integer, f"block {AXES[axis]}")
        found.append(Slot(name, number(integer), tuple(sorted(spots))))
    return found


def _grid_of(site: LaunchSite, axis: int, block: Sequence[ast.Constant]) -> list[ast.expr] | None:
    """What the grid's part for an axis rests on; the whole grid where it has no parts and one axis counts."""
    grid = site.defined(site.grid)
    if isinstance(grid, ast.Tuple):
        start = grid.elts[axis : axis + 1]
    else:
        several = sum(number(one) > 1 for one in block) > 1
        start = [] if several and not _names_block(site, grid, block) else [grid]
    return reached_expressions(site.module, site.function(), start) if start else None


def _names_block(site: LaunchSite, grid: ast.expr, block: Sequence[ast.Constant]) -> bool:
    """Whether a grid that is no tuple, such as a call, is given all of the block by name."""
    reached = reached_expressions(site.module, site.function(), [grid])
    inside = {site.module.range_of(one) for one in integers_in(site.module, reached)}
    return all(site.module.range_of(one) in inside for one in block)


def _spots(
    site: LaunchSite, path: str, integer: ast.Constant, grid: list[ast.expr] | None
) -> list[Spot] | None:
    """The places to change with a number of the block; None where the grid would not follow.

    The grid follows by itself where it is computed from the number's name. A grid with the number itself, as
    in `(n + 255) // 256`, is changed beside it.
    """
    if grid is None:
        return None
    own = _spot(site, path, integer, 0)
    value = number(integer)
    followers = [own]
    for other in integers_in(site.module, grid):
        spot = _spot(site, path, other, 0)
        if spot == own:
            return [own]
        addend = _follows(site, other, value)
        if addend is not None:
            followers.append(_spot(site, path, other, addend))
    exact = [one for one in followers[1:] if one.addend == 0]
    return list(dict.fromkeys(followers)) if exact else None


def _follows(site: LaunchSite, integer: ast.Constant, threads: int) -> int | None:
    """By how much a number in the grid differs from the block's that it stands for; None for any other.

    What a size is divided by stands for the block, and so does the number that rounds up before it:
    `(n + 255) // 256`, `(n + 256 - 1) // 256`, `ceil(n / 256)`, `ceil_div(n, 256)`.
    """
    above = site.module.parent(integer)
    if isinstance(above, ast.keyword):
        return 0 if number(integer) == threads else None
    if isinstance(above, ast.Call):
        return 0 if above.args[0] is not integer and number(integer) == threads else None
    if not isinstance(above, ast.BinOp) or above.right is not integer:
        return None
    if isinstance(above.op, ast.FloorDiv | ast.Div):
        return 0 if number(integer) == threads else None
    if not isinstance(above.op, ast.Add):
        return None
    if number(integer) == threads - 1:
        return -1
    whole = site.module.parent(above)
    rounds = isinstance(whole, ast.BinOp) and isinstance(whole.op, ast.Sub)
    return 0 if rounds and number(integer) == threads else None


def _spot(site: LaunchSite, path: str, integer: ast.Constant, addend: int) -> Spot:
    begin, end = site.module.range_of(integer)
    return Spot(path, begin, end, addend)


def _merged(slots: Sequence[Slot]) -> Slot:
    """One slot of the same axis in several launches."""
    spots = sorted({spot for slot in slots for spot in slot.spots})
    return Slot(slots[0].name, slots[0].value, tuple(spots))


def _shared(slot: Slot, all_slots: Sequence[Slot]) -> Slot:
    """The slot, or the one that stands for it: axes that are written once are one number."""
    alike = [one for one in all_slots if set(one.spots) & set(slot.spots)]
    if len(alike) == 1:
        return slot
    spots = sorted({spot for one in alike for spot in one.spots})
    return Slot(alike[0].name, slot.value, tuple(spots))
