"""Describes a launch's arguments from Numba's types and the bytes of the kernel's parameters."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

from advisor.evidence.simulated.driver.executor import ArgumentNote

# An array's parameters: memory information, parent, items, bytes of an item, data; then shape and strides.
_ARRAY_FIXED, _DATA_AT = 5, 4


def describe(function: Any, types: Sequence[Any], values: Sequence[bytes]) -> tuple[ArgumentNote, ...]:
    """One note for each argument, members of tuples apart.

    `values` are the bytes of the kernel's parameters, into which Numba takes the arguments apart. When they
    are more or fewer than the types ask for (an extension of Numba changed them), no note has an address.
    """
    names = _names(function, len(types))
    notes: list[ArgumentNote] = []
    rest = _Values(values)
    for name, kind in zip(names, types, strict=True):
        notes.extend(_described(name, kind, rest))
    if rest.fit:
        return tuple(notes)
    return tuple(ArgumentNote(name, str(kind)) for name, kind in zip(names, types, strict=True))


def _names(function: Any, number: int) -> list[str]:
    try:
        names = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        names = []
    return [names[index] if index < len(names) else f"argument {index + 1}" for index in range(number)]


def _described(name: str, kind: Any, rest: _Values) -> list[ArgumentNote]:
    from numba.cuda import types

    if isinstance(kind, types.Array):
        return [_array(name, kind, rest)]
    if isinstance(kind, types.BaseTuple):
        members = (_described(f"{name}[{index}]", member, rest) for index, member in enumerate(kind))
        return [note for notes in members for note in notes]
    if isinstance(kind, types.Record):
        address = rest.integer()
        dtype = str(kind.dtype) if hasattr(kind, "dtype") else str(kind)
        return [ArgumentNote(name, str(kind), dtype, (), (), address, int(kind.size))]
    if isinstance(kind, types.EnumMember):
        return _described(name, kind.dtype, rest)
    for _ in range(2 if isinstance(kind, types.Complex) else 1):
        rest.take()
    return [ArgumentNote(name, str(kind))]


def _array(name: str, kind: Any, rest: _Values) -> ArgumentNote:
    fixed = [rest.integer() for _ in range(_ARRAY_FIXED)]
    shape = tuple(rest.integer() for _ in range(kind.ndim))
    strides = tuple(rest.integer() for _ in range(kind.ndim))
    spans = [(extent - 1) * stride for extent, stride in zip(shape, strides, strict=True)]
    empty = 0 in shape
    low = 0 if empty else sum(span for span in spans if span < 0)
    high = 0 if empty else sum(span for span in spans if span > 0) + fixed[3]
    return ArgumentNote(
        name, str(kind), _dtype(kind.dtype), shape, strides, fixed[_DATA_AT] + low, high - low
    )  # fmt: skip


def _dtype(kind: Any) -> str:
    """The NumPy name of an element's type; Numba's own where NumPy has none."""
    from numba.cuda.np.numpy_support import as_dtype

    try:
        return str(as_dtype(kind))
    except Exception:
        return str(kind)


class _Values:
    """The parameters' bytes, taken in order; beyond the end they are zeros and `fit` is false."""

    def __init__(self, values: Sequence[bytes]) -> None:
        self._values, self._taken = values, 0

    @property
    def fit(self) -> bool:
        """Whether as many values were taken as there are."""
        return self._taken == len(self._values)

    def take(self) -> bytes:
        self._taken += 1
        return self._values[self._taken - 1] if self._taken <= len(self._values) else b""

    def integer(self) -> int:
        return int.from_bytes(self.take(), "little", signed=True)
