"""What may be given to a Triton kernel as a pointer, and where its elements lie.

Triton itself takes objects with `data_ptr()` and `dtype`. Arrays of NumPy and what has the CUDA array
interface are taken too.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
# NumPy's complex numbers, objects, texts and times.
_WITHOUT_TYPE = "cOSUmM"


@dataclass(frozen=True)
class Place:
    """The elements behind a pointer: address of the first one, type, shape, strides in bytes.

    `low` and `high` bound the bytes of these elements, `kept_low` and `kept_high` those of the memory that
    the object keeps, where they are known. `writable` says whether kernels may change it.
    """

    address: int
    dtype: str | None = None
    shape: tuple[int, ...] | None = None
    strides: tuple[int, ...] | None = None
    low: int | None = None
    high: int | None = None
    kept_low: int | None = None
    kept_high: int | None = None
    writable: bool = True


class PassedArray:
    """An array as Triton wants it; everything else is asked of the array itself.

    `zero_`, `clone` and `copy_` are what `@triton.autotune` uses to reset and restore arguments. Raises
    TypeError for elements that Triton has no type for.
    """

    def __init__(self, original: Any, view: Array) -> None:
        if view.dtype.kind in _WITHOUT_TYPE:
            raise TypeError(f"Triton has no type for elements of NumPy's {view.dtype}.")
        self._original, self.view = original, view

    def __getattr__(self, name: str) -> Any:
        return getattr(self._original, name)

    def __getitem__(self, index: Any) -> Any:
        return self._original[index]

    def __len__(self) -> int:
        return len(self._original)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the elements."""
        return self.view.dtype

    def data_ptr(self) -> int:
        """The address of the first element."""
        return int(self.view.ctypes.data)

    def zero_(self) -> PassedArray:
        """Fill the array with zeros."""
        self.view[...] = 0
        return self

    def clone(self) -> Array:
        """A copy of the elements on the host."""
        copy: Array = self.view.copy()
        return copy

    def copy_(self, source: Any) -> PassedArray:
        """Overwrite the elements with those of a clone or of another array."""
        self.view[...] = source.view if isinstance(source, PassedArray) else source
        return self


def passed(value: Any) -> Any:
    """An argument as Triton takes it: arrays wrapped, all else as it is."""
    if isinstance(value, np.ndarray):
        return PassedArray(value, value)
    if isinstance(value, tuple) and type(value) is tuple:
        return tuple(passed(one) for one in value)
    if hasattr(value, "data_ptr") or isinstance(value, type):
        return value
    interface: Any = getattr(value, "__cuda_array_interface__", None)
    return value if interface is None else PassedArray(value, _view(interface))


def _view(interface: dict[str, Any]) -> Array:
    """The elements of a CUDA array interface, in the memory of the simulated GPU, which is the host's."""
    address, read_only = interface["data"]
    dtype, shape = np.dtype(interface["typestr"]), tuple(interface["shape"])
    strides = interface.get("strides") or _row_major(shape, dtype.itemsize)
    low, high = _bounds(int(address or 0), shape, strides, dtype.itemsize)
    if high == low:
        return np.empty(shape, dtype)
    content = (ctypes.c_ubyte * (high - low)).from_address(low)
    view: Array = np.ndarray(shape, dtype, memoryview(content), int(address) - low, strides)
    view.flags.writeable = not read_only
    return view


def place_of(value: Any) -> Place | None:
    """Where a pointer argument leads, None for an object that is none."""
    value = passed(value)
    while hasattr(value, "base") and not isinstance(value, PassedArray) and hasattr(value.base, "data_ptr"):
        value = value.base  # Triton's view of a tensor as another type
    if isinstance(value, PassedArray):
        return _of_array(value.view)
    if value is None:
        return Place(0)
    if isinstance(value, int):
        return Place(value)
    return _of_tensor(value) if hasattr(value, "data_ptr") else None


def _of_array(array: Array) -> Place:
    address, owner = int(array.ctypes.data), array
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    low, high = _bounds(address, array.shape, array.strides, array.itemsize)
    kept = _bounds(int(owner.ctypes.data), owner.shape, owner.strides, owner.itemsize)
    return Place(
        address, str(array.dtype), array.shape, array.strides, low, high, *kept, array.flags.writeable
    )


def _of_tensor(tensor: Any) -> Place:
    """The place of a tensor of PyTorch, or of what has `data_ptr()` and perhaps `nbytes`."""
    address = int(tensor.data_ptr())
    if not hasattr(tensor, "untyped_storage"):
        size = getattr(tensor, "nbytes", None)
        end = None if size is None else address + int(size)
        low = None if end is None else address
        return Place(address, _name(tensor), low=low, high=end, kept_low=low, kept_high=end)
    size, storage = int(tensor.element_size()), tensor.untyped_storage()
    shape, strides = tuple(tensor.shape), tuple(size * step for step in tensor.stride())
    low, high = _bounds(address, shape, strides, size)
    begin = int(storage.data_ptr())
    return Place(address, _name(tensor), shape, strides, low, high, begin, begin + int(storage.nbytes()))


def _name(tensor: Any) -> str | None:
    dtype = getattr(tensor, "dtype", None)
    return None if dtype is None else str(dtype).rpartition(".")[2]


def _row_major(shape: tuple[int, ...], size: int) -> tuple[int, ...]:
    strides: list[int] = []
    for extent in reversed(shape):
        strides.insert(0, size)
        size *= extent
    return tuple(strides)


def _bounds(address: int, shape: tuple[int, ...], strides: tuple[int, ...], size: int) -> tuple[int, int]:
    """The first byte of the elements and the one behind the last."""
    if 0 in shape:
        return address, address
    spans = [(extent - 1) * stride for extent, stride in zip(shape, strides, strict=True)]
    low = address + sum(span for span in spans if span < 0)
    return low, address + sum(span for span in spans if span > 0) + size
