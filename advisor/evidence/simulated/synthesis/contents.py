"""What the arrays and scalars of a launch hold that is made up."""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from advisor.evidence.simulated.synthesis.arguments import slot_dtype
from advisor.evidence.simulated.synthesis.request import Request
from advisor.evidence.simulated.synthesis.size_choices import size_choice, size_limits
from advisor.evidence.simulated.synthesis.sizes import LaunchSizes, Variant
from advisor.model.machine_code.kernel_code import ParameterSlot
from advisor.program.index_relations.relations import Extent, Size

_Values = npt.NDArray[Any]
# A prime, so that rows of an array do not repeat each other.
_MOST_DRAWN = 131_071


def contents(
    request: Request, slot: ParameterSlot, made: LaunchSizes, variant: Variant, count: int | None = None
) -> _Values:
    """The elements of an array or a record, one axis, in the order of memory: `count` of them, else as many
    as its shape has.

    Integers that are indices lie in what they index, and rise where neighbours bound a range. The numbers
    follow from the variant and the parameter's name alone.
    """
    request = request.of_code(variant.code)
    size = math.prod(made.shapes.get(slot.name, ())) if slot.kind == "array" else 1
    filling = _Filling(request, slot.name, made, variant)
    return filling.values(slot_dtype(slot), size if count is None else count)


def scalar(slot: ParameterSlot, made: LaunchSizes) -> np.generic:
    """The value of a scalar parameter in its own type."""
    value: complex = made.scalars[slot.name]
    dtype = slot_dtype(slot)
    if dtype.kind == "c":
        value = complex(value, value / 2)
    found: np.generic = np.array([value]).astype(dtype)[0]
    return found


@dataclass(frozen=True, slots=True)
class _Filling:
    request: Request
    name: str
    made: LaunchSizes
    variant: Variant

    def values(self, dtype: np.dtype[Any], count: int, field: str = "") -> _Values:
        """So many elements of a type; those of a record field by field."""
        if self.name in self.request.relations.zeroed:
            return np.zeros(count, dtype)
        if dtype.subdtype is not None:
            base, shape = dtype.subdtype
            return self.values(base, count * math.prod(shape), field).reshape(count, *shape)
        if dtype.names is not None:
            return self._records(dtype, count, field)
        random = self._random(field)
        if dtype.kind in "iu":
            return self._integers(dtype, count, random, in_record=bool(field))
        if dtype.kind == "b":
            # What is told holds for full warps, which masks of mostly true elements leave.
            return (
                np.ones(count, dtype) if self.variant.ordered else random.random(count) < size_limits().truths
            )
        if dtype.kind == "c":
            return (random.random(count) + 1j * random.random(count)).astype(dtype)
        if dtype.kind == "f":
            return self._reals(count, random).astype(dtype)
        return np.zeros(count, dtype)

    def _random(self, field: str) -> np.random.Generator:
        return np.random.default_rng([self.variant.seed, zlib.crc32(f"{self.name} {field}".encode())])

    def _records(self, dtype: np.dtype[Any], count: int, field: str) -> _Values:
        found = np.zeros(count, dtype)
        assert dtype.names is not None
        for name in dtype.names:
            found[name] = self.values(dtype[name], count, f"{field}.{name}")
        return found

    def _reals(self, count: int, random: np.random.Generator) -> npt.NDArray[np.float64]:
        """Numbers from 0 up to the variant's largest, those of which an index is made up to what it indexes.

        They rise where data is ordered. Others repeat in very large arrays, since drawing them takes longer
        than the launch.
        """
        top = self._top()
        scaled = self.name in self.request.relations.scaled_floats
        largest = top if top is not None else 1.0 if scaled else self.variant.reals
        if self.variant.ordered:
            return np.linspace(0.0, largest, count, endpoint=False)
        drawn = min(count, _MOST_DRAWN)
        if top is None and not scaled and self.variant.sizes != "odd":
            return np.resize(random.standard_normal(drawn), count)
        return np.resize(random.random(drawn) * largest, count)

    def _integers(
        self, dtype: np.dtype[Any], count: int, random: np.random.Generator, in_record: bool
    ) -> _Values:
        top = self._top()
        largest = int(np.iinfo(dtype).max)
        if in_record and top is None and dtype.itemsize == 8 and dtype.kind == "u":
            # The state of a random number generator: any bits but zeros.
            return random.integers(1, largest, count, dtype)
        if self.name in self.request.relations.row_bounds:
            return self._row_bounds(count, random, largest, top).astype(dtype)
        repeats = size_limits().repeats if self.variant.repeated and top is not None else 1
        top = max(1, min(size_limits().values if top is None else top, largest))
        if repeats > 1:
            return (np.arange(count) // repeats % top).astype(dtype)
        if self.variant.ordered:
            return (np.arange(count) % top).astype(dtype)
        return random.integers(0, top, count).astype(dtype)

    def _top(self) -> int | None:
        """The smallest extent that the array's values are indices of, None where they are none."""
        found = [
            self.made.shapes[one.array][one.axis]
            for one in self.request.relations.index_of.get(self.name, ())
            if one.axis < len(self.made.shapes.get(one.array, ()))
        ]
        if not found:
            return None
        steps = self.request.relations.index_steps.get(self.name, ())
        return max(1, min(found) // math.prod(max(1, self._size(one)) for one in steps))

    def _size(self, size: Size | int) -> int:
        if isinstance(size, int):
            return size
        if isinstance(size, Extent):
            shape = self.made.shapes.get(size.array, ())
            return shape[size.axis] if size.axis < len(shape) else 1
        return int(self.made.scalars.get(size.name, 1))

    def _row_bounds(
        self, count: int, random: np.random.Generator, largest: int, top: int | None
    ) -> npt.NDArray[np.int64]:
        """Where each row begins: rows of one length, or of random ones around it."""
        length = size_choice(self.variant.sizes).row_length
        if self.variant.ordered:
            begins = np.arange(count, dtype=np.int64) * length
        else:
            begins = np.cumsum(random.integers(0, 2 * length, count), dtype=np.int64)
        return np.minimum(begins, largest if top is None else min(top, largest))
