"""Constants, types and functions of math, NumPy and Numba that constant expressions may use."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from advisor.program.names.library_names import NUMBA_TYPES

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
# CODATA 2018 values in SI units, https://physics.nist.gov/cuu/Constants/; c, e, h, k and N_A are exact.
_SPEED_OF_LIGHT = 299792458.0
_ELEMENTARY_CHARGE = 1.602176634e-19
_PLANCK = 6.62607015e-34
_BOLTZMANN = 1.380649e-23
_AVOGADRO = 6.02214076e23

_VALUES = {
    "pi": math.pi,
    "golden": (1 + math.sqrt(5)) / 2,
    "c": _SPEED_OF_LIGHT,
    "speed_of_light": _SPEED_OF_LIGHT,
    "e": _ELEMENTARY_CHARGE,
    "elementary_charge": _ELEMENTARY_CHARGE,
    "eV": _ELEMENTARY_CHARGE,
    "electron_volt": _ELEMENTARY_CHARGE,
    "h": _PLANCK,
    "Planck": _PLANCK,
    "hbar": _PLANCK / (2 * math.pi),
    "k": _BOLTZMANN,
    "Boltzmann": _BOLTZMANN,
    "N_A": _AVOGADRO,
    "Avogadro": _AVOGADRO,
    "R": _AVOGADRO * _BOLTZMANN,
    "gas_constant": _AVOGADRO * _BOLTZMANN,
    "epsilon_0": 8.8541878128e-12,
    "mu_0": 1.25663706212e-6,
    "G": 6.67430e-11,
    "gravitational_constant": 6.67430e-11,
    "g": 9.80665,
    "alpha": 7.2973525693e-3,
    "fine_structure": 7.2973525693e-3,
    "sigma": 5.670374419e-8,
    "Stefan_Boltzmann": 5.670374419e-8,
    "m_e": 9.1093837015e-31,
    "electron_mass": 9.1093837015e-31,
    "m_p": 1.67262192369e-27,
    "proton_mass": 1.67262192369e-27,
    "m_n": 1.67492749804e-27,
    "neutron_mass": 1.67492749804e-27,
    "m_u": 1.66053906660e-27,
    "atomic_mass": 1.66053906660e-27,
}

# Entries of `scipy.constants.physical_constants`: value, unit and uncertainty, from the same source.
_TABLE = {
    "classical electron radius": (2.8179403262e-15, "m", 1.3e-24),
    "Bohr radius": (5.29177210903e-11, "m", 8e-21),
    "atomic unit of electric field": (5.14220674763e11, "V m^-1", 78.0),
    "fine-structure constant": (7.2973525693e-3, "", 1.1e-12),
    "speed of light in vacuum": (_SPEED_OF_LIGHT, "m s^-1", 0.0),
}


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
    if name == "dtype":
        return 1.0
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


def physical_constant(name: str) -> object | None:
    """The value of a name of `scipy.constants` in SI units, None for names that are not in the table."""
    return _TABLE if name == "physical_constants" else _VALUES.get(name)
