"""Notes the launches of a program that runs on a real GPU; nothing of their execution changes.

Each launch is timed by a pair of events on its stream, directly around the start of the kernel: what Numba
copies before and after belongs to no kernel. The events are read when the program has ended.
"""

from __future__ import annotations

import ctypes
import sys
import threading
import time
from collections.abc import Callable, Sequence
from itertools import count
from types import FrameType
from typing import Any

from advisor.evidence.simulated.driver.executor import ArgumentNote, LaunchNote
from advisor.evidence.simulated.launches.outcome import Outcome
from advisor.evidence.simulated.launches.recording.kernel_start import wrap_kernel_start
from advisor.evidence.simulated.simt.launch import Extent

# Events are a limited good; of more launches than this only the beginning is timed.
_MOST_TIMED = 20_000


def has_gpu() -> bool:
    """Whether a CUDA driver with a device is there; no context is made."""
    try:
        driver = ctypes.CDLL("libcuda.so.1" if sys.platform != "win32" else "nvcuda.dll")
        number = ctypes.c_int(0)
        return (
            driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(number)) == 0 and number.value > 0
        )
    except (OSError, AttributeError):
        return False


def gpu_name() -> str:
    """The name of the first GPU, an empty text without one."""
    if not has_gpu():
        return ""
    name = ctypes.create_string_buffer(256)
    driver = ctypes.CDLL("libcuda.so.1" if sys.platform != "win32" else "nvcuda.dll")
    return name.value.decode("utf-8", "replace") if driver.cuDeviceGetName(name, 256, 0) == 0 else "a GPU"


class GpuLaunches:
    """Listens to Numba's launches; `finish` reads the times and hands all outcomes on."""

    def __init__(self, listen: Callable[[Outcome], None], library_folders: Sequence[str]) -> None:
        self._listen = listen
        self._folders = tuple(library_folders)
        self._orders = count(1)
        self._timed: list[tuple[LaunchNote, Any, Any, float]] = []
        self._current = threading.local()

    def install(self) -> None:
        """Note launches of numba.cuda from here on."""
        import numba.cuda  # noqa: F401 - the package must be imported before its parts
        from numba.cuda import dispatcher

        original = dispatcher._Kernel.launch

        def launch(
            kernel: Any, args: Any, griddim: Any, blockdim: Any, stream: Any = 0, sharedmem: int = 0
        ) -> Any:
            note = self._note(kernel, args, (griddim, blockdim), stream, sharedmem)
            # What is compiled and loaded at a first launch is no time of the device.
            kernel.library.get_cufunc()
            self._current.events = None
            begin = time.perf_counter()
            result = original(kernel, args, griddim, blockdim, stream, sharedmem)
            host = time.perf_counter() - begin
            self._timed.append((note, *(self._current.events or (None, None)), host))
            return result

        dispatcher._Kernel.launch = launch
        wrap_kernel_start(self._start)

    def _start(self, stream: Any, start: Callable[[], Any]) -> Any:
        events = self._events()
        if events is None:
            return start()
        events[0].record(stream)
        result = start()
        events[1].record(stream)
        self._current.events = events
        return result

    def _events(self) -> tuple[Any, Any] | None:
        from numba import cuda

        if len(self._timed) >= _MOST_TIMED:
            return None
        return cuda.event(), cuda.event()

    def finish(self) -> None:
        """Wait for the device and hand on each launch with its seconds."""
        for note, begin, end, host in self._timed:
            seconds = host
            if begin is not None:
                try:
                    end.synchronize()
                    seconds = begin.elapsed_time(end) / 1e3
                except Exception:  # the program may have closed its context or ended with a fault
                    seconds = host
            self._listen(Outcome(note, seconds, None, []))
        self._timed = []

    def _note(self, kernel: Any, args: Any, shape: tuple[Any, Any], stream: Any, shared: int) -> LaunchNote:
        code = getattr(kernel.py_func, "__code__", None)
        file, line = self._caller()
        names = code.co_varnames[: code.co_argcount] if code else ()
        return LaunchNote(
            function=getattr(kernel.py_func, "__qualname__", "kernel"),
            file=code.co_filename if code else None,
            line=code.co_firstlineno if code else None,
            launch_file=file,
            launch_line=line,
            grid=_extent(shape[0]),
            block=_extent(shape[1]),
            dynamic_shared=int(shared),
            arguments=tuple(
                _argument(names[number] if number < len(names) else f"argument {number + 1}", *pair)
                for number, pair in enumerate(zip(args, kernel.argument_types, strict=False))
            ),
            stream=int(getattr(getattr(stream, "handle", None), "value", None) or 0),
            order=next(self._orders),
        )

    def _caller(self) -> tuple[str | None, int | None]:
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            if not frame.f_code.co_filename.startswith(self._folders):
                return frame.f_code.co_filename, frame.f_lineno
            frame = frame.f_back
        return None, None


def _extent(shape: Any) -> Extent:
    numbers = [int(one) for one in (shape if isinstance(shape, tuple | list) else (shape,))]
    return (*numbers, *(1,) * (3 - len(numbers)))  # type: ignore[return-value]


def _argument(name: str, value: Any, kind: Any) -> ArgumentNote:
    shape = getattr(value, "shape", None)
    if not isinstance(shape, tuple):
        return ArgumentNote(name, str(kind))
    strides = tuple(int(one) for one in getattr(value, "strides", None) or ())
    return ArgumentNote(name, str(kind), str(getattr(value, "dtype", "")), tuple(map(int, shape)), strides)
