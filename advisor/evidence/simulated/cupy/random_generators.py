"""CuPy's module of random distributions (`cupy.random._generator_api`), whose kernels are compiled for GPUs.

NumPy's generator draws in their place: of the same distributions, but another sequence than a GPU's.
"""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

import numpy as np

_made: dict[int, np.random.Generator] = {}


def change(module: ModuleType) -> None:
    """Let CuPy's generators draw here."""
    for one in (Generator, init_curand, random_raw):
        setattr(module, one.__name__, one)


def init_curand(_generator: int, state: int, seed: int, _size: int) -> None:
    """Begin a sequence for the state at an address."""
    _made[state] = np.random.Generator(np.random.Philox(int(seed)))


def random_raw(bit_generator: Any, out: Any) -> None:
    """Fill an array with random bits."""
    drawn = _made[bit_generator.state()].integers(0, 1 << 32, out.shape, dtype=np.uint32)
    out.set(drawn.astype(out.dtype))


class Generator:
    """`cupy.random.Generator`: the distributions of NumPy's, as arrays of CuPy."""

    def __init__(self, bit_generator: Any) -> None:
        self.bit_generator = bit_generator

    def __getattr__(self, name: str) -> Any:
        drawing = _made[self.bit_generator.state()]
        if name.startswith("_") or not callable(getattr(drawing, name, None)):
            raise AttributeError(f"CuPy's generators have no {name} on the simulated GPU.")

        def draw(*arguments: Any, dtype: Any = None, out: Any = None, **options: Any) -> Any:
            if dtype is not None and name == "integers":
                options["dtype"] = dtype
            given = {key: _on_host(value) for key, value in options.items()}
            drawn = np.asarray(getattr(drawing, name)(*map(_on_host, arguments), **given))
            if out is None:
                return importlib.import_module("cupy").asarray(drawn.astype(dtype or drawn.dtype, copy=False))
            out.set(drawn.astype(out.dtype))
            return out

        return draw


def _on_host(value: Any) -> Any:
    return value.get() if hasattr(value, "__cuda_array_interface__") else value
