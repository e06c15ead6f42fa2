"""The runtime's functions about streams, events and host functions, by the names that CuPy gives them.

https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__STREAM.html and the page of events beside it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from advisor.evidence.simulated.cupy.runtime.calls import answers
from advisor.evidence.simulated.cupy.runtime.driver_calls import Address, DriverCalls

_INT, _UNSIGNED = ctypes.c_int, ctypes.c_uint
_SUCCESS = 0


class RuntimeStreams:
    """Streams and events; all work is done when it is asked for, so callbacks are called at once."""

    def __init__(self, driver: DriverCalls) -> None:
        self._driver = driver

    @answers("streamCreate")
    def _stream_create(self) -> int:
        return self._stream_create_with_flags(0)

    @answers("streamCreateWithFlags")
    def _stream_create_with_flags(self, flags: int) -> int:
        return int(self._driver.value(Address, "cuStreamCreate", _UNSIGNED(flags)))

    @answers("streamCreateWithPriority")
    def _stream_create_with_priority(self, flags: int, priority: int) -> int:
        given = _UNSIGNED(flags), _INT(priority)
        return int(self._driver.value(Address, "cuStreamCreateWithPriority", *given))

    @answers("streamGetFlags")
    def _stream_get_flags(self, stream: int) -> int:
        return self._of_stream("cuStreamGetFlags", stream)

    @answers("streamGetPriority")
    def _stream_get_priority(self, stream: int) -> int:
        return self._of_stream("cuStreamGetPriority", stream)

    @answers("streamIsCapturing")
    def _stream_is_capturing(self, stream: int) -> int:
        return self._of_stream("cuStreamIsCapturing", stream)

    def _of_stream(self, name: str, stream: int) -> int:
        found = _INT()
        self._driver(name, Address(stream), ctypes.byref(found))
        return found.value

    @answers("streamDestroy")
    def _stream_destroy(self, stream: int) -> None:
        self._driver("cuStreamDestroy", Address(stream))

    @answers("streamSynchronize")
    def _stream_synchronize(self, stream: int) -> None:
        self._driver("cuStreamSynchronize", Address(stream))

    @answers("streamQuery")
    def _stream_query(self, stream: int) -> int:
        return self._driver.status("cuStreamQuery", Address(stream))

    @answers("streamWaitEvent")
    def _stream_wait_event(self, stream: int, event: int, flags: int = 0) -> None:
        self._driver("cuStreamWaitEvent", Address(stream), Address(event), _UNSIGNED(flags))

    @answers("streamAddCallback")
    def _stream_add_callback(
        self, stream: int, callback: Callable[..., Any], argument: Any, _flags: int = 0
    ) -> None:
        self._stream_synchronize(stream)
        callback(stream, _SUCCESS, argument)

    @answers("launchHostFunc")
    def _launch_host_func(self, stream: int, callback: Callable[..., Any], argument: Any) -> None:
        self._stream_synchronize(stream)
        callback(argument)

    @answers("_launchHostFuncUnmanaged")
    def _launch_host_func_unmanaged(self, stream: int, given: tuple[Callable[..., Any], Any]) -> None:
        self._launch_host_func(stream, *given)

    @answers("eventCreate")
    def _event_create(self) -> int:
        return self._event_create_with_flags(0)

    @answers("eventCreateWithFlags")
    def _event_create_with_flags(self, flags: int) -> int:
        return int(self._driver.value(Address, "cuEventCreate", _UNSIGNED(flags)))

    @answers("eventDestroy")
    def _event_destroy(self, event: int) -> None:
        self._driver("cuEventDestroy", Address(event))

    @answers("eventElapsedTime")
    def _event_elapsed_time(self, start: int, end: int) -> float:
        return float(self._driver.value(ctypes.c_float, "cuEventElapsedTime", Address(start), Address(end)))

    @answers("eventQuery")
    def _event_query(self, event: int) -> int:
        return self._driver.status("cuEventQuery", Address(event))

    @answers("eventRecord")
    def _event_record(self, event: int, stream: int) -> None:
        self._driver("cuEventRecord", Address(event), Address(stream))

    @answers("eventSynchronize")
    def _event_synchronize(self, event: int) -> None:
        self._driver("cuEventSynchronize", Address(event))
