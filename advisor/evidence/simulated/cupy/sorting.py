"""CuPy's sorts by Thrust (`cupy.cuda.thrust`), whose kernels are compiled for GPUs only: by NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np

from advisor.evidence.simulated.cupy.device_arrays import DeviceArrays

# The places of the numbers of a sort.
_PLACE = np.dtype(np.uintp)


class Sorting:
    """The functions of the module; what a sort takes and gives is that of Thrust's."""

    available = True

    def __init__(self, arrays: DeviceArrays) -> None:
        self._arrays = arrays

    def fill(self, module: ModuleType) -> None:
        """Make a module the one that CuPy sorts with."""
        for name in ("available", "get_build_version", "sort", "argsort", "lexsort"):
            setattr(module, name, getattr(self, name))

    def get_build_version(self) -> int:
        """The version of Thrust: that of none."""
        return 0

    def sort(self, dtype: Any, data: int, _keys: int, shape: Sequence[int]) -> None:
        """Sort the last axis of an array in place."""
        self._arrays.to_write(data, _sortable(dtype), shape).sort(axis=-1, kind="stable")

    def argsort(self, dtype: Any, places: int, data: int, _keys: int, shape: Sequence[int]) -> None:
        """Write the order of the last axis to `places`, and sort the data as Thrust does."""
        values = self._arrays.to_write(data, _sortable(dtype), shape)
        order = np.argsort(values, axis=-1, kind="stable")
        self._arrays.to_write(places, _PLACE, shape)[...] = order
        values[...] = np.take_along_axis(values, order, -1)

    def lexsort(self, dtype: Any, places: int, keys: int, count: int, size: int) -> None:
        """Write the order by several keys, the last of which decides first."""
        order = np.lexsort(self._arrays.at(keys, _sortable(dtype), (count, size)))
        self._arrays.to_write(places, _PLACE, (size,))[...] = order


def _sortable(dtype: Any) -> np.dtype[Any]:
    """The type of the data; raises NotImplementedError for one that CuPy does not sort either."""
    found: np.dtype[Any] = np.dtype(dtype)
    if found.kind not in "?biufc":
        raise NotImplementedError(f"Sorting arrays with dtype '{found}' is not supported")
    return found
