"""The driver's calls about memory: device, pinned, mapped and managed buffers, copies and fills."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from advisor.evidence.simulated.driver.api.buffers import Buffers
from advisor.evidence.simulated.driver.entry_points import Handle, OutHandle, OutSize, OutUnsigned, entry
from advisor.evidence.simulated.driver.gpu import Gpu, require
from advisor.evidence.simulated.driver.results import Result

_INT, _UNSIGNED, _SIZE = ctypes.c_int, ctypes.c_uint, ctypes.c_size_t
_BYTE, _SHORT = ctypes.c_ubyte, ctypes.c_ushort


class MemoryCalls:
    """cuMemAlloc…, cuMemHost…, cuMemcpy… and cuMemset…; the asynchronous ones are done when they return."""

    def __init__(self, gpu: Gpu, buffers: Buffers) -> None:
        self.gpu, self.buffers = gpu, buffers

    @entry("cuMemAlloc", OutHandle, _SIZE)
    def _allocate(self, out: Any, size: int) -> None:
        out[0] = self.buffers.allocate(size, "device")

    @entry("cuMemAllocManaged", OutHandle, _SIZE, _UNSIGNED)
    def _allocate_managed(self, out: Any, size: int, _flags: int) -> None:
        out[0] = self.buffers.allocate(size, "managed")

    @entry("cuMemHostAlloc", OutHandle, _SIZE, _UNSIGNED)
    def _allocate_pinned(self, out: Any, size: int, _flags: int) -> None:
        out[0] = self.buffers.allocate(size, "host")

    @entry("cuMemAllocHost", OutHandle, _SIZE)
    def _allocate_host(self, out: Any, size: int) -> None:
        out[0] = self.buffers.allocate(size, "host")

    @entry("cuMemAllocPitch", OutHandle, OutSize, _SIZE, _SIZE, _UNSIGNED)
    def _allocate_rows(self, out: Any, pitch: Any, width: int, height: int, _element: int) -> None:
        unit = self.gpu.properties.limit("TEXTURE_ALIGNMENT")
        pitch[0] = -(-width // unit) * unit
        out[0] = self.buffers.allocate(pitch[0] * height, "device")

    @entry("cuMemFree", Handle)
    def _free(self, address: int) -> None:
        if address:
            self.buffers.free(address, ("device", "managed"))

    @entry("cuMemFreeHost", Handle)
    def _free_host(self, address: int) -> None:
        if address:
            self.buffers.free(address, ("host",))

    @entry("cuMemHostRegister", Handle, _SIZE, _UNSIGNED)
    def _register(self, address: int, size: int, _flags: int) -> None:
        self.buffers.register(address, size)

    @entry("cuMemHostUnregister", Handle)
    def _unregister(self, address: int) -> None:
        self.buffers.unregister(address)

    @entry("cuMemHostGetDevicePointer", OutHandle, Handle, _UNSIGNED)
    def _device_pointer(self, out: Any, address: int, _flags: int) -> None:
        out[0] = self.buffers.device_address(address)

    @entry("cuMemHostGetFlags", OutUnsigned, Handle)
    def _host_flags(self, out: Any, address: int) -> None:
        require(self.buffers.kind(address) == "host")
        out[0] = 0

    @entry("cuMemGetInfo", OutSize, OutSize)
    def _info(self, free: Any, total: Any) -> None:
        free[0], total[0] = self.buffers.free_bytes, self.buffers.total_bytes

    @entry("cuMemGetAddressRange", OutHandle, OutSize, Handle)
    def _address_range(self, base: Any, size: Any, address: int) -> None:
        found = self.buffers.range_of(address)
        require(found, Result.CUDA_ERROR_NOT_FOUND)
        if found:
            if base:
                base[0] = found[0]
            if size:
                size[0] = found[1]

    @entry("cuMemcpyHtoD cuMemcpyHtoDAsync", Handle, Handle, _SIZE)
    def _to_device(self, target: int, source: int, size: int) -> None:
        self._copy(self.buffers.place(target, size), source, size)

    @entry("cuMemcpyDtoH cuMemcpyDtoHAsync", Handle, Handle, _SIZE)
    def _to_host(self, target: int, source: int, size: int) -> None:
        self._copy(target, self.buffers.place(source, size), size)

    @entry("cuMemcpyDtoD cuMemcpyDtoDAsync", Handle, Handle, _SIZE)
    def _within_device(self, target: int, source: int, size: int) -> None:
        self._copy(self.buffers.place(target, size), self.buffers.place(source, size), size)

    @entry("cuMemcpy cuMemcpyAsync", Handle, Handle, _SIZE)
    def _anywhere(self, target: int, source: int, size: int) -> None:
        self._copy(self.buffers.host_place(target), self.buffers.host_place(source), size)

    @entry("cuMemcpyPeer cuMemcpyPeerAsync", Handle, Handle, Handle, Handle, _SIZE)
    def _between_devices(self, target: int, _to: int, source: int, _of: int, size: int) -> None:
        self._within_device(target, source, size)

    @entry("cuMemsetD8 cuMemsetD8Async", Handle, _BYTE, _SIZE)
    def _fill_bytes(self, address: int, value: int, count: int) -> None:
        ctypes.memset(self.buffers.place(address, count), value, count)

    @entry("cuMemsetD16 cuMemsetD16Async", Handle, _SHORT, _SIZE)
    def _fill_shorts(self, address: int, value: int, count: int) -> None:
        self._fill(address, np.full(count, value, np.uint16))

    @entry("cuMemsetD32 cuMemsetD32Async", Handle, _UNSIGNED, _SIZE)
    def _fill_words(self, address: int, value: int, count: int) -> None:
        self._fill(address, np.full(count, value, np.uint32))

    @entry("cuMemPrefetchAsync cuMemAdvise cuStreamAttachMemAsync")
    def _advise(self) -> None:
        """Ignore advice about where managed memory lies, which is here for both sides."""

    def _fill(self, address: int, content: np.ndarray[Any, Any]) -> None:
        self._copy(self.buffers.place(address, content.nbytes), int(content.ctypes.data), content.nbytes)

    def _copy(self, target: int, source: int, size: int) -> None:
        if size:
            require(target and source)
            ctypes.memmove(target, source, size)
