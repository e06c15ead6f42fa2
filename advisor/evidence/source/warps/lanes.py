"""What one warp does with an access: the addresses of its 32 lanes, and the sectors or banks they touch."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from advisor.evidence.source.kernel_walk.affine_forms import (
    Atoms,
    Form,
    Monomial,
    atom,
    number,
    position_along,
)
from advisor.evidence.source.kernel_walk.affine_forms import form as make_form
from advisor.evidence.source.kernel_walk.index_bounds import bounds_on_lanes, lanes_left
from advisor.evidence.source.kernel_walk.kernel_facts import Access
from advisor.evidence.source.warps.lane_addresses import (
    SECTOR_BYTES,
    UNKNOWN_SIZE,
    Steps,
    WarpOffsets,
    lane_offsets,
    offset_terms,
    strides_open,
    warp_offsets,
)
from advisor.program.launches.block_shape import WARP, AlikeWarps, BlockShape, alike_warps

BANKS = 32
BANK_BYTES = 4
# Local memory has the words of neighbouring lanes side by side (CUDA C++ Programming Guide, Local Memory).
_WORD_BYTES = 4
_LANES_OF_SECTOR = SECTOR_BYTES // _WORD_BYTES
# The fields that a record has at least, when one of them is all that is seen.
_FIELDS = 4
_THREADS = ("tid.x", "tid.y", "tid.z")
_POSITIONS = frozenset({"tid", "bid", "bdim", "gdim"})


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
    sectors: float | None = None
    ideal_sectors: float | None = None
    bank_conflict_ways: float | None = None
    exchanged_sectors: float | None = None
    exchange: str | None = None
    single_along_fast_axis: bool | None = None
    wider: LanePattern | None = None

    @property
    def is_coalesced(self) -> bool:
        """Whether the lanes touch no more sectors than as many elements side by side would take."""
        return (
            self.sectors is not None and self.ideal_sectors is not None and self.sectors <= self.ideal_sectors
        )


def lane_pattern(
    access: Access,
    atoms: Atoms,
    block: BlockShape,
    extents: tuple[int | None, ...],
    single_axes: frozenset[str] = frozenset(),
) -> LanePattern:
    """The pattern of one access for a block shape; `extents` are the sizes of the array along its axes, and
    `single_axes` those of the grid along which there is one thread, whose index is no other one to follow.

    "Fast" is the axis along which elements lie together: the last one, in a column-major array the first.
    Where the order is not known, only what holds in both is told.
    """
    row_major = _pattern(access, atoms, block, extents, single_axes)
    if access.array.order in (None, "C") or len(access.indices) < 2:
        return row_major
    turned = replace(access, indices=access.indices[::-1])
    column_major = _pattern(turned, atoms, block, extents[::-1], single_axes)
    if access.array.order == "F" or column_major == row_major:
        return column_major
    return LanePattern(row_major.index_kind)


def _pattern(
    access: Access,
    atoms: Atoms,
    block: BlockShape,
    extents: tuple[int | None, ...],
    single_axes: frozenset[str],
) -> LanePattern:
    forms = [index.form for index in access.indices]
    if not forms:
        return LanePattern("unknown")
    axes = set(block.lane_axes)
    lane_atoms = [_hidden(form, atoms, axes) for form in forms]
    if any(lane_atoms):
        hidden = [name for names in lane_atoms for name in names]
        kind = "indirect" if all(atoms.known[name].loaded for name in hidden) else "unknown"
        return _own_rows(access, kind, lane_atoms, atoms, block, extents, single_axes)
    warps = _Warps(access, atoms, block, forms, extents)
    pattern = LanePattern(
        "affine",
        _lane_axis(forms, atoms, axes),
        _stride(warps.first()),
        _other_thread_on_fast_axis(forms, atoms, block, single_axes),
    )
    if access.array.space == "shared":
        complete = access.array.itemsize is not None and len(extents) >= len(forms)
        complete = complete and all(size is not None for size in extents[1:])
        itemsize = access.array.itemsize if complete else None
        return replace(pattern, bank_conflict_ways=warps.conflict_ways(itemsize) if itemsize else None)
    if access.array.space == "local":
        return _counted(access, lambda itemsize: _in_local_memory(pattern, warps, itemsize))
    if strides_open(forms[-1]):
        return replace(pattern, lane_stride=None)
    turned = _exchanged(access, atoms, block, _with_other_fields(access, extents), single_axes)
    return _counted(access, lambda itemsize: _with_sectors(pattern, warps, turned, itemsize))


class _Warps:
    """The warps of a block at an access: the active lanes of each, and what they meet."""

    def __init__(
        self,
        access: Access,
        atoms: Atoms,
        block: BlockShape,
        forms: list[Form],
        extents: tuple[int | None, ...],
        bounds: frozenset[Form] | None = None,
    ) -> None:
        conditions = access.place.conditions
        self.groups = _active_warps(block, bounds_on_lanes(conditions) if bounds is None else bounds)
        self._threads = block.warps()[0]
        self._terms = offset_terms(forms, block, extents)
        self._steps = _steps(access, atoms, block, forms, extents)

    def first(self) -> list[int]:
        """The offsets of all lanes of the first warp."""
        return lane_offsets(self._terms, self._threads)

    def conflict_ways(self, itemsize: int) -> float:
        """The mean ways of bank conflicts."""
        period = max(BANK_BYTES // itemsize, 1)
        return self._mean(lambda warp: bank_conflict_ways(warp.offsets, itemsize), period)

    def local_sectors(self, itemsize: int) -> float:
        """The mean sectors of local memory, where lanes meet elements of their own."""
        return self._mean(lambda warp: _local_sectors(warp, itemsize), max(_WORD_BYTES // itemsize, 1))

    def sectors(self, itemsize: int) -> float:
        """The mean sectors of global memory."""
        period = SECTOR_BYTES // math.gcd(SECTOR_BYTES, itemsize)
        return self._mean(lambda warp: _sectors(warp.offsets, itemsize), period)

    def ideal_sectors(self, itemsize: int) -> float:
        """The mean sectors of as many elements side by side."""
        return self._mean(lambda warp: -(-len(set(warp.offsets)) * itemsize // SECTOR_BYTES), 1)

    def ideal_sectors_of_lanes(self, itemsize: int) -> float:
        """The mean sectors of an element for each active lane, side by side."""
        return self._mean(lambda warp: -(-len(warp.offsets) * itemsize // SECTOR_BYTES), 1)

    def lanes(self) -> float:
        """The mean number of active lanes."""
        return self._mean(lambda warp: len(warp.offsets), 1)

    def rows(self) -> float:
        """The mean number of different offsets."""
        return self._mean(lambda warp: len(set(warp.offsets)), 1)

    def _mean(self, count: Callable[[WarpOffsets], int], period: int) -> float:
        found = warp_offsets(self._terms, self.groups, period, self._steps)
        # Parts of warps add up to 1 but for the last digits.
        return round(sum(warp.share * count(warp) for warp in found), 6)


@lru_cache(256)
def _active_warps(block: BlockShape, bounds: frozenset[Form]) -> tuple[AlikeWarps, ...]:
    """The warps of which conditions let lanes through; all, where they let none through."""
    left = [lanes_left(warp, bounds) for warp in block.warps()]
    return alike_warps([warp for warp in left if warp] or [dict(enumerate(warp)) for warp in block.warps()])


def _steps(
    access: Access, atoms: Atoms, block: BlockShape, forms: list[Form], extents: tuple[int | None, ...]
) -> Steps:
    """How many values a number takes for a warp at an access; sizes and what blocks compute stay aligned."""
    counts: dict[str, int | None] = {loop.counter: loop.trip_count for loop in access.place.loops}
    # A counter that is itself an index goes along the axis at most.
    alone = {atom(loop.counter): loop for loop in access.place.loops if loop.trip_count is None}
    counts |= {
        alone[index].counter: extent for index, extent in zip(forms, extents, strict=False) if index in alone
    }
    counts |= _blocks_along(block, forms, extents)

    def steps(name: str) -> int | None:
        known = atoms.known.get(name)
        if name in counts:
            return counts[name]
        if known is None or name.startswith("loop#") or known.loaded:
            return None
        return None if any(other.startswith("loop#") for other in known.depends) else 1

    return steps


def _blocks_along(block: BlockShape, forms: list[Form], extents: tuple[int | None, ...]) -> dict[str, int]:
    """How many blocks there are along axes of the grid that follow an axis of the array of known size."""
    found = {}
    for form, extent in zip(forms, extents, strict=False):
        for letter, size in (("x", block.x), ("y", block.y), ("z", block.z)):
            if extent and size and form == position_along(letter):
                found[f"bid.{letter}"] = -(-extent // size)
    return found


def _counted(access: Access, count: Callable[[int], LanePattern]) -> LanePattern:
    """A pattern with its sectors for the size of the array's elements, or for those that are likely."""
    least, most = access.array.likely_itemsizes
    return count(least) if least == most else replace(count(least), wider=count(most))


