"""Constants, types and functions of math, NumPy and Numba that constant expressions may use."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from advisor.program.names.library_names import NUMBA_TYPES
from advisor.program.resolution.physical_constants import physical_constant

LARGEST_SIZE = 1 << 16
LARGEST_BITS = 4096
_GROWING = frozenset({"factorial", "comb", "perm"})
_LARGEST_GROWING = 100

_NUMPY_FUNCTIONS = frozenset({
    "array", "asarray", "ascontiguousarray", "zeros", "ones", "full", "arange", "linspace", "transpose",
    "sqrt", "cbrt", "exp", "log", "log2", "log10", "power", "hypot", "sin", "cos", "tan",
    "arcsin", "arccos", "arctan", "arctan2", "sinh", "cosh", "tanh", "deg2rad", "rad2deg", "radians",
    "degrees", "ceil", "floor", "rint", "abs", "absolute", "prod", "sum", "max", "min", "cumsum", "diff",
    "dtype", "finfo", "iinfo",
})  # fmt: skip
_BY_SHAPE = frozenset({"zeros", "ones", "full"})


class Undetermined(Exception):
    """An expression whose value the source does not fix; `reason` is a noun phrase for a message."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def library_constant(dotted: str) -> object | None:
    """The number behind `math.pi`, `numpy.inf` and the like, None for every other library name."""
    root, _, name = dotted.rpartition(".")
    if root == "scipy.constants":
        return physical_constant(name)
    owner = {"math": math, "cmath": cmath, "numpy": np, "cupy": np}.get(root)
    value = getattr(owner, name, None) if owner is not None else None
    return value if isinstance(value, int | float | complex) else None


def numpy_type_name(dotted: str) -> str | None:
    """The NumPy scalar type, as `float32`, behind a library name of numpy, cupy or numba; None for others."""
    root, _, name = dotted.rpartition(".")
    if root in ("numba", "numba.types", "numba.core.types") and name in NUMBA_TYPES:
        name = {"boolean": "bool_"}.get(name, name)
    elif root not in ("numpy", "cupy"):
        return None
    kind = getattr(np, name, None)
    return name if isinstance(kind, type) and issubclass(kind, np.generic) else None


def library_function(dotted: str) -> Callable[..., Any]:
    """The function or type to call for a library name; raises Undetermined for those that are not pure."""
    root, _, name = dotted.rpartition(".")
    if root in ("math", "cmath"):
        function: Callable[..., Any] = getattr(math if root == "math" else cmath, name)
        return _small_arguments(function) if name in _GROWING else function
    kind = numpy_type_name(dotted)
    if kind is not None:
        scalar: Callable[..., Any] = getattr(np, kind)
        return scalar
    if root == "numpy" and name in _NUMPY_FUNCTIONS:
        return _bounded(name)
    raise Undetermined("the result of a call")


def _small_arguments(function: Callable[..., Any]) -> Callable[..., Any]:
    def limited(*arguments: int) -> Any:
        if any(abs(argument) > _LARGEST_GROWING for argument in arguments):
            raise Undetermined("too large a value")
        return function(*arguments)

    return limited


def _bounded(name: str) -> Callable[..., Any]:
    """The NumPy function, which raises Undetermined when its result would be too large an array."""

    def limited(*arguments: Any, **keywords: Any) -> Any:
        if _result_size(name, arguments, keywords) > LARGEST_SIZE:
            raise Undetermined("too large an array")
        return getattr(np, name)(*arguments, **keywords)

    return limited


def _result_size(name: str, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> float:
    if name == "arange":
        bounds = [float(bound) for bound in arguments]
        start, stop = (0.0, bounds[0]) if len(bounds) == 1 else bounds[:2]
        return abs((stop - start) / (bounds[2] if len(bounds) > 2 else 1.0))
    if name == "linspace":
        return float(keywords.get("num", arguments[2] if len(arguments) > 2 else 0))
    if name in _BY_SHAPE:
        shape = keywords.get("shape", arguments[0] if arguments else 0)
        return float(np.prod(np.abs(np.atleast_1d(shape)), dtype=np.float64))
    return math.prod(np.broadcast_shapes(*(np.shape(argument) for argument in arguments[:2])))
