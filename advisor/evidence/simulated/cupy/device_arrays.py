"""Arrays of NumPy on the memory of the simulated GPU, which is the host's."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from advisor.evidence.simulated.driver.gpu import Gpu

Array: TypeAlias = "np.ndarray[Any, Any]"


class DeviceArrays:
    """Gives arrays at addresses of the device to what computes in the place of a library's kernels."""

    def __init__(self, gpu: Gpu) -> None:
        self._gpu = gpu

    def at(self, address: int, dtype: Any, shape: Sequence[int]) -> Array:
        """The array of this shape, its last axis side by side, at an address."""
        kind = np.dtype(dtype)
        count = math.prod(shape)
        if not count:
            return np.empty(tuple(shape), kind)
        content = (ctypes.c_char * (count * kind.itemsize)).from_address(address)
        return np.frombuffer(content, kind).reshape(tuple(shape))

    def to_write(self, address: int, dtype: Any, shape: Sequence[int]) -> Array:
        """The same for an array that is about to be written, all of it."""
        found = self.at(address, dtype, shape)
        if found.size:
            self._gpu.executor.memory.note_written(address, found.nbytes)
            self._gpu.clock.left_out("what NumPy computes in the place of libraries")
        return found
