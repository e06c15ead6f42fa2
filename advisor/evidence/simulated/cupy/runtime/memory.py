"""The runtime's functions about memory, by the names that CuPy gives them (`malloc` is `cudaMalloc`).

The documented behaviour is that of
https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY.html.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from advisor.evidence.simulated.cupy.runtime.calls import answers
from advisor.evidence.simulated.cupy.runtime.driver_calls import Address, DriverCalls

_SIZE, _UNSIGNED, _INT = ctypes.c_size_t, ctypes.c_uint, ctypes.c_int
# driver_types.h: cudaMemcpyKind.
_HOST_TO_HOST, _TO_DEVICE, _TO_HOST, _WITHIN_DEVICE = 0, 1, 2, 3
_COPIES = {_TO_DEVICE: "cuMemcpyHtoD", _TO_HOST: "cuMemcpyDtoH", _WITHIN_DEVICE: "cuMemcpyDtoD"}
# driver_types.h: cudaMemoryType, and the driver's attributes of a pointer that tell it.
_UNREGISTERED, _HOST, _DEVICE, _MANAGED = 0, 1, 2, 3
_MEMORY_TYPE, _DEVICE_POINTER, _HOST_POINTER, _IS_MANAGED = 2, 3, 4, 8
_GLOBAL = 1
_MOST_BYTES_OF_PROPERTIES = 256


class RuntimeMemory:
    """Allocations, copies, fills, pools, pointers; `tell_read` is told the size of each copy to the host."""

    def __init__(self, driver: DriverCalls, module: Any, tell_read: Callable[[int], None]) -> None:
        self._driver, self._module, self._tell_read = driver, module, tell_read

    @answers("malloc")
    def _malloc(self, size: int) -> int:
        return self._allocated("cuMemAlloc", size)

    @answers("mallocManaged")
    def _malloc_managed(self, size: int, flags: int = _GLOBAL) -> int:
        return self._allocated("cuMemAllocManaged", size, _UNSIGNED(flags))

    @answers("mallocAsync")
    def _malloc_async(self, size: int, stream: int) -> int:
        return self._allocated("cuMemAllocAsync", size, Address(stream))

    @answers("mallocFromPoolAsync")
    def _malloc_from_pool_async(self, size: int, pool: int, stream: int) -> int:
        return self._allocated("cuMemAllocFromPoolAsync", size, Address(pool), Address(stream))

    @answers("hostAlloc")
    def _host_alloc(self, size: int, flags: int) -> int:
        return self._allocated("cuMemHostAlloc", size, _UNSIGNED(flags))

    def _allocated(self, name: str, size: int, *more: Any) -> int:
        """The address of so many bytes; 0 for none, which the runtime gives and the driver refuses."""
        return int(self._driver.value(Address, name, _SIZE(size), *more)) if size else 0

    @answers("free")
    def _free(self, address: int) -> None:
        self._driver("cuMemFree", Address(address))

    @answers("freeHost")
    def _free_host(self, address: int) -> None:
        self._driver("cuMemFreeHost", Address(address))

    @answers("freeAsync")
    def _free_async(self, address: int, stream: int) -> None:
        self._driver("cuMemFreeAsync", Address(address), Address(stream))

    @answers("hostRegister")
    def _host_register(self, address: int, size: int, flags: int) -> None:
        self._driver("cuMemHostRegister", Address(address), _SIZE(size), _UNSIGNED(flags))

    @answers("hostUnregister")
    def _host_unregister(self, address: int) -> None:
        self._driver("cuMemHostUnregister", Address(address))

    @answers("memGetInfo")
    def _mem_get_info(self) -> tuple[int, int]:
        free, total = _SIZE(), _SIZE()
        self._driver("cuMemGetInfo", ctypes.byref(free), ctypes.byref(total))
        return free.value, total.value

    @answers("memcpy")
    def _memcpy(self, target: int, source: int, size: int, kind: int) -> None:
        self._copy(target, source, size, kind)

    @answers("memcpyAsync")
    def _memcpy_async(self, target: int, source: int, size: int, kind: int, stream: int) -> None:
        self._copy(target, source, size, kind, stream)

    @answers("memcpyPeer")
    def _memcpy_peer(self, target: int, _to: int, source: int, _of: int, size: int) -> None:
        self._copy(target, source, size, _WITHIN_DEVICE)

    @answers("memcpyPeerAsync")
    def _memcpy_peer_async(
        self, target: int, _to: int, source: int, _of: int, size: int, stream: int
    ) -> None:  # fmt: skip
        self._copy(target, source, size, _WITHIN_DEVICE, stream)

    @answers("memcpy2D")
    def _memcpy2_d(
        self,
        target: int,
        target_pitch: int,
        source: int,
        source_pitch: int,
        width: int,
        height: int,
        kind: int,
    ) -> None:
        for row in range(height):
            self._copy(target + row * target_pitch, source + row * source_pitch, width, kind)

    @answers("memcpy2DAsync")
    def _memcpy2_d_async(
        self, target: int, target_pitch: int, source: int, source_pitch: int, width: int, height: int,
        kind: int, stream: int,
    ) -> None:  # fmt: skip
        for row in range(height):
            self._copy(target + row * target_pitch, source + row * source_pitch, width, kind, stream)

    def _copy(self, target: int, source: int, size: int, kind: int, stream: int | None = None) -> None:
        if not size:
            return
        if kind == _HOST_TO_HOST:
            ctypes.memmove(target, source, size)
            return
        name = _COPIES.get(kind, "cuMemcpy")
        places = Address(target), Address(source), _SIZE(size)
        if stream is None:
            self._driver(name, *places)
        else:
            self._driver(f"{name}Async", *places, Address(stream))
        if kind == _TO_HOST:
            self._tell_read(size)

    @answers("memset")
    def _memset(self, address: int, value: int, size: int) -> None:
        if size:
            self._driver("cuMemsetD8", Address(address), ctypes.c_ubyte(value & 0xFF), _SIZE(size))

    @answers("memsetAsync")
    def _memset_async(self, address: int, value: int, size: int, stream: int) -> None:
        if size:
            byte = ctypes.c_ubyte(value & 0xFF)
            self._driver("cuMemsetD8Async", Address(address), byte, _SIZE(size), Address(stream))

    @answers("memPrefetchAsync")
    def _mem_prefetch_async(self, _address: int, _size: int, _device: int, _stream: int) -> None:
        """Ignore advice about where managed memory lies, which is here for both sides."""

    @answers("memAdvise")
    def _mem_advise(self, _address: int, _size: int, _advice: int, _device: int) -> None:
        """Ignore it for the same reason."""

    @answers("pointerGetAttributes")
    def _pointer_get_attributes(self, address: int) -> Any:
        kind = self._pointer_get_memory_type(address)
        if kind == _UNREGISTERED:
            return self._module.PointerAttributes(-2, 0, 0, kind)
        device = self._attribute(_DEVICE_POINTER, address) if kind != _HOST else 0
        host = self._attribute(_HOST_POINTER, address) if kind != _DEVICE else 0
        return self._module.PointerAttributes(0, device, host, kind)

    @answers("pointerGetMemoryType")
    def _pointer_get_memory_type(self, address: int) -> int:
        found = _UNSIGNED()
        at = ctypes.byref(found), _INT(_MEMORY_TYPE), Address(address)
        if self._driver.status("cuPointerGetAttribute", *at):
            return _UNREGISTERED
        return _MANAGED if self._attribute(_IS_MANAGED, address) else int(found.value)

    def _attribute(self, code: int, address: int) -> int:
        return int(self._driver.value(Address, "cuPointerGetAttribute", _INT(code), Address(address)))

    @answers("deviceGetDefaultMemPool")
    def _device_get_default_mem_pool(self, device: int) -> int:
        return int(self._driver.value(Address, "cuDeviceGetDefaultMemPool", _INT(device)))

    @answers("deviceGetMemPool")
    def _device_get_mem_pool(self, device: int) -> int:
        return int(self._driver.value(Address, "cuDeviceGetMemPool", _INT(device)))

    @answers("deviceSetMemPool")
    def _device_set_mem_pool(self, device: int, pool: int) -> None:
        self._driver("cuDeviceSetMemPool", _INT(device), Address(pool))

    @answers("memPoolCreate")
    def _mem_pool_create(self, _properties: Any) -> int:
        empty = ctypes.create_string_buffer(_MOST_BYTES_OF_PROPERTIES)
        return int(self._driver.value(Address, "cuMemPoolCreate", empty))

    @answers("memPoolDestroy")
    def _mem_pool_destroy(self, pool: int) -> None:
        self._driver("cuMemPoolDestroy", Address(pool))

    @answers("memPoolTrimTo")
    def _mem_pool_trim_to(self, pool: int, size: int) -> None:
        self._driver("cuMemPoolTrimTo", Address(pool), _SIZE(size))

    @answers("memPoolGetAttribute")
    def _mem_pool_get_attribute(self, pool: int, code: int) -> int:
        found = Address()
        self._driver("cuMemPoolGetAttribute", Address(pool), _INT(code), ctypes.byref(found))
        return found.value

    @answers("memPoolSetAttribute")
    def _mem_pool_set_attribute(self, pool: int, code: int, value: int) -> None:
        given = Address(int(value))
        self._driver("cuMemPoolSetAttribute", Address(pool), _INT(code), ctypes.byref(given))
