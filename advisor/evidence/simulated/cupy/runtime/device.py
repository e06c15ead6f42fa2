"""The runtime's functions about the device, by the names that CuPy gives them.

https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__DEVICE.html
"""

from __future__ import annotations

import ctypes
from typing import Any

from advisor.evidence.simulated.cupy.runtime.calls import answers
from advisor.evidence.simulated.cupy.runtime.driver_calls import DriverCalls
from advisor.evidence.simulated.driver.results import Result

_INT, _SIZE = ctypes.c_int, ctypes.c_size_t
_TEXT_BYTES = 256
# A property of `cudaDeviceProp` and the attribute of the device that holds it; three of them for an extent.
_PROPERTIES: dict[str, str | tuple[str, str, str]] = {
    "sharedMemPerBlock": "MAX_SHARED_MEMORY_PER_BLOCK",
    "regsPerBlock": "MAX_REGISTERS_PER_BLOCK",
    "warpSize": "WARP_SIZE",
    "maxThreadsPerBlock": "MAX_THREADS_PER_BLOCK",
    "maxThreadsDim": ("MAX_BLOCK_DIM_X", "MAX_BLOCK_DIM_Y", "MAX_BLOCK_DIM_Z"),
    "maxGridSize": ("MAX_GRID_DIM_X", "MAX_GRID_DIM_Y", "MAX_GRID_DIM_Z"),
    "clockRate": "CLOCK_RATE",
    "totalConstMem": "TOTAL_CONSTANT_MEMORY",
    "major": "COMPUTE_CAPABILITY_MAJOR",
    "minor": "COMPUTE_CAPABILITY_MINOR",
    "textureAlignment": "TEXTURE_ALIGNMENT",
    "texturePitchAlignment": "TEXTURE_PITCH_ALIGNMENT",
    "multiProcessorCount": "MULTIPROCESSOR_COUNT",
    "kernelExecTimeoutEnabled": "KERNEL_EXEC_TIMEOUT",
    "integrated": "INTEGRATED",
    "canMapHostMemory": "CAN_MAP_HOST_MEMORY",
    "computeMode": "COMPUTE_MODE",
    "maxTexture1D": "MAXIMUM_TEXTURE1D_WIDTH",
    "concurrentKernels": "CONCURRENT_KERNELS",
    "ECCEnabled": "ECC_ENABLED",
    "pciBusID": "PCI_BUS_ID",
    "pciDeviceID": "PCI_DEVICE_ID",
    "pciDomainID": "PCI_DOMAIN_ID",
    "tccDriver": "TCC_DRIVER",
    "memoryClockRate": "MEMORY_CLOCK_RATE",
    "memoryBusWidth": "GLOBAL_MEMORY_BUS_WIDTH",
    "l2CacheSize": "L2_CACHE_SIZE",
    "maxThreadsPerMultiProcessor": "MAX_THREADS_PER_MULTIPROCESSOR",
    "isMultiGpuBoard": "MULTI_GPU_BOARD",
    "cooperativeLaunch": "COOPERATIVE_LAUNCH",
    "asyncEngineCount": "ASYNC_ENGINE_COUNT",
    "unifiedAddressing": "UNIFIED_ADDRESSING",
    "streamPrioritiesSupported": "STREAM_PRIORITIES_SUPPORTED",
    "globalL1CacheSupported": "GLOBAL_L1_CACHE_SUPPORTED",
    "localL1CacheSupported": "LOCAL_L1_CACHE_SUPPORTED",
    "sharedMemPerMultiprocessor": "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR",
    "regsPerMultiprocessor": "MAX_REGISTERS_PER_MULTIPROCESSOR",
    "managedMemory": "MANAGED_MEMORY",
    "hostNativeAtomicSupported": "HOST_NATIVE_ATOMIC_SUPPORTED",
    "pageableMemoryAccess": "PAGEABLE_MEMORY_ACCESS",
    "concurrentManagedAccess": "CONCURRENT_MANAGED_ACCESS",
    "computePreemptionSupported": "COMPUTE_PREEMPTION_SUPPORTED",
    "sharedMemPerBlockOptin": "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN",
    "persistingL2CacheMaxSize": "MAX_PERSISTING_L2_CACHE_SIZE",
    "maxBlocksPerMultiProcessor": "MAX_BLOCKS_PER_MULTIPROCESSOR",
    "reservedSharedMemPerBlock": "RESERVED_SHARED_MEMORY_PER_BLOCK",
    "singleToDoublePrecisionPerfRatio": "SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO",
}


