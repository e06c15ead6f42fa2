"""Tensors handed to other libraries and taken from them: the CUDA array interface and DLPack."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import torch

_HOST, _CUDA = 1, 2
_TYPES = {
    torch.float16: "<f2", torch.float32: "<f4", torch.float64: "<f8", torch.uint8: "|u1", torch.int8: "|i1",
    torch.int16: "<i2", torch.int32: "<i4", torch.int64: "<i8", torch.bool: "|b1",
    torch.complex64: "<c8", torch.complex128: "<c16", torch.bfloat16: "<V2",
}  # fmt: skip
# DLPack 1.0: a versioned tensor has its version, two pointers and flags before what the older one has.
_NAMES = {b"dltensor": 0, b"dltensor_versioned": 32}
_DEVICE = 8

_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_name = ctypes.pythonapi.PyCapsule_GetName
_name.restype, _name.argtypes = ctypes.c_char_p, [ctypes.py_object]


def array_interface(tensor: torch.Tensor) -> dict[str, Any]:
    """The CUDA array interface of a tensor in the GPU's memory; raises what PyTorch raises."""
    if tensor.requires_grad:
        raise RuntimeError(
            "Can't get __cuda_array_interface__ on Variable that requires grad. If gradients aren't "
            "required, use var.detach() to get Variable that doesn't require grad."
        )
    if tensor.dtype not in _TYPES:
        raise TypeError(f"the CUDA array interface has no type for {tensor.dtype}")
    size = tensor.element_size()
    return {
        "typestr": _TYPES[tensor.dtype],
        "shape": tuple(tensor.shape),
        "strides": None if tensor.is_contiguous() else tuple(step * size for step in tensor.stride()),
        "data": (tensor.data_ptr() if tensor.numel() else 0, False),
        "version": 2,
    }


def on_gpu(capsule: Any) -> Any:
    """A capsule of DLPack that PyTorch made of host memory, as one of the GPU."""
    return _tagged(capsule, _CUDA)


def from_dlpack(value: Any) -> tuple[torch.Tensor, bool]:
    """A plain tensor over what a capsule, or an object that gives one, leads to; whether it is the GPU's."""
    capsule = value.__dlpack__() if hasattr(value, "__dlpack__") else value
    is_gpu = _kind(capsule).value != _HOST
    tensor: torch.Tensor = torch._C._from_dlpack(_tagged(capsule, _HOST))
    return tensor, is_gpu


def from_interface(value: Any) -> torch.Tensor:
    """A plain tensor over an object with the CUDA array interface, which it keeps."""
    return torch.from_numpy(np.asarray(_Kept(value)))


class _Kept:
    """An object's memory as NumPy takes it: where the host sees it is where the GPU does."""

    def __init__(self, value: Any) -> None:
        given = value.__cuda_array_interface__
        self.owner = value
        self.__array_interface__ = {
            "data": given["data"],
            "shape": given["shape"],
            "typestr": given["typestr"],
            "strides": given.get("strides"),
            "version": 3,
        }


def _kind(capsule: Any) -> ctypes.c_int32:
    name = _name(capsule)
    return ctypes.c_int32.from_address(int(_pointer(capsule, name) or 0) + _NAMES[name or b""] + _DEVICE)


def _tagged(capsule: Any, kind: int) -> Any:
    _kind(capsule).value = kind
    return capsule
