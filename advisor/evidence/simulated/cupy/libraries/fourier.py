"""cuFFT by NumPy: transforms of any rank, of batches, with gaps.

https://docs.nvidia.com/cuda/cufft/
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from advisor.evidence.simulated.cupy.device_arrays import Array, DeviceArrays
from advisor.evidence.simulated.cupy.libraries.library import ADDRESS, INT, OUT_INT, OUT_SIZE, Library

_FAILED, _NOT_SUPPORTED = 6, 16
_VERSION = 12000
_FORWARD = -1
# cufft.h: cufftType.
_COMPLEX: dict[int, Any] = {0x29: np.complex64, 0x69: np.complex128}
_FROM_REAL: dict[int, Any] = {0x2A: np.complex64, 0x6A: np.complex128}
_TO_REAL: dict[int, Any] = {0x2C: np.complex64, 0x6C: np.complex128}
_REAL: dict[Any, Any] = {np.complex64: np.float32, np.complex128: np.float64}


@dataclass(frozen=True)
class _Layout:
    """How the elements of each transform lie: within rows of these lengths, apart, and between transforms."""

    rows: tuple[int, ...] | None
    step: int
    distance: int


@dataclass(frozen=True)
class _Plan:
    sizes: tuple[int, ...]
    kind: int
    batch: int
    source: _Layout
    target: _Layout


def fourier(arrays: DeviceArrays) -> Library:
    """The library, with what CuPy uses most."""
    library = Library("cufft", "libcufft.so", "cupy.cuda.cufft", _FAILED, _NOT_SUPPORTED)
    plans = _Plans(arrays)
    library.offer("cufftCreate", plans.create, OUT_INT)
    library.offer("cufftDestroy", plans.destroy, INT)
    library.offer("cufftGetVersion", _version, OUT_INT)
    library.offer("cufftSetAutoAllocation", _nothing, INT, INT)
    library.offer("cufftSetWorkArea cufftSetStream", _nothing, INT, ADDRESS)
    library.offer("cufftMakePlan1d", plans.make_line, INT, INT, INT, INT, OUT_SIZE)
    given = INT, INT, OUT_INT, OUT_INT, INT, INT, OUT_INT, INT, INT, INT, INT, OUT_SIZE
    library.offer("cufftMakePlanMany", plans.make_many, *given)
    library.offer("cufftExecC2C cufftExecZ2Z", plans.run, INT, ADDRESS, ADDRESS, INT)
    library.offer("cufftExecR2C cufftExecD2Z cufftExecC2R cufftExecZ2D", plans.run, INT, ADDRESS, ADDRESS)
    return library


def _version(out: Any) -> None:
    out[0] = _VERSION


def _nothing(*_: Any) -> None:
    return None


class _Plans:
    def __init__(self, arrays: DeviceArrays) -> None:
        self._arrays = arrays
        self._plans: dict[int, _Plan] = {}
        self._created = 0

    def create(self, out: Any) -> None:
        """A number for a plan that is made later."""
        self._created += 1
        out[0] = self._created

    def destroy(self, plan: int) -> None:
        """Forget a plan."""
        self._plans.pop(plan, None)

    def make_line(self, plan: int, size: int, kind: int, batch: int, room: Any) -> None:
        """A plan for transforms of one rank that lie side by side."""
        self._plans[plan] = _side_by_side((size,), kind, batch)
        room[0] = 0

    def make_many(self, plan: int, rank: int, sizes: Any, *rest: Any) -> None:
        """A plan for transforms that may lie with gaps."""
        rows, step, distance, target_rows, target_step, target_distance, kind, batch, room = rest
        shape = tuple(sizes[:rank])
        if rows and target_rows:
            source = _Layout(tuple(rows[:rank]), step, distance)
            target = _Layout(tuple(target_rows[:rank]), target_step, target_distance)
            self._plans[plan] = _Plan(shape, kind, batch, source, target)
        else:
            self._plans[plan] = _side_by_side(shape, kind, batch)
        room[0] = 0

    def run(self, plan: int, source: int, target: int, direction: int = _FORWARD) -> None:
        """Transform; as cuFFT does, backwards without dividing by the number of elements."""
        made = self._plans[plan]
        dtype = (_COMPLEX | _FROM_REAL | _TO_REAL)[made.kind]
        half = (*made.sizes[:-1], made.sizes[-1] // 2 + 1)
        axes = tuple(range(1, len(made.sizes) + 1))
        if made.kind in _COMPLEX:
            given = self._seen(source, made.sizes, made.source, made.batch, dtype, False)
            out = self._seen(target, made.sizes, made.target, made.batch, dtype, True)
            if direction == _FORWARD:
                out[...] = np.fft.fftn(given, axes=axes)
            else:
                out[...] = np.fft.ifftn(given, axes=axes, norm="forward")
        elif made.kind in _FROM_REAL:
            given = self._seen(source, made.sizes, made.source, made.batch, _REAL[dtype], False)
            found = np.fft.rfftn(given, axes=axes)
            self._seen(target, half, made.target, made.batch, dtype, True)[...] = found
        else:
            given = self._seen(source, half, made.source, made.batch, dtype, False)
            real = np.fft.irfftn(given, s=made.sizes, axes=axes, norm="forward")
            self._seen(target, made.sizes, made.target, made.batch, _REAL[dtype], True)[...] = real

    def _seen(
        self, address: int, sizes: Sequence[int], layout: _Layout, batch: int, dtype: Any, written: bool
    ) -> Array:
        """The elements of all transforms, in an array of one more rank."""
        steps = [layout.step]
        for length in reversed((layout.rows or sizes)[1:]):
            steps.insert(0, steps[0] * length)
        span = (batch - 1) * layout.distance + sum((n - 1) * s for n, s in zip(sizes, steps, strict=True)) + 1
        get = self._arrays.to_write if written else self._arrays.at
        flat = get(address, dtype, (span,))
        strides = [step * flat.itemsize for step in (layout.distance, *steps)]
        return np.lib.stride_tricks.as_strided(flat, (batch, *sizes), strides)


def _side_by_side(sizes: tuple[int, ...], kind: int, batch: int) -> _Plan:
    """A plan without gaps: half of the last rank's elements, and one, where they are of a real transform."""
    half = (*sizes[:-1], sizes[-1] // 2 + 1)
    source = half if kind in _TO_REAL else sizes
    target = half if kind in _FROM_REAL else sizes
    layouts = [_Layout(None, 1, int(np.prod(shape))) for shape in (source, target)]
    return _Plan(sizes, kind, batch, *layouts)