class RuntimeDevice:
    """Versions, the one device with its attributes, limits, and waits for it."""

    def __init__(self, driver: DriverCalls) -> None:
        self._driver = driver

    @answers("driverGetVersion")
    def _driver_get_version(self) -> int:
        return self._version()

    def _version(self) -> int:
        found = _INT()
        self._driver.status("cuDriverGetVersion", ctypes.byref(found))
        return found.value

    @answers("getDeviceCount")
    def _get_device_count(self) -> int:
        return 1

    @answers("getDevice")
    def _get_device(self) -> int:
        return 0

    @answers("setDevice")
    def _set_device(self, device: int) -> None:
        self._require_device(device)

    @answers("deviceSynchronize")
    def _device_synchronize(self) -> None:
        self._driver("cuCtxSynchronize")

    @answers("_ensure_context")
    def _ensure_context(self) -> None:
        self._mem_get_info()

    @answers("memGetInfo")
    def _mem_get_info(self) -> tuple[int, int]:
        free, total = _SIZE(), _SIZE()
        self._driver("cuMemGetInfo", ctypes.byref(free), ctypes.byref(total))
        return free.value, total.value

    @answers("profilerStart")
    def _profiler_start(self) -> None:
        """Ignore what profilers of a GPU are told."""

    @answers("profilerStop")
    def _profiler_stop(self) -> None:
        """Ignore it for the same reason."""

    @answers("deviceGetAttribute")
    def _device_get_attribute(self, code: int, device: int) -> int:
        self._require_device(device)
        return int(self._driver.value(_INT, "cuDeviceGetAttribute", _INT(code), _INT(device)))

    @answers("getDeviceProperties")
    def _get_device_properties(self, device: int) -> dict[str, Any]:
        self._require_device(device)
        found: dict[str, Any] = {"name": self._name(), "totalGlobalMem": self._mem_get_info()[1]}
        for name, attribute in _PROPERTIES.items():
            if isinstance(attribute, str):
                found[name] = self._attribute(attribute)
            else:
                found[name] = tuple(map(self._attribute, attribute))
        identity = ctypes.create_string_buffer(16)
        self._driver("cuDeviceGetUuid", identity, _INT(device))
        return {**found, "uuid": identity.raw}

    def _name(self) -> bytes:
        text = ctypes.create_string_buffer(_TEXT_BYTES)
        self._driver("cuDeviceGetName", text, _INT(_TEXT_BYTES), _INT(0))
        return text.value

    def _attribute(self, name: str) -> int:
        from cuda.bindings.driver import CUdevice_attribute

        member = CUdevice_attribute.__members__.get(f"CU_DEVICE_ATTRIBUTE_{name}")
        return self._device_get_attribute(int(member), 0) if member is not None else 0

    @answers("deviceGetPCIBusId")
    def _device_get_pci_bus_id(self, device: int) -> str:
        text = ctypes.create_string_buffer(_TEXT_BYTES)
        self._driver("cuDeviceGetPCIBusId", text, _INT(_TEXT_BYTES), _INT(device))
        return text.value.decode()

    @answers("deviceGetByPCIBusId")
    def _device_get_by_pci_bus_id(self, name: str) -> int:
        return int(self._driver.value(_INT, "cuDeviceGetByPCIBusId", ctypes.c_char_p(name.encode())))

    @answers("deviceCanAccessPeer")
    def _device_can_access_peer(self, device: int, other: int) -> int:
        self._require_device(device)
        self._require_device(other)
        return 0

    @answers("deviceEnablePeerAccess")
    def _device_enable_peer_access(self, _device: int) -> None:
        self._driver.fail(Result.CUDA_ERROR_INVALID_DEVICE.value)

    @answers("_deviceEnsurePeerAccess")
    def _device_ensure_peer_access(self, device: int) -> None:
        self._device_enable_peer_access(device)

    @answers("deviceGetLimit")
    def _device_get_limit(self, code: int) -> int:
        return int(self._driver.value(_SIZE, "cuCtxGetLimit", _INT(code)))

    @answers("deviceSetLimit")
    def _device_set_limit(self, code: int, value: int) -> None:
        self._driver("cuCtxSetLimit", _INT(code), _SIZE(value))

    def _require_device(self, device: int) -> None:
        if device:
            self._driver.fail(Result.CUDA_ERROR_INVALID_DEVICE.value)
