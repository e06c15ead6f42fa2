"""The shape of a block, and which thread indices the lanes of its warps have."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from advisor.program.values.constant_folding import is_open

WARP = 32
# A block of more threads is not launched (CUDA C++ Programming Guide, compute capabilities).
_MOST_THREADS = 1024
# The indices of a thread in its block along x, y and z.
Thread: TypeAlias = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class AlikeWarps:
    """Warps whose lanes lie around the first one in the same way.

    `lanes` are thread indices less those of the first lane, `numbers` the lanes' places in their warp, and
    `starts` the thread indices of the first lane of each warp.
    """

    lanes: tuple[Thread, ...]
    numbers: tuple[int, ...]
    starts: tuple[Thread, ...]


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
        return [
            {"tid.x": x, "tid.y": y, "tid.z": z, "bid.x": 0, "bid.y": 0, "bid.z": 0}
            for x, y, z in self.warps()[0]
        ]

    def warps(self) -> tuple[tuple[Thread, ...], ...]:
        """The threads of each warp of the block; the last one has what is left."""
        return _warps(self)

    def __str__(self) -> str:
        sizes = [size for size in (self.x, self.y, self.z) if size is not None]
        while len(sizes) > 1 and sizes[-1] == 1:
            sizes.pop()
        return str(sizes[0]) if len(sizes) == 1 else f"({', '.join(map(str, sizes))})"


@lru_cache(64)
def _warps(shape: BlockShape) -> tuple[tuple[Thread, ...], ...]:
    x, y, z = shape.x or WARP, shape.y or 1, shape.z or 1
    threads = [(at % x, at // x % y, at // (x * y)) for at in range(min(x * y * z, _MOST_THREADS))]
    return tuple(tuple(threads[first : first + WARP]) for first in range(0, len(threads), WARP))


def alike_warps(warps: Iterable[Mapping[int, Thread]]) -> tuple[AlikeWarps, ...]:
    """Group warps, each given as its active lanes, by how these lie around the first of them."""
    groups: dict[tuple[tuple[Thread, ...], tuple[int, ...]], list[Thread]] = {}
    for warp in warps:
        start = next(iter(warp.values()))
        lanes = tuple((x - start[0], y - start[1], z - start[2]) for x, y, z in warp.values())
        groups.setdefault((lanes, tuple(warp)), []).append(start)
    return tuple(AlikeWarps(lanes, numbers, tuple(starts)) for (lanes, numbers), starts in groups.items())


def assumed_in_words(shapes: Iterable[BlockShape]) -> str:
    """The sentence that says which blocks are assumed where no launch tells."""
    return f"The block shape is not known here; {' or '.join(map(str, shapes))} threads are assumed."


# What a block may be that is a share of the data.
ONE_THREAD = BlockShape(1, 1, 1, stated=False)
_ROW = BlockShape(256, 1, 1, stated=False)
_SQUARE = BlockShape(16, 16, 1, stated=False)
_WARP_WIDE = BlockShape(32, 8, 1, stated=False)
_LARGE_SQUARE = BlockShape(32, 32, 1, stated=False)
_ALONG_Y = BlockShape(1, 128, 1, stated=False)
_ALONG_Z = BlockShape(1, 1, 64, stated=False)


def assumed_shapes(dimensions: Collection[str]) -> list[BlockShape]:
    """The blocks to reckon with where no launch tells: with three thread indices the lanes of a warp may as
    well lie along the last one.
    """
    if "z" in dimensions:
        return [_SQUARE, _ALONG_Z]
    return [_SQUARE] if "y" in dimensions else [_ROW]


def usual_shapes(dimensions: Collection[str], chosen: bool) -> list[BlockShape]:
    """The blocks that kernels with these thread indices usually have; where a launch has `chosen`
    one that is not known, also that for kernels whose x is the row. None where a kernel asks for the index
    along x alone, since neighbouring lanes are neighbours along x in any block.
    """
    if not set(dimensions) - {"x"}:
        return []
    usual = [_SQUARE, _WARP_WIDE, _LARGE_SQUARE]
    return [*usual, *([_ALONG_Z] if "z" in dimensions else []), *([_ALONG_Y] if chosen else [])]


def threads_of(size: object) -> int | None:
    """The threads of a block of a size, None where the source does not fix it or no GPU has such a block."""
    sizes = size if isinstance(size, tuple) else (size,)
    if is_open(size) or not all(isinstance(one, int) and 1 <= one <= _MOST_THREADS for one in sizes):
        return None
    return math.prod(sizes)
