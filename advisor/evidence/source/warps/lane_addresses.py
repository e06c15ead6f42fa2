"""The addresses that the lanes of a warp meet, as offsets of elements."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from advisor.evidence.source.kernel_walk.affine_forms import Form
from advisor.program.launches.block_shape import WARP, BlockShape

SECTOR_BYTES = 32
# A size that the source does not give is taken as large and aligned: no two of its multiples share a sector.
UNKNOWN_SIZE = 1 << 20
# Sizes of different names are different: rows of one do not fall together with rows of another.
_APART = 1009


def lane_addresses(
    forms: Sequence[Form],
    block: BlockShape,
    extents: Sequence[int | None],
    lanes: Sequence[Mapping[str, int]],
) -> list[int]:
    """The element offset of each lane, in C order, unknown sizes taken as large.

    `forms` are the indices, `extents` the sizes of the array along its axes, `lanes` the thread and block
    indices of each lane.
    """
    pitches = [1] * len(forms)
    for axis in range(len(forms) - 2, -1, -1):
        size = extents[axis + 1] if axis + 1 < len(extents) else None
        pitches[axis] = pitches[axis + 1] * (size if size is not None else UNKNOWN_SIZE)
    values = _sizes(forms, block)
    found = [0] * len(lanes)
    for form, pitch in zip(forms, pitches, strict=True):
        _add(found, form, pitch, lanes, values)
    base = min(found)
    aligned = base - base % (SECTOR_BYTES // 2) if abs(base) >= UNKNOWN_SIZE else 0
    return [address - aligned for address in found]


def _add(
    addresses: list[int],
    form: Form,
    pitch: int,
    lanes: Sequence[Mapping[str, int]],
    values: Mapping[str, int],
) -> None:
    """Add to the addresses of the lanes what an index is in each of them, `pitch` times.

    What is the same for all lanes is computed once, `values` are of these atoms.
    """
    same = 0
    for monomial, coefficient in form.terms:
        product, own = coefficient * pitch, []
        for name in monomial:
            if name in lanes[0]:
                own.append(name)
            else:
                product *= values[name]
        if not own:
            same += product
        elif product and len(own) == 1:
            for number, lane in enumerate(lanes):
                addresses[number] += product * lane[own[0]]
        elif product:
            for number, lane in enumerate(lanes):
                addresses[number] += product * math.prod([lane[name] for name in own])
    if same:
        for number in range(len(addresses)):
            addresses[number] += same


def _sizes(forms: Sequence[Form], block: BlockShape) -> dict[str, int]:
    """A value for each atom that is the same for all lanes."""
    known = {"bdim.x": block.x, "bdim.y": block.y, "bdim.z": block.z, "warpsize": WARP}
    found: dict[str, int] = {}
    apart = 1
    for name in sorted({name for form in forms for name in form.atoms()}):
        size = known.get(name)
        if size is None and not _varies(name):
            size = UNKNOWN_SIZE * apart
            apart *= _APART
        found[name] = size or 0
    return found


def _varies(name: str) -> bool:
    return "#" in name or name.startswith(("tid.", "bid."))


def strides_open(flat: Form) -> bool:
    """Whether an index into a flattened array has strides of which any may be 1, that of neighbours.

    So it is with `x * a + y * b`: either `a` or `b` may be 1. In `x * a + y` neighbours differ in `y`, and in
    `x * a * b + y * b` rows of `b` elements lie in planes.
    """
    strides = set()
    for monomial, coefficient in flat.terms:
        varying = [name for name in monomial if _varies(name)]
        # What an unknown value advances by is not known either.
        if varying and not all("#" in name and not name.startswith("loop#") for name in varying):
            factors = tuple(name for name in monomial if not _varies(name) and not name.startswith("bdim."))
            if not factors and abs(coefficient) == 1:
                return False
            strides.add(factors)
    counted = [Counter(factors) for factors in strides]
    return any(one - other and other - one for one in counted for other in counted)
