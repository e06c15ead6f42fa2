"""The addresses that the lanes of a block's warps meet, as offsets of elements."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

from advisor.evidence.source.kernel_walk.affine_forms import THREAD, Form, Monomial
from advisor.program.launches.block_shape import WARP, AlikeWarps, BlockShape, Thread

SECTOR_BYTES = 32
# A size that the source does not give is taken as large and aligned: no two of its multiples share a sector.
UNKNOWN_SIZE = 1 << 20
# Sizes of different names are different: rows of one do not fall together with rows of another.
_APART = 1009
_AXES = {name: axis for axis, name in enumerate(THREAD)}
# How many values a number takes one after another, None where that is not known; 1 for one that stays.
Steps: TypeAlias = Callable[[str], int | None]
# More values of a counter than these lie like any number of them.
_MOST_STEPS = 64


@dataclass(frozen=True, slots=True)
class WarpOffsets:
    """The element offsets of the active lanes of a warp, their places in it, and its part of all warps."""

    offsets: tuple[int, ...]
    numbers: tuple[int, ...]
    share: float


def offset_terms(
    forms: Sequence[Form], block: BlockShape, extents: Sequence[int | None]
) -> dict[Monomial, int]:
    """The element offset of a thread, in C order, as a polynomial of what varies: thread and block indices,
    counters of loops, unknown values.

    `forms` are the indices, `extents` the sizes of the array along its axes; unknown sizes are taken as
    large.
    """
    pitches = [1] * len(forms)
    for axis in range(len(forms) - 2, -1, -1):
        size = extents[axis + 1] if axis + 1 < len(extents) else None
        pitches[axis] = pitches[axis + 1] * (size if size is not None else UNKNOWN_SIZE)
    values = _sizes(forms, block)
    found: dict[Monomial, int] = defaultdict(int)
    for form, pitch in zip(forms, pitches, strict=True):
        for monomial, coefficient in form.terms:
            varying = tuple(name for name in monomial if _varies(name))
            fixed = math.prod(values[name] for name in monomial if not _varies(name))
            found[varying] += coefficient * pitch * fixed
    return {monomial: coefficient for monomial, coefficient in found.items() if coefficient}


def lane_offsets(terms: Mapping[Monomial, int], threads: Iterable[Thread]) -> list[int]:
    """The part of the element offsets that follows from thread indices alone."""
    own = [
        (coefficient, [_AXES[name] for name in monomial])
        for monomial, coefficient in terms.items()
        if monomial and all(name in _AXES for name in monomial)
    ]
    return [
        sum(coefficient * math.prod([thread[axis] for axis in axes]) for coefficient, axes in own)
        for thread in threads
    ]


def warp_offsets(
    terms: Mapping[Monomial, int], warps: Iterable[AlikeWarps], period: int, steps: Steps
) -> list[WarpOffsets]:
    """What each different warp meets.

    Offsets are counted from a multiple of `period` elements: warps that begin at the same place in a period
    meet memory alike. Blocks, iterations and values that data gives begin at each place as often as at any
    other where the terms allow it.
    """
    affine = all(len(monomial) == 1 for monomial in terms if any(name in _AXES for name in monomial))
    beginnings = _beginnings(terms, period, steps)
    found: dict[tuple[tuple[int, ...], tuple[int, ...]], float] = defaultdict(float)
    for group in warps:
        for lanes, starts in _placed(terms, group, affine):
            places = Counter(start % period for start in starts)
            for (start, count), (begin, weight) in product(places.items(), beginnings.items()):
                first = (start + begin) % period
                found[tuple(first + lane for lane in lanes), group.numbers] += count * weight
    whole = sum(found.values())
    return [WarpOffsets(lanes, numbers, weight / whole) for (lanes, numbers), weight in found.items()]


def _placed(
    terms: Mapping[Monomial, int], group: AlikeWarps, affine: bool
) -> Iterable[tuple[list[int], list[int]]]:
    """The offsets of lanes less that of their first one, and the offsets of first lanes they go with."""
    starts = lane_offsets(terms, group.starts)
    if affine:
        return [(lane_offsets(terms, group.lanes), starts)]
    found = []
    for (x, y, z), start in zip(group.starts, starts, strict=True):
        threads = [(x + along, y + across, z + up) for along, across, up in group.lanes]
        found.append(([one - start for one in lane_offsets(terms, threads)], [start]))
    return found


def _beginnings(terms: Mapping[Monomial, int], period: int, steps: Steps) -> Mapping[int, float]:
    """How often what is the same for all lanes of a warp begins at each place in a period."""
    found: dict[int, float] = {terms.get((), 0) % period: 1.0}
    for monomial, coefficient in terms.items():
        if not monomial or coefficient % period == 0 or any(name in _AXES for name in monomial):
            continue
        # Two numbers are enough to spread a product of more.
        values = [range(_count(steps(name), period)) for name in monomial[:2]]
        places = Counter(coefficient * math.prod(chosen) % period for chosen in product(*values))
        moved: dict[int, float] = defaultdict(float)
        for (place, weight), (step, times) in product(found.items(), places.items()):
            moved[(place + step) % period] += weight * times / places.total()
        found = moved
    return found


def _count(steps: int | None, period: int) -> int:
    return period if steps is None or steps > _MOST_STEPS else max(steps, 1)


def _sizes(forms: Sequence[Form], block: BlockShape) -> dict[str, int]:
    """A value for each size."""
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
