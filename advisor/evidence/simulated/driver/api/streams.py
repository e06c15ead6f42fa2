"""The driver's calls about streams and events: everything is done in the order it is asked for."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

from advisor.evidence.simulated.driver.api.contexts import ContextCalls
from advisor.evidence.simulated.driver.entry_points import Handle, OutHandle, OutInt, OutUnsigned, entry
from advisor.evidence.simulated.driver.gpu import Gpu, require
from advisor.evidence.simulated.driver.results import Result

_INT, _UNSIGNED = ctypes.c_int, ctypes.c_uint
# cuda.h: the handles of the default streams and the flags of an event that keeps no time and of a stream
# that does not wait for the default stream.
_DEFAULT_STREAMS = frozenset({0, 1, 2})
_DISABLE_TIMING = 2
_NON_BLOCKING = 1


@dataclass
class _Stream:
    number: int
    flags: int
    priority: int


@dataclass
class _Event:
    """An event; `recorded` is when the work before it ends, in ms."""

    timed: bool
    recorded: float | None = None


class StreamCalls:
    """cuStream… and cuEvent…; an event's time is that of the GPU's clock, which is predicted."""

    def __init__(self, gpu: Gpu, contexts: ContextCalls) -> None:
        self.gpu, self.contexts = gpu, contexts
        self.streams: dict[int, _Stream] = {}
        self.created = 0
        self.events: dict[int, _Event] = {}

    def number(self, handle: int) -> int:
        """0 for a default stream, else which stream of the process it is; raises CallFailed for no stream."""
        if handle in _DEFAULT_STREAMS:
            return 0
        require(handle in self.streams, Result.CUDA_ERROR_INVALID_HANDLE)
        return self.streams[handle].number

    @entry("cuStreamCreate", OutHandle, _UNSIGNED)
    def _create(self, out: Any, flags: int) -> None:
        self._create_with_priority(out, flags, 0)

    @entry("cuStreamCreateWithPriority", OutHandle, _UNSIGNED, _INT)
    def _create_with_priority(self, out: Any, flags: int, priority: int) -> None:
        self.created += 1
        handle = self.gpu.handle()
        self.streams[handle] = _Stream(self.created, flags, priority)
        self.gpu.clock.add_stream(self.created, blocking=not flags & _NON_BLOCKING)
        out[0] = handle

    @entry("cuStreamDestroy", Handle)
    def _destroy(self, handle: int) -> None:
        require(handle in self.streams, Result.CUDA_ERROR_INVALID_HANDLE)
        del self.streams[handle]

    @entry("cuStreamQuery", Handle)
    def _query(self, handle: int) -> None:
        self.number(handle)

    @entry("cuStreamSynchronize", Handle)
    def _synchronise(self, handle: int) -> None:
        self.gpu.clock.host_waits(self.gpu.clock.ready(self.number(handle)))

    @entry("cuStreamGetFlags", Handle, OutUnsigned)
    def _flags(self, handle: int, out: Any) -> None:
        self.number(handle)
        out[0] = self.streams[handle].flags if handle in self.streams else 0

    @entry("cuStreamGetPriority", Handle, OutInt)
    def _priority(self, handle: int, out: Any) -> None:
        self.number(handle)
        out[0] = self.streams[handle].priority if handle in self.streams else 0

    @entry("cuStreamGetId", Handle, OutHandle)
    def _identity(self, handle: int, out: Any) -> None:
        out[0] = self.number(handle)

    @entry("cuStreamGetCtx", Handle, OutHandle)
    def _context(self, handle: int, out: Any) -> None:
        self.number(handle)
        out[0] = self.contexts.primary

    @entry("cuStreamGetCtx", Handle, OutHandle, OutHandle, since=12050)
    def _context_or_green(self, handle: int, out: Any, green: Any) -> None:
        self._context(handle, out)
        if green:
            green[0] = 0

    @entry("cuStreamGetDevice", Handle, OutInt)
    def _device(self, handle: int, out: Any) -> None:
        self.number(handle)
        out[0] = 0

    @entry("cuStreamIsCapturing", Handle, OutInt)
    def _capturing(self, handle: int, out: Any) -> None:
        self.number(handle)
        out[0] = 0

    @entry("cuStreamWaitEvent", Handle, Handle, _UNSIGNED)
    def _wait(self, stream: int, event: int, _flags: int) -> None:
        number, recorded = self.number(stream), self._event(event).recorded
        if recorded is not None:
            self.gpu.clock.wait(number, recorded)

    @entry("cuStreamAddCallback", Handle, ctypes.c_void_p, ctypes.c_void_p, _UNSIGNED)
    def _add_callback(self, stream: int, function: int | None, data: int | None, _flags: int) -> None:
        self.number(stream)
        require(function)
        call = ctypes.CFUNCTYPE(None, ctypes.c_void_p, _INT, ctypes.c_void_p)(function or 0)
        call(stream, 0, data)

    @entry("cuLaunchHostFunc", Handle, ctypes.c_void_p, ctypes.c_void_p)
    def _host_function(self, stream: int, function: int | None, data: int | None) -> None:
        self.number(stream)
        require(function)
        ctypes.CFUNCTYPE(None, ctypes.c_void_p)(function or 0)(data)

    @entry("cuEventCreate", OutHandle, _UNSIGNED)
    def _create_event(self, out: Any, flags: int) -> None:
        handle = self.gpu.handle()
        self.events[handle] = _Event(timed=not flags & _DISABLE_TIMING)
        out[0] = handle

    @entry("cuEventDestroy", Handle)
    def _destroy_event(self, handle: int) -> None:
        self._event(handle)
        del self.events[handle]

    @entry("cuEventRecord", Handle, Handle)
    def _record(self, event: int, stream: int) -> None:
        number, recorded = self.number(stream), self._event(event)
        if recorded.timed:
            self.gpu.clock.start()
        recorded.recorded = self.gpu.clock.ready(number)

    @entry("cuEventRecordWithFlags", Handle, Handle, _UNSIGNED)
    def _record_with_flags(self, event: int, stream: int, _flags: int) -> None:
        self._record(event, stream)

    @entry("cuEventQuery", Handle)
    def _query_event(self, handle: int) -> None:
        self._event(handle)

    @entry("cuEventSynchronize", Handle)
    def _synchronise_event(self, handle: int) -> None:
        recorded = self._event(handle).recorded
        if recorded is not None:
            self.gpu.clock.host_waits(recorded)

    @entry("cuEventElapsedTime", ctypes.POINTER(ctypes.c_float), Handle, Handle)
    def _elapsed(self, out: Any, start: int, end: int) -> None:
        times = [self._event(handle) for handle in (start, end)]
        require(all(event.timed for event in times), Result.CUDA_ERROR_INVALID_HANDLE)
        first, last = times[0].recorded, times[1].recorded
        require(first is not None and last is not None, Result.CUDA_ERROR_INVALID_HANDLE)
        self.gpu.clock.tell()
        out[0] = (last or 0.0) - (first or 0.0)

    def _event(self, handle: int) -> _Event:
        require(handle in self.events, Result.CUDA_ERROR_INVALID_HANDLE)
        return self.events[handle]