def _with_sectors(pattern: LanePattern, warps: _Warps, turned: _Turned, itemsize: int) -> LanePattern:
    # Where fewer lanes are active, more requests do what one does now.
    requests = [max(warps.lanes() / found.lanes(), 1.0) for found in turned.warps]
    exchanged = [found.sectors(itemsize) * more for found, more in zip(turned.warps, requests, strict=True)]
    return replace(
        pattern,
        exchange=turned.axes,
        single_along_fast_axis=turned.single,
        sectors=warps.sectors(itemsize),
        ideal_sectors=warps.ideal_sectors(itemsize),
        exchanged_sectors=min(exchanged, default=None),
    )


def _sectors(addresses: Iterable[int], itemsize: int) -> int:
    return len({address * itemsize // SECTOR_BYTES for address in addresses})


def _in_local_memory(pattern: LanePattern, warps: _Warps, itemsize: int) -> LanePattern:
    """The pattern of lanes that have an array of their own each, best where all are at one index."""
    words = max(itemsize // _WORD_BYTES, 1)
    ideal = warps.ideal_sectors_of_lanes(words * _WORD_BYTES)
    return replace(pattern, lane_stride=None, sectors=warps.local_sectors(itemsize), ideal_sectors=ideal)


def _local_sectors(warp: WarpOffsets, itemsize: int) -> int:
    """The sectors of local memory: eight neighbouring lanes have a word at one offset in one."""
    groups: dict[int, set[int]] = defaultdict(set)
    for offset, lane in zip(warp.offsets, warp.numbers, strict=True):
        groups[lane // _LANES_OF_SECTOR].add(offset * itemsize // _WORD_BYTES)
    return max(itemsize // _WORD_BYTES, 1) * sum(map(len, groups.values()))


@dataclass(frozen=True, slots=True)
class _Turned:
    """What results when two thread indices change places: their names, the warps with the sizes of the block
    along the two as they are and exchanged, and whether the block has one thread along the second of them,
    which follows an axis of unknown size, and several along both others.
    """

    axes: str | None = None
    warps: tuple[_Warps, ...] = ()
    single: bool | None = None


def _exchanged(
    access: Access,
    atoms: Atoms,
    block: BlockShape,
    extents: tuple[int | None, ...],
    single_axes: frozenset[str],
) -> _Turned:
    """The exchange of the lane's index and that of the fast axis; nothing where one thread index has both, or
    the grid one thread along the other, and where a block is one thread.
    """
    forms = [index.form for index in access.indices]
    if not block.lane_axes or _lane_axis(forms, atoms, set(block.lane_axes)) != "slow":
        return _Turned()
    lane = block.lane_axes[0]
    sizes = {"x": block.x, "y": block.y, "z": block.z}
    other = _axis_for_lanes(_without_fields(forms, atoms), atoms, lane, sizes, extents)
    if other is None or other[-1] in single_axes:
        return _Turned()
    letters = {lane[-1]: other[-1], other[-1]: lane[-1]}
    turned = [_renamed(form, letters) for form in forms]
    bounds = frozenset(_renamed(form, letters) for form in bounds_on_lanes(access.place.conditions))
    x, y, z = (sizes[letters.get(axis, axis)] for axis in sizes)
    shapes = (block, BlockShape(x, y, z))
    found = [_Warps(access, atoms, one, turned, extents, bounds) for one in shapes]
    several = [letter for letter, size in sizes.items() if size and size > 1]
    single = sizes[other[-1]] == 1 and len(several) > 1 and extents[-1:] in ((), (None,))
    return _Turned(_names(lane, other), tuple(found), single)


def _axis_for_lanes(
    forms: list[Form],
    atoms: Atoms,
    lane: str,
    sizes: Mapping[str, int | None],
    extents: tuple[int | None, ...],
) -> str | None:
    """The thread index that the lanes may follow instead: that of the fast axis, None without one; of the
    next axis where the block has one thread along this one and the array too few elements for a warp.
    """
    for at in reversed(range(len(forms))):
        depends = atoms.depends(forms[at])
        other = next((axis for axis in _THREADS if axis in depends and axis != lane), None)
        extent = extents[at] if at < len(extents) else None
        few = extent is not None and extent < WARP
        if other is None or not few or sizes[other[-1]] != 1:
            return other
    return None


def _renamed(form: Form, letters: Mapping[str, str]) -> Form:
    """A form with the indices and sizes of some axes renamed."""

    def new(name: str) -> str:
        kind, _, axis = name.partition(".")
        return f"{kind}.{letters.get(axis, axis)}" if kind in _POSITIONS else name

    terms: dict[Monomial, int] = {}
    for monomial, coefficient in form.terms:
        terms[tuple(sorted(map(new, monomial)))] = coefficient
    return make_form(terms)


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
    single_axes: frozenset[str],
) -> LanePattern:
    """The pattern of lanes that meet unknown elements, each in a row of its own: a sector for each row.

    Where the earlier indices do not keep the lanes in different rows, how they spread is not known.
    """
    forms = [index.form for index in access.indices]
    axes = set(block.lane_axes)
    first = next(axis for axis, names in enumerate(lane_atoms) if names)
    before = [*forms[:first], *[number(0)] * (len(forms) - first)]
    if _lane_axis(before, atoms, axes) != "slow" or access.array.space in ("shared", "local"):
        return LanePattern(kind, _lane_axis(forms, atoms, axes))
    warps = _Warps(access, atoms, block, before, extents)
    rows = set(warps.first())
    ends = [*sorted(rows)[1:], max(rows) + UNKNOWN_SIZE]
    nearest = min(after - row for row, after in zip(sorted(rows), ends, strict=True))
    if nearest * access.array.likely_itemsizes[0] < SECTOR_BYTES:
        return LanePattern(kind, _lane_axis(forms, atoms, axes))
    lane = block.lane_axes[0]
    advancing = atoms.direct(forms[-1])
    others = [axis for axis in _THREADS if axis != lane and axis[-1] not in single_axes]
    other = next((axis for axis in others if {axis, f"bid.{axis[-1]}"} & advancing), None)
    found = LanePattern(kind, "slow", None, other is not None, warps.rows())

    def with_ideal(itemsize: int) -> LanePattern:
        ideal = warps.ideal_sectors_of_lanes(itemsize)
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


def _other_thread_on_fast_axis(
    forms: list[Form], atoms: Atoms, block: BlockShape, single_axes: frozenset[str]
) -> bool:
    own = single_axes.union(axis[-1] for axis in block.lane_axes[:1])
    depends = atoms.depends(_without_fields(forms, atoms)[-1])
    return any(name.startswith(("tid.", "bid.")) and name[-1] not in own for name in depends)


def _stride(addresses: list[int]) -> int | None:
    if len(addresses) < 2:
        return None
    stride = addresses[1] - addresses[0]
    return stride if abs(stride) < UNKNOWN_SIZE else None


def bank_conflict_ways(addresses: Sequence[int], itemsize: int) -> int:
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
