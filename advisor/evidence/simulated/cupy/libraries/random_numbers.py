"""cuRAND's host interface by NumPy: the same distributions, but other numbers than a GPU's.

https://docs.nvidia.com/cuda/curand/
"""

from __future__ import annotations

from typing import Any

import numpy as np

from advisor.evidence.simulated.cupy.device_arrays import DeviceArrays
from advisor.evidence.simulated.cupy.libraries.library import (
    ADDRESS,
    DOUBLE,
    FLOAT,
    INT,
    OUT_ADDRESS,
    OUT_INT,
    SIZE,
    UNSIGNED_LONG,
    Library,
)

_FAILED, _NOT_SUPPORTED = 201, 999
_VERSION = 10400


def random_numbers(arrays: DeviceArrays) -> Library:
    """The library, with what CuPy uses most."""
    library = Library("curand", "libcurand.so", "cupy_backends.cuda.libs.curand", _FAILED, _NOT_SUPPORTED)
    drawn = _Generators(arrays)
    library.offer("curandCreateGenerator", drawn.create, OUT_ADDRESS, INT)
    library.offer("curandDestroyGenerator", drawn.destroy, ADDRESS)
    library.offer("curandGetVersion", _version, OUT_INT)
    library.offer("curandSetStream", drawn.keep, ADDRESS, ADDRESS)
    library.offer("curandSetGeneratorOrdering", drawn.keep, ADDRESS, INT)
    library.offer("curandSetPseudoRandomGeneratorSeed", drawn.seed, ADDRESS, UNSIGNED_LONG)
    library.offer("curandSetGeneratorOffset", drawn.offset, ADDRESS, UNSIGNED_LONG)
    a, n = ADDRESS, SIZE
    library.offer("curandGenerate", drawn.bits, a, a, n)
    library.offer("curandGenerateLongLong", drawn.long_bits, a, a, n)
    for suffix, dtype, kind in (("", np.float32, FLOAT), ("Double", np.float64, DOUBLE)):
        draw = _Drawing(drawn, dtype)
        library.offer(f"curandGenerateUniform{suffix}", draw.uniform, a, a, n)
        library.offer(f"curandGenerateNormal{suffix}", draw.normal, a, a, n, kind, kind)
        library.offer(f"curandGenerateLogNormal{suffix}", draw.lognormal, a, a, n, kind, kind)
    library.offer("curandGeneratePoisson", drawn.poisson, a, a, n, DOUBLE)
    return library


def _version(out: Any) -> None:
    out[0] = _VERSION


class _Generators:
    def __init__(self, arrays: DeviceArrays) -> None:
        self.arrays = arrays
        self._made: dict[int, np.random.Generator] = {}
        self._seeds: dict[int, int] = {}
        self._created = 0

    def __getitem__(self, handle: int) -> np.random.Generator:
        return self._made[handle]

    def create(self, out: Any, _kind: int) -> None:
        """A generator of any kind."""
        self._created += 1
        out[0] = self._created
        self.seed(self._created, 0)

    def destroy(self, handle: int) -> None:
        """Forget a generator."""
        self._made.pop(handle, None)

    def keep(self, _handle: int, _value: int) -> None:
        """Ignore what changes neither the distribution nor whether a sequence is repeated."""

    def seed(self, handle: int, value: int) -> None:
        """Begin the sequence of a seed."""
        self._seeds[handle] = value
        self._made[handle] = np.random.Generator(np.random.Philox(value))

    def offset(self, handle: int, value: int) -> None:
        """Begin the sequence of the seed at another place."""
        bits = np.random.Philox(self._seeds[handle])
        bits.advance(value)
        self._made[handle] = np.random.Generator(bits)

    def bits(self, handle: int, address: int, count: int) -> None:
        """Whole numbers of 32 random bits."""
        out = self.arrays.to_write(address, np.uint32, (count,))
        out[...] = self[handle].integers(0, 1 << 32, count, dtype=np.uint32)

    def long_bits(self, handle: int, address: int, count: int) -> None:
        """Whole numbers of 64 random bits."""
        out = self.arrays.to_write(address, np.uint64, (count,))
        out[...] = self[handle].integers(0, 1 << 64, count, dtype=np.uint64)

    def poisson(self, handle: int, address: int, count: int, mean: float) -> None:
        """Numbers of a Poisson distribution."""
        self.arrays.to_write(address, np.uint32, (count,))[...] = self[handle].poisson(mean, count)


class _Drawing:
    """The distributions of numbers of one type."""

    def __init__(self, generators: _Generators, dtype: Any) -> None:
        self._generators, self._dtype = generators, dtype

    def uniform(self, handle: int, address: int, count: int) -> None:
        """Numbers above 0, up to 1, as cuRAND draws them."""
        self._out(address, count)[...] = 1 - self._generators[handle].random(count, self._dtype)

    def normal(self, handle: int, address: int, count: int, mean: float, deviation: float) -> None:
        """Numbers of a normal distribution."""
        self._out(address, count)[...] = self._generators[handle].normal(mean, deviation, count)

    def lognormal(self, handle: int, address: int, count: int, mean: float, deviation: float) -> None:
        """Numbers whose logarithms are of a normal distribution."""
        self._out(address, count)[...] = self._generators[handle].lognormal(mean, deviation, count)

    def _out(self, address: int, count: int) -> Any:
        return self._generators.arrays.to_write(address, self._dtype, (count,))
