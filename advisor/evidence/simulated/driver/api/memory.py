"""The driver's calls about memory: device, pinned, mapped and managed buffers, copies and fills."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from advisor.evidence.simulated.driver.api.buffers import Buffers
from advisor.evidence.simulated.driver.api.streams import StreamCalls
from advisor.evidence.simulated.driver.entry_points import Handle, OutHandle, OutSize, OutUnsigned, entry
from advisor.evidence.simulated.driver.gpu import Gpu, require
from advisor.evidence.simulated.driver.launch_notes import LaunchNotes
from advisor.evidence.simulated.driver.predicted_clock import Copy
from advisor.evidence.simulated.driver.results import Result

_INT, _UNSIGNED, _SIZE = ctypes.c_int, ctypes.c_uint, ctypes.c_size_t
_BYTE, _SHORT = ctypes.c_ubyte, ctypes.c_ushort


class MemoryCalls:
    """cuMemAlloc…, cuMemHost…, cuMemcpy… and cuMemset…; the asynchronous ones are done when they return."""

    def __init__(self, gpu: Gpu, buffers: Buffers, streams: StreamCalls, notes: LaunchNotes) -> None:
        self.gpu, self.buffers, self.streams, self.notes = gpu, buffers, streams, notes

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

    @entry("cuMemcpyHtoD", Handle, Handle, _SIZE)
    @entry("cuMemcpyHtoDAsync", Handle, Handle, _SIZE, Handle)
    def _to_device(self, target: int, source: int, size: int, stream: int | None = None) -> None:
        self._copy(self.buffers.place(target, size), source, size)
        self._timed("bus", size, stream)

    @entry("cuMemcpyDtoH", Handle, Handle, _SIZE)
    @entry("cuMemcpyDtoHAsync", Handle, Handle, _SIZE, Handle)
    def _to_host(self, target: int, source: int, size: int, stream: int | None = None) -> None:
        self._copy(target, self.buffers.place(source, size), size)
        self.gpu.executor.copied_to_host(source, size, self.notes.place)
        self._timed("bus", size, stream)

    @entry("cuMemcpyDtoD", Handle, Handle, _SIZE)
    @entry("cuMemcpyDtoDAsync", Handle, Handle, _SIZE, Handle)
    def _within_device(self, target: int, source: int, size: int, stream: int | None = None) -> None:
        self._copy(self.buffers.place(target, size), self.buffers.place(source, size), size)
        self._timed("device", size, stream)

    @entry("cuMemcpy", Handle, Handle, _SIZE)
    @entry("cuMemcpyAsync", Handle, Handle, _SIZE, Handle)
    def _anywhere(self, target: int, source: int, size: int, stream: int | None = None) -> None:
        self._copy(self.buffers.host_place(target), self.buffers.host_place(source), size)
        on_device = [self.buffers.kind(address) in ("device", "managed") for address in (target, source)]
        if on_device == [False, True]:
            self.gpu.executor.copied_to_host(source, size, self.notes.place)
        if any(on_device):
            self._timed("device" if all(on_device) else "bus", size, stream)

    @entry("cuMemcpyPeer", Handle, Handle, Handle, Handle, _SIZE)
    @entry("cuMemcpyPeerAsync", Handle, Handle, Handle, Handle, _SIZE, Handle)
    def _between_devices(
        self, target: int, _to: int, source: int, _of: int, size: int, stream: int | None = None
    ) -> None:
        self._within_device(target, source, size, stream)

    @entry("cuMemsetD8", Handle, _BYTE, _SIZE)
    @entry("cuMemsetD8Async", Handle, _BYTE, _SIZE, Handle)
    def _fill_bytes(self, address: int, value: int, count: int, stream: int = 0) -> None:
        ctypes.memset(self.buffers.place(address, count), value, count)
        self.buffers.memory.note_written(address, count)
        self._timed("fill", count, stream)

    @entry("cuMemsetD16", Handle, _SHORT, _SIZE)
    @entry("cuMemsetD16Async", Handle, _SHORT, _SIZE, Handle)
    def _fill_shorts(self, address: int, value: int, count: int, stream: int = 0) -> None:
        self._fill(address, np.full(count, value, np.uint16), stream)

    @entry("cuMemsetD32", Handle, _UNSIGNED, _SIZE)
    @entry("cuMemsetD32Async", Handle, _UNSIGNED, _SIZE, Handle)
    def _fill_words(self, address: int, value: int, count: int, stream: int = 0) -> None:
        self._fill(address, np.full(count, value, np.uint32), stream)

    @entry("cuMemPrefetchAsync cuMemAdvise cuStreamAttachMemAsync")
    def _advise(self) -> None:
        """Ignore advice about where managed memory lies, which is here for both sides."""

    def _fill(self, address: int, content: np.ndarray[Any, Any], stream: int) -> None:
        self._copy(self.buffers.place(address, content.nbytes), int(content.ctypes.data), content.nbytes)
        self._timed("fill", content.nbytes, stream)

    def _timed(self, kind: Copy, size: int, stream: int | None) -> None:
        """Let a copy take its time in its stream; without one in the default stream, and the host waits."""
        number = 0 if stream is None else self.streams.number(stream)
        self.gpu.clock.copied(number, kind, size, waits=stream is None)

    def _copy(self, target: int, source: int, size: int) -> None:
        if size:
            require(target and source)
            ctypes.memmove(target, source, size)
            self.buffers.memory.note_written(target, size)
