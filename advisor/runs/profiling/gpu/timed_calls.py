"""Times the kernels and copies of a program by CUDA events on their streams.

The event pair stands directly around the kernel's start: copies of NumPy arrays that Numba makes within a
launch are copies, not part of the kernel.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from advisor.evidence.simulated.launches.recording.kernel_start import wrap_kernel_start

_COPIES = {"cuMemcpyHtoD": "htod", "cuMemcpyDtoH": "dtoh", "cuMemcpyDtoD": "dtod"}


class TimedLaunch(NamedTuple):
    """A launch: number of the kernel and shape, begin since the iteration's and time on the device, time in
    the launch call, all in ms; negative where the device's times could not be had.
    """

    kernel: int
    begin: float
    time: float
    host: float


class TimedCopy(NamedTuple):
    """A copy: direction ("htod", "dtoh", "dtod"), bytes, begin since the iteration's and time in ms."""

    direction: str
    bytes: int
    begin: float
    time: float


class _Noted(NamedTuple):
    what: tuple[Any, ...]
    begin: Any
    end: Any


class TimedCalls:
    """Listens to Numba's launches and copies while `on`; `describe` makes JSON of a kernel and its shape."""

    def __init__(self, describe: Callable[[Any, Any, Any, int], dict[str, Any]], most: int) -> None:
        self.on = False
        self.kernels: list[dict[str, Any]] = []
        self.order: list[int] = []
        self.untimed = 0
        self._describe = describe
        self._most = most
        self._numbers: dict[object, int] = {}
        self._events: list[Any] = []
        self._used = 0
        self._launches: list[_Noted] = []
        self._copies: list[_Noted] = []
        self._current = threading.local()
        self._base: Any = None

    def install(self) -> None:
        """Watch launches and copies of numba.cuda from here on. Imports numba.cuda."""
        import numba.cuda  # noqa: F401 - the package must be imported before its parts
        from numba.cuda import dispatcher
        from numba.cuda.cudadrv import driver

        self._wrap_kernels(dispatcher)
        wrap_kernel_start(self._start)
        for function, direction in _COPIES.items():
            for form in (function, f"{function}Async"):
                self._wrap_copy(driver.driver, form, direction)

    def begin(self) -> None:
        """Begin an iteration."""
        self._used, self._launches, self._copies, self.order, self.untimed = 0, [], [], [], 0
        self._base = self._event()
        self._base.record(0)
        self.on = True

    def finish(self) -> tuple[list[TimedLaunch], list[TimedCopy]]:
        """The launches and copies of the iteration; waits for them."""
        self.on = False
        launches = [TimedLaunch(one.what[0], *self._times(one), one.what[1]) for one in self._launches]
        copies = [TimedCopy(one.what[0], one.what[1], *self._times(one)) for one in self._copies]
        return launches, copies

    def _times(self, one: _Noted) -> tuple[float, float]:
        """Begin and length; -1 for what events cannot tell, as within a captured graph."""
        try:
            one.end.synchronize()
            begin = float(self._base.elapsed_time(one.begin))
            return max(0.0, begin), float(one.begin.elapsed_time(one.end))
        except Exception:
            self.untimed += 1
            return -1.0, -1.0

    def _event(self) -> Any:
        if self._used == len(self._events):
            from numba import cuda

            self._events.append(cuda.event())
        self._used += 1
        return self._events[self._used - 1]

    def _pair(self) -> tuple[Any, Any] | None:
        if self._used >= 2 * self._most:
            self.untimed += 1
            return None
        return self._event(), self._event()

    def _wrap_kernels(self, dispatcher: Any) -> None:
        original = dispatcher._Kernel.launch

        def launch(
            kernel: Any, args: Any, griddim: Any, blockdim: Any, stream: Any = 0, sharedmem: int = 0
        ) -> Any:
            if not self.on:
                return original(kernel, args, griddim, blockdim, stream, sharedmem)
            self._current.kernel = self._number(kernel, griddim, blockdim, int(sharedmem))
            try:
                return original(kernel, args, griddim, blockdim, stream, sharedmem)
            finally:
                self._current.kernel = None

        dispatcher._Kernel.launch = launch

    def _number(self, kernel: Any, grid: Any, block: Any, shared: int) -> int:
        key = (kernel, grid, block, shared)
        known = self._numbers.get(key)
        if known is None:
            known = self._numbers[key] = len(self.kernels)
            self.kernels.append(self._describe(kernel, grid, block, shared))
        return known

    def _start(self, stream: Any, start: Callable[[], Any]) -> Any:
        number = getattr(self._current, "kernel", None)
        pair = self._pair() if self.on and number is not None else None
        if number is not None:
            self.order.append(number)
        if pair is None:
            return start()
        pair[0].record(stream)
        before = time.perf_counter()
        result = start()
        host = (time.perf_counter() - before) * 1e3
        pair[1].record(stream)
        self._launches.append(_Noted((number, host), *pair))
        return result

    def _wrap_copy(self, driver: Any, name: str, direction: str) -> None:
        original = getattr(driver, name)

        def copy(target: Any, source: Any, size: Any, stream: Any = None) -> Any:
            arguments = (target, source, size) if stream is None else (target, source, size, stream)
            pair = self._pair() if self.on else None
            if pair is None:
                return original(*arguments)
            driver.cuEventRecord(int(pair[0].handle), stream or 0)
            result = original(*arguments)
            driver.cuEventRecord(int(pair[1].handle), stream or 0)
            self._copies.append(_Noted((direction, int(size)), *pair))
            return result

        setattr(driver, name, copy)
