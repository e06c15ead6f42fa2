"""The driver's calls about memory pools and pointers: pools without reuse, and what an address belongs to."""

from __future__ import annotations

import ctypes
from typing import Any

from advisor.evidence.simulated.driver.api.buffers import Buffers
from advisor.evidence.simulated.driver.api.contexts import ContextCalls
from advisor.evidence.simulated.driver.entry_points import Handle, OutHandle, entry
from advisor.evidence.simulated.driver.gpu import Gpu, require
from advisor.evidence.simulated.driver.results import Result

_INT, _UNSIGNED, _SIZE, _DATA = ctypes.c_int, ctypes.c_uint, ctypes.c_size_t, ctypes.c_void_p
_NARROW_ATTRIBUTES = frozenset({1, 2, 3})
# cuda.h: CUmemorytype, and the attributes of a pointer with the C types of their values.
_ON_HOST, _ON_DEVICE = 1, 2
_POINTER_TYPES: dict[str, Any] = {
    "CONTEXT": ctypes.c_uint64,
    "MEMORY_TYPE": ctypes.c_uint,
    "DEVICE_POINTER": ctypes.c_uint64,
    "HOST_POINTER": ctypes.c_uint64,
    "BUFFER_ID": ctypes.c_uint64,
    "IS_MANAGED": ctypes.c_uint,
    "DEVICE_ORDINAL": ctypes.c_int,
    "RANGE_START_ADDR": ctypes.c_uint64,
    "RANGE_SIZE": ctypes.c_size_t,
    "MAPPED": ctypes.c_uint,
    "MEMPOOL_HANDLE": ctypes.c_uint64,
}
_PREFIX = "CU_POINTER_ATTRIBUTE_"


class PoolCalls:
    """cuMemPool…, cuMemAllocAsync… and cuPointerGetAttribute…."""

    def __init__(self, gpu: Gpu, buffers: Buffers, contexts: ContextCalls) -> None:
        self.gpu, self.buffers, self.contexts = gpu, buffers, contexts
        self.default = gpu.handle()
        self.pools: dict[int, dict[int, int]] = {self.default: {}}

    @entry("cuDeviceGetDefaultMemPool cuDeviceGetMemPool", OutHandle, _INT)
    def _default_pool(self, out: Any, device: int) -> None:
        require(device == 0, Result.CUDA_ERROR_INVALID_DEVICE)
        out[0] = self.default

    @entry("cuDeviceSetMemPool", _INT, Handle)
    def _set_pool(self, _device: int, pool: int) -> None:
        self._attributes(pool)

    @entry("cuMemPoolCreate", OutHandle, _DATA)
    def _create(self, out: Any, _properties: int) -> None:
        pool = self.gpu.handle()
        self.pools[pool] = {}
        out[0] = pool

    @entry("cuMemPoolDestroy", Handle)
    def _destroy(self, pool: int) -> None:
        self._attributes(pool)
        if pool != self.default:
            del self.pools[pool]

    @entry("cuMemPoolSetAttribute", Handle, _INT, _DATA)
    def _set_attribute(self, pool: int, attribute: int, value: int) -> None:
        kind = _INT if attribute in _NARROW_ATTRIBUTES else ctypes.c_uint64
        self._attributes(pool)[attribute] = kind.from_address(value).value

    @entry("cuMemPoolGetAttribute", Handle, _INT, _DATA)
    def _attribute(self, pool: int, attribute: int, value: int) -> None:
        kind = _INT if attribute in _NARROW_ATTRIBUTES else ctypes.c_uint64
        kind.from_address(value).value = self._attributes(pool).get(attribute, 0)

    @entry("cuMemPoolTrimTo", Handle, _SIZE)
    def _trim(self, pool: int, _keep: int) -> None:
        self._attributes(pool)

    @entry("cuMemPoolSetAccess", Handle, _DATA, _SIZE)
    def _set_access(self, pool: int, _access: int, _count: int) -> None:
        self._attributes(pool)

    @entry("cuMemAllocAsync", OutHandle, _SIZE, Handle)
    def _allocate(self, out: Any, size: int, _stream: int) -> None:
        out[0] = self.buffers.allocate(size, "device")

    @entry("cuMemAllocFromPoolAsync", OutHandle, _SIZE, Handle, Handle)
    def _allocate_from(self, out: Any, size: int, pool: int, _stream: int) -> None:
        self._attributes(pool)
        out[0] = self.buffers.allocate(size, "device")

    @entry("cuMemFreeAsync", Handle, Handle)
    def _free(self, address: int, _stream: int) -> None:
        if address:
            self.buffers.free(address, ("device", "managed", "host"))

    @entry("cuPointerGetAttribute", _DATA, _INT, Handle)
    def _pointer_attribute(self, data: int, attribute: int, address: int) -> None:
        require(self.buffers.kind(address))
        self._write(data, attribute, address)

    @entry("cuPointerGetAttributes", _UNSIGNED, ctypes.POINTER(_INT), ctypes.POINTER(_DATA), Handle)
    def _pointer_attributes(self, count: int, attributes: Any, data: Any, address: int) -> None:
        for index in range(count):
            self._write(data[index], attributes[index], address)

    def _write(self, data: int, code: int, address: int) -> None:
        from cuda.bindings.driver import CUpointer_attribute

        name = CUpointer_attribute(code).name.removeprefix(_PREFIX)
        require(name in _POINTER_TYPES, Result.CUDA_ERROR_NOT_SUPPORTED)
        _POINTER_TYPES[name].from_address(data).value = self._value(name, address)

    def _value(self, name: str, address: int) -> int:
        kind = self.buffers.kind(address)
        begin, size = self.buffers.range_of(address) or (0, 0)
        if kind is None:
            return 0
        values = {
            "CONTEXT": self.contexts.primary,
            "MEMORY_TYPE": _ON_HOST if kind == "host" else _ON_DEVICE,
            "DEVICE_POINTER": self.buffers.device_address(address) if kind == "host" else address,
            "HOST_POINTER": self.buffers.host_place(address) if kind != "device" else 0,
            "BUFFER_ID": begin,
            "IS_MANAGED": int(kind == "managed"),
            "RANGE_START_ADDR": begin,
            "RANGE_SIZE": size,
            "MAPPED": 1,
        }
        return values.get(name, 0)

    def _attributes(self, pool: int) -> dict[int, int]:
        require(pool in self.pools, Result.CUDA_ERROR_INVALID_HANDLE)
        return self.pools[pool]
