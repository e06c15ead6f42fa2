"""CuPy's module of CUB (`cupy.cuda.cub`), compiled for GPUs only: CuPy's own kernels take its place."""

from __future__ import annotations

from types import ModuleType
from typing import Any

# What CuPy asks first; where it gives None, it goes on with kernels of its own.
_ASKED_FIRST = ("cub_reduction", "cub_scan", "cub_histogram")
_CALLED = ("device_reduce", "device_segmented_reduce", "device_scan", "device_histogram")


def change(module: ModuleType) -> None:
    """Let the module compute nothing."""
    for name in _ASKED_FIRST:
        setattr(module, name, _nothing)
    for name in _CALLED:
        setattr(module, name, _refusal(name))


def _nothing(*_: Any, **__: Any) -> None:
    return None


def _refusal(name: str) -> Any:
    def refuse(*_: Any, **__: Any) -> Any:
        raise NotImplementedError(f"The simulated GPU does not offer cupy.cuda.cub.{name}.")

    return refuse
