"""Values of host code with made-up sizes: arrays by shape and type, and what nothing tells."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TypeAlias

# Bytes of an element by Triton's name of the type.
BYTES = {
    "fp64": 8, "fp32": 4, "fp16": 2, "bf16": 2, "i64": 8, "i32": 4, "i16": 2, "i8": 1, "u8": 1, "i1": 1,
    "fp8e4nv": 1, "fp8e5": 1,
    "u16": 2, "u32": 4, "u64": 8,
}  # fmt: skip
# PyTorch's names of types, and Triton's.
TYPES = {
    "float64": "fp64", "double": "fp64", "float32": "fp32", "float": "fp32", "float16": "fp16",
    "half": "fp16", "bfloat16": "bf16", "int64": "i64", "long": "i64", "int32": "i32", "int": "i32",
    "int16": "i16", "short": "i16", "int8": "i8", "uint8": "u8", "bool": "i1", "float8_e4m3fn": "fp8e4nv",
    "float8_e5m2": "fp8e5",
}  # fmt: skip


@dataclass(frozen=True)
class DType:
    """A type of elements, by Triton's name."""

    name: str


@dataclass(frozen=True)
class Array:
    """An array: its extents, the elements from one index to the next along each axis, and its type.

    `dtype` is empty where nothing tells it.
    """

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: str = ""

    @property
    def count(self) -> int:
        """How many elements it has."""
        return math.prod(self.shape)

    def of_type(self, dtype: str) -> Array:
        """The same with another type."""
        return replace(self, dtype=dtype)


@dataclass(frozen=True)
class Nothing:
    """A value that the source does not tell; `name` is how the host code calls it."""

    name: str = ""
    annotation: str = ""


@dataclass
class Dictionary:
    """A dictionary with texts for keys."""

    items: dict[str, Host] = field(default_factory=dict)


# Others are nodes of the syntax tree: lambdas and functions of the host code.
Host: TypeAlias = (
    "int | float | bool | str | tuple[Host, ...] | DType | Array | Nothing | Dictionary | object | None"
)


def contiguous(shape: tuple[int, ...], dtype: str = "") -> Array:
    """An array that lies row by row."""
    strides, step = [0] * len(shape), 1
    for axis in range(len(shape) - 1, -1, -1):
        strides[axis] = step
        step *= max(1, shape[axis])
    return Array(shape, tuple(strides), dtype)


def is_number(value: Host) -> bool:
    """Whether a value is a number, truth values included."""
    return isinstance(value, int | float)


@dataclass(frozen=True)
class Sizes:
    """The sizes of one launch that is made up.

    `extents` are those of arrays of one axis, two axes …; of `square` ones all axes of an array with two are
    alike, and `last` is their last extent, if it is not 0. `numbers` stand for whole numbers that nothing
    tells, `truths` for truth values. With `lenient` ones checks of the program that fail are passed over.
    """

    name: str
    extents: tuple[tuple[int, ...], ...]
    numbers: int
    truths: bool = False
    square: bool = False
    last: int = 0
    lenient: bool = False

    def shape(self, axes: int) -> tuple[int, ...]:
        """The shape of an array with so many axes."""
        if axes == 0:
            return ()
        known = self.extents[min(axes, len(self.extents)) - 1]
        found = (2,) * (axes - len(known)) + known
        if self.last and axes > 1:
            found = (*found[:-1], self.last)
        return (max(found),) * 2 if self.square and axes == 2 else found

    def halved(self) -> Sizes:
        """Half as much along each axis but the last of four, for products, which take long."""
        extents = tuple(
            one
            if len(one) == 1
            else tuple(max(1, size // 2) | (size & 1) for size in one[:-1]) + one[-1:]
            if len(one) > 2
            else tuple(size // 2 | (size & 1) for size in one)
            for one in self.extents
        )
        return replace(self, extents=extents)


ROUND = Sizes("round sizes", ((65_536,), (512, 1024), (8, 256, 512), (2, 4, 512, 64)), 64)
OTHER = Sizes("other sizes", ((49_152,), (768, 1536), (4, 384, 768), (3, 6, 384, 64)), 128, True)
ODD = Sizes("odd sizes", ((65_521,), (509, 1021), (7, 253, 509), (3, 5, 509, 64)), 64)
