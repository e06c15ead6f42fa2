"""Constants as Python text that a compiler worker can evaluate without running the user's code."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

_LARGEST_ARRAY = 4096
_LONGEST_TUPLE = 1024
_MOST_BITS = 4096


@dataclass(frozen=True, slots=True)
class LibraryName:
    """A name inside a known library, such as `numba.float32` or `math`."""

    dotted: str


def literal_text(value: object) -> str | None:
    """The expression that gives `value` again: literals, `math.inf`, `np.float32(0.5)`, `np.array([...])`.

    None for values that have no such spelling, and for arrays and tuples too long to travel.
    """
    if isinstance(value, LibraryName):
        return short_library_name(value.dotted)
    if isinstance(value, np.generic | np.ndarray):
        return _numpy_text(value)
    if isinstance(value, tuple | list):
        return _sequence_text(value)
    if isinstance(value, float):
        return _float_text(value)
    if isinstance(value, complex):
        parts = _float_text(value.real), _float_text(value.imag)
        return (
            repr(value)
            if math.isfinite(value.real) and math.isfinite(value.imag)
            else f"complex({', '.join(parts)})"
        )
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        return None
    if value is None or isinstance(value, bool | int | str):
        return repr(value)
    return None


def short_library_name(dotted: str) -> str:
    """The dotted name with NumPy under its usual short name, as constants spell it."""
    return f"np.{dotted[6:]}" if dotted.startswith("numpy.") else dotted


def _float_text(value: float) -> str:
    if math.isnan(value):
        return "math.nan"
    if math.isinf(value):
        return "math.inf" if value > 0 else "-math.inf"
    return repr(value)


def _sequence_text(value: tuple[object, ...] | list[object]) -> str | None:
    if len(value) > _LONGEST_TUPLE:
        return None
    parts = [literal_text(item) for item in value]
    if any(part is None for part in parts):
        return None
    inner = ", ".join(part for part in parts if part is not None)
    if isinstance(value, list):
        return f"[{inner}]"
    return f"({inner},)" if len(parts) == 1 else f"({inner})"


def _numpy_text(value: np.generic | np.ndarray) -> str | None:
    if value.dtype.kind not in "biufc":
        return None
    name = "bool_" if value.dtype.kind == "b" else value.dtype.name
    if isinstance(value, np.generic):
        inner = literal_text(value.item())
        return None if inner is None else f"np.{name}({inner})"
    if value.size > _LARGEST_ARRAY:
        return None
    if value.size == 0:
        return f"np.zeros({value.shape!r}, dtype=np.{name})"
    inner = literal_text(value.tolist())
    return None if inner is None else f"np.array({inner}, dtype=np.{name})"
