"""Which of a kernel's launches in the source is the pattern of those that are made up."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

from advisor.evidence.simulated.simt.launch import Extent
from advisor.evidence.simulated.synthesis.request import KnownLaunch
from advisor.model.compilation_unit import CompilationUnit, StatedLaunch

_Sizes: TypeAlias = "tuple[dict[str, tuple[int | None, ...]], dict[str, float]]"
_Grid: TypeAlias = "tuple[int | None, int | None, int | None]"
_MOST_THREADS = 1024
# Of blocks beside the pattern's these many are looked at: the smallest, one between, the largest.
_MOST_OTHERS = 3


def known_launch(unit: CompilationUnit) -> KnownLaunch:
    """The block of the launch of which the source tells most, and what it says of grid and arguments as far
    as all others say the same: what differs has no one size.
    """
    if not unit.launches:
        return KnownLaunch()
    stated = max(unit.launches, key=lambda one: _known(one, unit))
    blocks = _possible_blocks(unit.launches)
    block = _block(stated.block) or (blocks[-1] if blocks else None)
    where = f"{stated.path}:{stated.line}" if block is not None else ""
    others = tuple(_spread([one for one in blocks if one != block]))
    shapes, scalars = _sizes(stated, unit)
    further = [one for one in unit.launches if one is not stated]
    theirs = [_sizes(one, unit) for one in further]
    shapes = {name: one for name, one in shapes.items() if all(it.get(name) == one for it, _ in theirs)}
    scalars = {name: one for name, one in scalars.items() if all(it.get(name) == one for _, it in theirs)}
    grid = _common_grid([_three(one.grid) for one in unit.launches])
    any_block = any(_block(one.block) is None and not one.possible_blocks for one in unit.launches)
    return KnownLaunch(block, grid, shapes, scalars, stated.dynamic_shared, where, others, any_block)


def _sizes(stated: StatedLaunch, unit: CompilationUnit) -> _Sizes:
    """What a launch says of the shapes of arrays and of numbers, by the name of the parameter."""
    shapes: dict[str, tuple[int | None, ...]] = {}
    scalars: dict[str, float] = {}
    if len(stated.arguments) == len(unit.parameters):
        for parameter, values in zip(unit.parameters, stated.arguments, strict=True):
            for value in values:
                if value.shape is not None:
                    shapes[parameter + value.item] = value.shape
                elif value.number is not None:
                    scalars[parameter + value.item] = value.number
    return shapes, scalars


def _possible_blocks(launches: Sequence[StatedLaunch]) -> list[Extent]:
    """All blocks that launches have or choose from, those of the fewest threads first."""
    stated = [block for one in launches for block in (one.block, *one.possible_blocks)]
    found = {block for one in stated if (block := _block(one)) is not None}
    return sorted(found, key=lambda one: (math.prod(one), one))


def _spread(blocks: Sequence[Extent]) -> Sequence[Extent]:
    """The first, one between and the last of many."""
    return blocks if len(blocks) <= _MOST_OTHERS else (blocks[0], blocks[len(blocks) // 2], blocks[-1])


def _block(sizes: Sequence[int | None] | None) -> Extent | None:
    """A block of which all sizes are known and which a device can run."""
    found = _extent(sizes)
    return None if found is None or math.prod(found) > _MOST_THREADS else found


def _known(stated: StatedLaunch, unit: CompilationUnit) -> tuple[bool, bool, int]:
    arguments = stated.arguments if len(stated.arguments) == len(unit.parameters) else ()
    return _extent(stated.block) is not None, _extent(stated.grid) is not None, sum(map(bool, arguments))


def _extent(sizes: Sequence[int | None] | None) -> Extent | None:
    """The three sizes of a block or grid where all are known."""
    x, y, z = _three(sizes)
    return None if x is None or y is None or z is None else (x, y, z)


def _three(sizes: Sequence[int | None] | None) -> _Grid:
    """The three sizes of a block or grid as far as they are known."""
    if sizes is None or not 1 <= len(sizes) <= 3:
        return None, None, None
    x, y, z = (None if one is None or one < 1 else one for one in [*sizes, 1, 1][:3])
    return x, y, z


def _common_grid(grids: Sequence[_Grid]) -> _Grid | None:
    """The sizes that all of some grids have, None where they share none."""
    x, y, z = (one[0] if len(set(one)) == 1 else None for one in zip(*grids, strict=True))
    return None if x is y is z is None else (x, y, z)
