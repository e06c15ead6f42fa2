"""What one warp does with an access: the addresses of its 32 lanes, and the sectors or banks they touch."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from advisor.facts.forms import Atoms, Form, number
from advisor.facts.kernel_facts import Access

WARP = 32
SECTOR_BYTES = 32
BANKS = 32
BANK_BYTES = 4
# A size that the source does not give is taken as large and aligned: no two of its multiples share a sector.
_UNKNOWN_SIZE = 1 << 20


@dataclass(frozen=True, slots=True)
class BlockShape:
    """The threads of a block along x, y and z, None where unknown; `stated` is False for an assumed shape."""

    x: int | None
    y: int | None = 1
    z: int | None = 1
    stated: bool = True

    @property
    def lane_axes(self) -> tuple[str, ...]:
        """The thread indices that differ within a warp, the fastest first."""
        axes: list[str] = []
        lanes = 1
        for name, size in (("tid.x", self.x), ("tid.y", self.y), ("tid.z", self.z)):
            if lanes >= WARP:
                break
            if size is None:
                axes.append(name)
                break
            if size > 1:
                axes.append(name)
                lanes *= size
        return tuple(axes)

    def lanes(self) -> list[dict[str, int]]:
        """The thread indices of each lane of the first warp (fewer than 32 for a smaller block)."""
        x = self.x or WARP
        y = self.y or 1
        z = self.z or 1
        count = min(WARP, x * y * z)
        return [
            {"tid.x": lane % x, "tid.y": lane // x % y, "tid.z": lane // (x * y)} for lane in range(count)
        ]

    def __str__(self) -> str:
        sizes = [size for size in (self.x, self.y, self.z) if size is not None]
        while len(sizes) > 1 and sizes[-1] == 1:
            sizes.pop()
        return str(sizes[0]) if len(sizes) == 1 else f"({', '.join(map(str, sizes))})"


_ROW = BlockShape(256, 1, 1, stated=False)
_SQUARE = BlockShape(16, 16, 1, stated=False)
_ALONG_Z = BlockShape(1, 1, 64, stated=False)


def assumed_shapes(dimensions: Collection[str]) -> list[BlockShape]:
    """The blocks to reckon with where no launch tells: with three thread indices the lanes of a warp may as
    well lie along the last one.
    """
    if "z" in dimensions:
        return [_SQUARE, _ALONG_Z]
    return [_SQUARE] if "y" in dimensions else [_ROW]


@dataclass(frozen=True, slots=True)
class LanePattern:
    """How the lanes of a warp spread over an array; None where the source does not tell."""

    index_kind: str
    lane_axis: str | None = None
    lane_stride: int | None = None
    fast_axis_thread: bool | None = None
    sectors: int | None = None
    ideal_sectors: int | None = None
    bank_conflict_ways: int | None = None
    exchanged_sectors: int | None = None


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
    addresses = _addresses(forms, block, extents)
    itemsize = access.array.itemsize or BANK_BYTES
    pattern = LanePattern(
        "affine",
        _lane_axis(forms, atoms, axes),
        _stride(addresses),
        _other_thread_on_fast_axis(forms, atoms, block),
    )
    if access.array.space == "shared":
        complete = access.array.itemsize is not None and len(extents) >= len(forms)
        complete = complete and all(size is not None for size in extents[1:])
        ways = bank_conflict_ways(addresses, itemsize) if complete else None
        return LanePattern(*_fields(pattern)[:4], bank_conflict_ways=ways)
    ideal = -(-len(set(addresses)) * itemsize // SECTOR_BYTES)
    exchanged = [_sectors(one, itemsize) for one in _exchanged(forms, atoms, block, extents)]
    return LanePattern(
        *_fields(pattern)[:4],
        sectors=_sectors(addresses, itemsize),
        ideal_sectors=max(ideal, 1),
        exchanged_sectors=min(exchanged, default=None),
    )


def _sectors(addresses: list[int], itemsize: int) -> int:
    return len({address * itemsize // SECTOR_BYTES for address in addresses})


def _exchanged(
    forms: list[Form], atoms: Atoms, block: BlockShape, extents: tuple[int | None, ...]
) -> list[list[int]]:
    """The addresses of the lanes when the lane's index and that of the fast axis change places, with the
    sizes of the block along the two as they are and exchanged; none where one thread index has both, or
    where a block is one thread.
    """
    if not block.lane_axes or _lane_axis(forms, atoms, set(block.lane_axes)) != "slow":
        return []
    lane = block.lane_axes[0]
    depends = atoms.depends(_without_fields(forms, atoms)[-1])
    other = next((axis for axis in ("tid.x", "tid.y", "tid.z") if axis in depends and axis != lane), None)
    if other is None:
        return []
    places = {lane: other, other: lane}
    sizes = {"tid.x": block.x, "tid.y": block.y, "tid.z": block.z}
    x, y, z = (sizes[places.get(axis, axis)] for axis in sizes)
    turned = BlockShape(x, y, z)
    found = []
    for shape in (block, turned):
        moved = [{axis: at[places.get(axis, axis)] for axis in at} for at in shape.lanes()]
        found.append(_addresses(forms, block, extents, moved))
    return found


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
    addresses = _addresses(before, block, extents)
    rows = set(addresses)
    itemsize = access.array.itemsize or BANK_BYTES
    ends = [*sorted(rows)[1:], max(rows) + _UNKNOWN_SIZE]
    nearest = min(after - row for row, after in zip(sorted(rows), ends, strict=True))
    if nearest * itemsize < SECTOR_BYTES:
        return LanePattern(kind, _lane_axis(forms, atoms, axes))
    ideal = -(-len(addresses) * itemsize // SECTOR_BYTES)
    lane = {axis[-1] for axis in block.lane_axes[:1]}
    other = any(
        name.startswith(("tid.", "bid.")) and name[-1] not in lane for name in atoms.direct(forms[-1])
    )
    ideal = max(ideal, 1)
    return LanePattern(
        kind, "slow", None, other, len(rows), ideal, exchanged_sectors=ideal if other else None
    )


def _fields(pattern: LanePattern) -> tuple[str, str | None, int | None, bool | None]:
    return pattern.index_kind, pattern.lane_axis, pattern.lane_stride, pattern.fast_axis_thread


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
    first = next((axis for axis in ("tid.x", "tid.y", "tid.z") if axis in axes), "tid.x")
    slow = any(first in atoms.depends(form) for form in forms[:-1])
    fast = first in atoms.depends(forms[-1])
    return "both" if slow and fast else "slow" if slow else "fast" if fast else "none"


def _other_thread_on_fast_axis(forms: list[Form], atoms: Atoms, block: BlockShape) -> bool:
    lane = block.lane_axes[:1]
    depends = atoms.depends(_without_fields(forms, atoms)[-1])
    return any(
        name.startswith(("tid.", "bid.")) and name[-1] not in {axis[-1] for axis in lane} for name in depends
    )


def _addresses(
    forms: list[Form],
    block: BlockShape,
    extents: tuple[int | None, ...],
    lanes: Sequence[Mapping[str, int]] | None = None,
) -> list[int]:
    """The element offset of each lane, in C order, unknown sizes taken as large."""
    pitches = [1] * len(forms)
    for axis in range(len(forms) - 2, -1, -1):
        size = extents[axis + 1] if axis + 1 < len(extents) else None
        pitches[axis] = pitches[axis + 1] * (size if size is not None else _UNKNOWN_SIZE)
    sizes = {"bdim.x": block.x, "bdim.y": block.y, "bdim.z": block.z, "warpsize": WARP}
    found = []
    for lane in block.lanes() if lanes is None else lanes:

        def value_of(name: str, lane: Mapping[str, int] = lane) -> int:
            if name in lane:
                return lane[name]
            known = sizes.get(name)
            if known is not None:
                return known
            return 0 if "#" in name or name.startswith("bid.") else _UNKNOWN_SIZE

        found.append(sum(form.evaluate(value_of) * pitch for form, pitch in zip(forms, pitches, strict=True)))
    base = min(found)
    aligned = base - base % (SECTOR_BYTES // 2) if abs(base) >= _UNKNOWN_SIZE else 0
    return [address - aligned for address in found]


def _stride(addresses: list[int]) -> int | None:
    if len(addresses) < 2:
        return None
    stride = addresses[1] - addresses[0]
    return stride if abs(stride) < _UNKNOWN_SIZE else None


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
