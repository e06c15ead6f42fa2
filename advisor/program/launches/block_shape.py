"""The shape of a block, and which thread indices the lanes of its warps have."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache

WARP = 32
# Warps and blocks that stand for all: where warps begin in the middle of a row, no two need be alike.
_WARPS = 8
_BLOCKS = 4


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
        return self._warp(0, 0)

    def warps(self) -> tuple[list[dict[str, int]], ...]:
        """The warps whose mean stands for all, each as the indices of its lanes: the first one where all meet
        memory alike, else some from everywhere in the block, in blocks that begin at different places.
        """
        return _warps(self)

    @property
    def alike(self) -> bool:
        """Whether each warp begins at a multiple of a power of two, as far as sectors can tell."""
        x = self.x or WARP
        return x % WARP == 0 or all(size & (size - 1) == 0 for size in (x, self.y or 1, self.z or 1))

    def _warp(self, first: int, block: int) -> list[dict[str, int]]:
        x, y, z = self.x or WARP, self.y or 1, self.z or 1
        place = {"bid.x": block, "bid.y": block, "bid.z": block}
        return [
            {"tid.x": at % x, "tid.y": at // x % y, "tid.z": at // (x * y), **place}
            for at in range(first, min(first + WARP, x * y * z))
        ]

    def __str__(self) -> str:
        sizes = [size for size in (self.x, self.y, self.z) if size is not None]
        while len(sizes) > 1 and sizes[-1] == 1:
            sizes.pop()
        return str(sizes[0]) if len(sizes) == 1 else f"({', '.join(map(str, sizes))})"


@lru_cache(64)
def _warps(shape: BlockShape) -> tuple[list[dict[str, int]], ...]:
    if shape.alike:
        return (shape.lanes(),)
    threads = (shape.x or WARP) * (shape.y or 1) * (shape.z or 1)
    step = WARP * max(1, -(-threads // (WARP * _WARPS)))
    return tuple(shape._warp(first, block) for block in range(_BLOCKS) for first in range(0, threads, step))


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
