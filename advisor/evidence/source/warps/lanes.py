"""What one warp does with an access: the addresses of its 32 lanes, and the sectors or banks they touch."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from advisor.evidence.source.kernel_walk.affine_forms import Atoms, Form, number
from advisor.evidence.source.kernel_walk.index_bounds import bounds_on_lanes, lanes_left
from advisor.evidence.source.kernel_walk.kernel_facts import Access
from advisor.evidence.source.warps.lane_addresses import (
    SECTOR_BYTES,
    UNKNOWN_SIZE,
    lane_addresses,
    strides_open,
)
from advisor.program.launches.block_shape import WARP, BlockShape

BANKS = 32
BANK_BYTES = 4
# The sizes that an element may have where the source does not tell.
UNKNOWN_ITEMSIZES = (4, 8)
# The fields that a record has at least, when one of them is all that is seen.
_FIELDS = 4
_THREADS = ("tid.x", "tid.y", "tid.z")


@dataclass(frozen=True, slots=True)
class LanePattern:
    """How the lanes of a warp spread over an array; None where the source does not tell.

    Where the size of an element is not known, the numbers are those of the smallest that is likely, and
    `wider` has those of the largest.
    """

    index_kind: str
    lane_axis: str | None = None
    lane_stride: int | None = None
    fast_axis_thread: bool | None = None
    sectors: int | None = None
    ideal_sectors: int | None = None
    bank_conflict_ways: int | None = None
    exchanged_sectors: int | None = None
    exchange: str | None = None
    wider: LanePattern | None = None


def lane_pattern(
    access: Access, atoms: Atoms, block: BlockShape, extents: tuple[int | None, ...]
) -> LanePattern:
    """The pattern of one access for a block shape; `extents` are the sizes of the array along its axes.

    "Fast" is the axis along which elements lie together: the last one, in a column-major array the first.
    Where the order is not known, only what holds in both is told.
    """
    row_major = _pattern(access, atoms, block, extents)
    if access.array.order in (None, "C") or len(access.indices) < 2:
        return row_major
    turned = replace(access, indices=access.indices[::-1])
    column_major = _pattern(turned, atoms, block, extents[::-1])
    if access.array.order == "F" or column_major == row_major:
        return column_major
    return LanePattern(row_major.index_kind)


def _pattern(access: Access, atoms: Atoms, block: BlockShape, extents: tuple[int | None, ...]) -> LanePattern:
    forms = [index.form for index in access.indices]
    if not forms:
        return LanePattern("unknown")
    axes = set(block.lane_axes)
    lane_atoms = [_hidden(form, atoms, axes) for form in forms]
    if any(lane_atoms):
        hidden = [name for names in lane_atoms for name in names]
        kind = "indirect" if all(atoms.known[name].loaded for name in hidden) else "unknown"
        return _own_rows(access, kind, lane_atoms, atoms, block, extents)
    warps = [lane_addresses(forms, block, extents, lanes) for lanes in block.warps()]
    pattern = LanePattern(
        "affine",
        _lane_axis(forms, atoms, axes),
        _stride(warps[0]),
        _other_thread_on_fast_axis(forms, atoms, block),
    )
    if access.array.space == "shared":
        complete = access.array.itemsize is not None and len(extents) >= len(forms)
        complete = complete and all(size is not None for size in extents[1:])
        itemsize = access.array.itemsize if complete else None
        bounds = bounds_on_lanes(access.place.conditions)
        if bounds:
            left = [lanes_left(lanes, bounds) for lanes in block.warps()]
            warps = [lane_addresses(forms, block, extents, lanes) for lanes in left]
        ways = _mean(bank_conflict_ways(one, itemsize) for one in warps) if itemsize else None
        return replace(pattern, bank_conflict_ways=ways)
    if strides_open(forms[-1]):
        return replace(pattern, lane_stride=None)
    turned = _exchanged(forms, atoms, block, _with_other_fields(access, extents))
    return _counted(access, lambda itemsize: _with_sectors(pattern, warps, turned, itemsize))


def _counted(access: Access, count: Callable[[int], LanePattern]) -> LanePattern:
    """A pattern with its sectors for the size of the array's elements, or for those that are likely."""
    if access.array.itemsize:
        return count(access.array.itemsize)
    least, most = UNKNOWN_ITEMSIZES
    return replace(count(least), wider=count(most))


