"""Why there is no GPU to measure: no driver, or one that does not start."""

from __future__ import annotations

import ctypes
import sys

_NAMES = {"win32": "nvcuda.dll"}
# cuda.h, CUresult, https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__TYPES.html
_MEANINGS = {
    34: "only the stub of the driver is there (CUDA_ERROR_STUB_LIBRARY)",
    46: "the GPU is in use by another process alone (CUDA_ERROR_DEVICE_UNAVAILABLE)",
    100: "the driver sees no GPU (CUDA_ERROR_NO_DEVICE)",
    802: "the system is not ready yet (CUDA_ERROR_SYSTEM_NOT_READY)",
    803: "driver and library have other versions (CUDA_ERROR_SYSTEM_DRIVER_MISMATCH)",
    804: "this GPU does not take the newer library (CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE)",
}


def driver_cuda_version() -> str:
    """The newest CUDA that the driver knows, as "12.4"; empty without a driver."""
    try:
        driver = ctypes.CDLL(_NAMES.get(sys.platform, "libcuda.so.1"))
        version = ctypes.c_int(0)
        failed = driver.cuDriverGetVersion(ctypes.byref(version))
    except (OSError, AttributeError):
        return ""
    return "" if failed else f"{version.value // 1000}.{version.value % 1000 // 10}"


def why_no_gpu() -> str:
    """A clause that says why nothing can be measured; empty where a driver with a GPU is there."""
    try:
        driver = ctypes.CDLL(_NAMES.get(sys.platform, "libcuda.so.1"))
        start, count = driver.cuInit, driver.cuDeviceGetCount
    except (OSError, AttributeError):
        return "no NVIDIA driver is installed"
    number = ctypes.c_int(0)
    result = start(0) or count(ctypes.byref(number))
    if result:
        return _MEANINGS.get(result, f"the driver does not start (error {result})")
    return "" if number.value else "the driver sees no GPU"
