"""The cheap test that tells the files worth parsing from all others."""

from __future__ import annotations

import re

_DEVICE_CODE = re.compile(
    rb"\.jit\b|threadIdx|blockIdx|\bcuda\.(?:grid|gridsize|shared|local|atomic|syncthreads|to_device|device_array|synchronize)\b"
)


def may_hold_device_code(data: bytes) -> bool:
    """Whether the bytes of a file name numba, CUDA and something that kernels or their host code use."""
    return b"cuda" in data and b"numba" in data and _DEVICE_CODE.search(data) is not None