def _with_sectors(
    pattern: LanePattern, warps: list[list[int]], turned: _Turned, itemsize: int
) -> LanePattern:
    exchanged = [_mean(_sectors(one, itemsize) for one in found) for found in turned.warps]
    return LanePattern(
        pattern.index_kind,
        pattern.lane_axis,
        pattern.lane_stride,
        pattern.fast_axis_thread,
        exchange=turned.axes,
        sectors=_mean(_sectors(one, itemsize) for one in warps),
        ideal_sectors=_ideal((len(set(one)) for one in warps), itemsize),
        exchanged_sectors=min(exchanged, default=None),
    )


def _ideal(elements: Iterable[int], itemsize: int) -> int:
    """The sectors of so many elements for each warp, side by side."""
    return max(_mean(-(-one * itemsize // SECTOR_BYTES) for one in elements), 1)


def _mean(numbers: Iterable[int]) -> int:
    """The mean, rounded to a whole number."""
    found = list(numbers)
    return int(sum(found) / len(found) + 0.5)


def _sectors(addresses: list[int], itemsize: int) -> int:
    return len({address * itemsize // SECTOR_BYTES for address in addresses})


@dataclass(frozen=True, slots=True)
class _Turned:
    """What results when two thread indices change places: their names, and the addresses of the lanes of each
    warp, with the sizes of the block along the two as they are and exchanged.
    """

    axes: str | None = None
    warps: tuple[list[list[int]], ...] = ()


def _exchanged(
    forms: list[Form], atoms: Atoms, block: BlockShape, extents: tuple[int | None, ...]
) -> _Turned:
    """The exchange of the lane's index and that of the fast axis; nothing where one thread index has both, or
    where a block is one thread.
    """
    if not block.lane_axes or _lane_axis(forms, atoms, set(block.lane_axes)) != "slow":
        return _Turned()
    lane = block.lane_axes[0]
    depends = atoms.depends(_without_fields(forms, atoms)[-1])
    other = next((axis for axis in _THREADS if axis in depends and axis != lane), None)
    if other is None:
        return _Turned()
    places = {lane: other, other: lane}
    sizes = {"tid.x": block.x, "tid.y": block.y, "tid.z": block.z}
    x, y, z = (sizes[places.get(axis, axis)] for axis in sizes)
    found = []
    for shape in (block, BlockShape(x, y, z)):
        moved = [
            [{axis: at[places.get(axis, axis)] for axis in at} for at in lanes] for lanes in shape.warps()
        ]
        found.append([lane_addresses(forms, block, extents, lanes) for lanes in moved])
    return _Turned(_names(lane, other), tuple(found))


def _with_other_fields(access: Access, extents: tuple[int | None, ...]) -> tuple[int | None, ...]:
    """The sizes of the array, the last axis longer than the one place of it that a kernel touches,
    where no launch tells: a record has other fields, which keep neighbours apart.
    """
    if not extents or extents[-1] != 1 or access.array.dims or any(access.array.made[-1:]):
        return extents
    return (*extents[:-1], _FIELDS)


def _names(*axes: str) -> str:
    """Thread indices as CUDA names them."""
    return " and ".join(f"threadIdx.{axis[-1]}" for axis in sorted(axes))


def _own_rows(
    access: Access,
    kind: str,
    lane_atoms: list[list[str]],
    atoms: Atoms,
    block: BlockShape,
    extents: tuple[int | None, ...],
) -> LanePattern:
    """The pattern of lanes that meet unknown elements, each in a row of its own: a sector for each row.

    Where the earlier indices do not keep the lanes in different rows, how they spread is not known.
    """
    forms = [index.form for index in access.indices]
    axes = set(block.lane_axes)
    first = next(axis for axis, names in enumerate(lane_atoms) if names)
    before = [*forms[:first], *[number(0)] * (len(forms) - first)]
    if _lane_axis(before, atoms, axes) != "slow" or access.array.space == "shared":
        return LanePattern(kind, _lane_axis(forms, atoms, axes))
    warps = [lane_addresses(before, block, extents, lanes) for lanes in block.warps()]
    rows = set(warps[0])
    ends = [*sorted(rows)[1:], max(rows) + UNKNOWN_SIZE]
    nearest = min(after - row for row, after in zip(sorted(rows), ends, strict=True))
    if nearest * (access.array.itemsize or UNKNOWN_ITEMSIZES[0]) < SECTOR_BYTES:
        return LanePattern(kind, _lane_axis(forms, atoms, axes))
    lane = block.lane_axes[0]
    advancing = atoms.direct(forms[-1])
    other = next((a for a in _THREADS if a != lane and {a, f"bid.{a[-1]}"} & advancing), None)
    found = LanePattern(kind, "slow", None, other is not None, _mean(len(set(one)) for one in warps))

    def with_ideal(itemsize: int) -> LanePattern:
        ideal = _ideal(map(len, warps), itemsize)
        exchange = _names(lane, other) if other else None
        exchanged = ideal if other else None
        return replace(found, ideal_sectors=ideal, exchanged_sectors=exchanged, exchange=exchange)

    return _counted(access, with_ideal)


def _hidden(form: Form, atoms: Atoms, axes: set[str]) -> list[str]:
    """Atoms of unknown value through which the index depends on the lane."""
    return [
        name
        for name in sorted(form.atoms())
        if name in atoms.known and not name.startswith("loop#") and atoms.known[name].depends & axes
    ]


def _without_fields(forms: list[Form], atoms: Atoms) -> list[Form]:
    """The indices up to the last one that varies: constant ones behind it pick a field of a record."""
    last = max((axis for axis, form in enumerate(forms) if atoms.depends(form)), default=len(forms) - 1)
    return forms[: last + 1] if all(form.constant is not None for form in forms[last + 1 :]) else forms


def _lane_axis(forms: list[Form], atoms: Atoms, axes: set[str]) -> str:
    first = next((axis for axis in _THREADS if axis in axes), "tid.x")
    slow = any(first in atoms.depends(form) for form in forms[:-1])
    fast = first in atoms.depends(forms[-1])
    return "both" if slow and fast else "slow" if slow else "fast" if fast else "none"


def _other_thread_on_fast_axis(forms: list[Form], atoms: Atoms, block: BlockShape) -> bool:
    lane = block.lane_axes[:1]
    depends = atoms.depends(_without_fields(forms, atoms)[-1])
    return any(
        name.startswith(("tid.", "bid.")) and name[-1] not in {axis[-1] for axis in lane} for name in depends
    )


def _stride(addresses: list[int]) -> int | None:
    if len(addresses) < 2:
        return None
    stride = addresses[1] - addresses[0]
    return stride if abs(stride) < UNKNOWN_SIZE else None


def bank_conflict_ways(addresses: list[int], itemsize: int) -> int:
    """Wavefronts of a shared-memory access over those needed without conflicts.

    32 banks of 4 bytes; lanes that read one word share it; 8-byte elements go in halves, 16-byte ones in
    quarters of a warp (CUDA C++ Programming Guide, shared memory, and the Best Practices Guide).
    """
    words = max(itemsize // BANK_BYTES, 1)
    group = WARP // words
    worst = 1
    for start in range(0, len(addresses), group):
        banks: dict[int, set[int]] = {}
        for address in addresses[start : start + group]:
            for part in range(words):
                word = address * itemsize // BANK_BYTES + part
                banks.setdefault(word % BANKS, set()).add(word)
        worst = max(worst, max(len(used) for used in banks.values()))
    return worst
