"""What one warp does with an access: the addresses of its 32 lanes, and the sectors or banks they touch."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.facts.forms import Atoms, Form, number
from advisor.facts.kernel_facts import Access, Array

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


def lane_pattern(
    access: Access, atoms: Atoms, block: BlockShape, extents: tuple[int | None, ...]
) -> LanePattern:
    """The pattern of one access for a block shape; `extents` are the sizes of the array along its axes."""
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
        complete = all(size is not None for size in extents[1:]) and len(extents) >= len(forms)
        ways = bank_conflict_ways(addresses, itemsize) if complete else None
        return LanePattern(*_fields(pattern)[:4], bank_conflict_ways=ways)
    sectors = len({address * itemsize // SECTOR_BYTES for address in addresses})
    ideal = -(-len(set(addresses)) * itemsize // SECTOR_BYTES)
    return LanePattern(*_fields(pattern)[:4], sectors=max(sectors, 1), ideal_sectors=max(ideal, 1))


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
    return LanePattern(kind, "slow", None, other, len(rows), max(ideal, 1))


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


def _addresses(forms: list[Form], block: BlockShape, extents: tuple[int | None, ...]) -> list[int]:
    """The element offset of each lane, in C order, unknown sizes taken as large."""
    pitches = [1] * len(forms)
    for axis in range(len(forms) - 2, -1, -1):
        size = extents[axis + 1] if axis + 1 < len(extents) else None
        pitches[axis] = pitches[axis + 1] * (size if size is not None else _UNKNOWN_SIZE)
    sizes = {"bdim.x": block.x, "bdim.y": block.y, "bdim.z": block.z, "warpsize": WARP}
    found = []
    for lane in block.lanes():

        def value_of(name: str, lane: dict[str, int] = lane) -> int:
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


def extents_of(array: Array, accesses: list[Access]) -> tuple[int | None, ...]:
    """The sizes of an array along its axes; a row only touched at constant places is taken to end there."""
    if array.dims:
        return array.dims
    ranks = {len(access.indices) for access in accesses}
    if len(ranks) != 1:
        return ()
    rank = ranks.pop()
    sizes: list[int | None] = [None] * rank
    for axis in range(1, rank):
        constants = [access.indices[axis].form.constant for access in accesses]
        known = [value for value in constants if value is not None and value >= 0]
        if len(array.made) == rank and array.made[axis] is not None:
            sizes[axis] = array.made[axis]
        elif len(known) == len(constants) and known:
            sizes[axis] = max(known) + 1
    return tuple(sizes)
