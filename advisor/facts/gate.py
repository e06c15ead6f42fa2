"""The cheap test that tells the files worth parsing from all others."""

from __future__ import annotations

import re

_DEVICE_CODE = re.compile(
    rb"\.jit\b|\bcuda\b[^\n]*\bimport\b[^\n]*\bjit\b|threadIdx|blockIdx|\bcuda\.(?:grid|gridsize|shared|local|atomic|syncthreads|to_device|device_array|synchronize)\b"
)


def may_hold_device_code(data: bytes) -> bool:
    """Whether the bytes of a file name numba, CUDA and something that kernels or their host code use."""
    return b"cuda" in data and b"numba" in data and _DEVICE_CODE.search(data) is not None


_LAUNCH = re.compile(rb"(\w+)\s*\[[^\]]{1,200}\]\s*\(")


def launched_names(data: bytes) -> frozenset[str]:
    """The names that the bytes of a file subscript and then call, as a launch does."""
    if b"cuda" not in data and b"gpu" not in data.lower():
        return frozenset()
    return frozenset(name.decode("ascii", "ignore") for name in _LAUNCH.findall(data))
