"""Memory of the host that compiled code writes to; but for this it writes to buffers of the device alone."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt


def zeroed_bytes(size: int, align: int = 64) -> npt.NDArray[np.uint8]:
    """So many zeroed bytes that begin at a multiple of an alignment."""
    whole = np.zeros(size + align, np.uint8)
    begin = -int(whole.ctypes.data) % align
    return whole[begin : begin + size]


def zeroed_words(*shape: int) -> npt.NDArray[np.int64]:
    """An array of zeroed 64-bit words."""
    return zeroed_bytes(8 * math.prod(shape)).view(np.int64).reshape(shape)


def address_of(array: npt.NDArray[Any]) -> int:
    """The address of an array's first element."""
    return int(array.ctypes.data)
