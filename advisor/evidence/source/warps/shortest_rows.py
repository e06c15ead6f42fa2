"""The fewest sectors that lanes in different rows may meet, where nobody tells how long a row is."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from advisor.evidence.source.kernel_walk.affine_forms import THREAD, Atoms, Form, number, position_along
from advisor.evidence.source.kernel_walk.index_bounds import bounds_on_lanes
from advisor.evidence.source.kernel_walk.kernel_facts import Access, Array
from advisor.evidence.source.warps.lane_addresses import SECTOR_BYTES
from advisor.evidence.source.warps.lanes import LanePattern, lane_pattern
from advisor.program.launches.block_shape import BlockShape

_ONE = number(1)


@dataclass(frozen=True)
class ShortestRows:
    """The sectors of a request where rows are as short as they can be, and the sentence that says so."""

    sectors: float
    because: str


def shortest_rows(
    pattern: LanePattern,
    access: Access,
    accesses: Sequence[Access],
    atoms: Atoms,
    shapes: Sequence[BlockShape],
    extents: Sequence[int | None],
) -> ShortestRows | None:
    """What an access of a `pattern` meets at least; None where the length of rows makes no difference, or is
    known. `accesses` are those to its array, `extents` the sizes of it that are known.
    """
    if pattern.lane_axis != "slow" or pattern.lane_stride is not None or not pattern.sectors:
        return None
    least = least_extents(extents or (None,) * len(access.indices), accesses, shapes)
    found = [lane_pattern(access, atoms, shape, least).sectors for shape in shapes]
    sectors = min((one for one in found if one is not None), default=None)
    if sectors is None or sectors >= pattern.sectors:
        return None
    return ShortestRows(sectors, _because(access.array, least))


def _because(array: Array, least: Sequence[int]) -> str:
    side, row = ("column", least[0]) if array.order == "F" else ("row", least[-1])
    elements = "one element" if row == 1 else f"{row} elements"
    return (
        f"The length of a {side} of `{array.name}` is not known: the smaller number of sectors is that of "
        f"{elements}, the larger that of {SECTOR_BYTES} bytes and more."
    )


def least_extents(
    extents: Sequence[int | None], accesses: Sequence[Access], shapes: Sequence[BlockShape]
) -> tuple[int, ...]:
    """Return the sizes of an array along its axes where `extents` tells them, else the least that they are by
    what the `accesses` to it say of each.

    A record has the fields that the kernel names. An axis is as long as the places that it names along it,
    and has an element for each thread that a block has along it: a launch makes threads for elements. It is
    as long as a loop that goes to the size up to which threads go, too.
    """
    bounds = {bound for access in accesses for one in access.place.conditions for bound in one.bounds}
    fields = len({name for access in accesses if (name := _field_of(access))})
    found = []
    for axis, known in enumerate(extents):
        ways = [_least(access, axis, shapes, bounds) for access in accesses if axis < len(access.indices)]
        of_record = fields if axis == len(extents) - 1 else 1
        found.append(known if known is not None else max(*ways, of_record, 1))
    return tuple(found)


def _field_of(access: Access) -> str | None:
    """The name in the last brackets of an access to a field of a record."""
    node = access.place.node
    named = node.slice if isinstance(node, ast.Subscript) else None
    return named.value if isinstance(named, ast.Constant) and isinstance(named.value, str) else None


def _least(access: Access, axis: int, shapes: Sequence[BlockShape], bounds: Iterable[Form]) -> int:
    """How many elements an axis has at least by one access."""
    form = access.indices[axis].form
    if form.constant is not None:
        return form.constant + 1 if form.constant >= 0 else -form.constant
    least = 1
    for monomial, factor in form.terms:
        if len(monomial) != 1:
            continue
        (name,) = monomial
        if name in THREAD and not _some_threads_only(name, access):
            least = max(least, abs(factor) * (_threads(name[-1], shapes) - 1) + 1)
        for loop in access.place.loops:
            if loop.counter != name:
                continue
            steps = loop.trip_count or _threads_up_to(loop.stop, shapes, bounds)
            least = max(least, abs(factor) * (steps - 1) + 1)
    return least


def _some_threads_only(name: str, access: Access) -> bool:
    """Whether conditions let only some threads of a block along an axis through: `if threadIdx.x < 3`."""
    return any(name in bound.atoms() for bound in bounds_on_lanes(access.place.conditions))


def _threads(letter: str, shapes: Sequence[BlockShape]) -> int:
    """The threads of a block along an axis of it, the fewest of several shapes."""
    sizes = [getattr(shape, letter) for shape in shapes]
    return min((size for size in sizes if size), default=1)


def _threads_up_to(stop: Form | None, shapes: Sequence[BlockShape], bounds: Iterable[Form]) -> int:
    """The threads of a block along the axis on which conditions keep threads below a size."""
    least = 1
    for letter in "xyz":
        below = None if stop is None else position_along(letter) + _ONE - stop
        if below is not None and below in bounds:
            least = max(least, _threads(letter, shapes))
    return least
