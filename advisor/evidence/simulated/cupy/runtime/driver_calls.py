"""Calls of the simulated driver's C interface, with its contexts as the runtime keeps them."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from typing import Any

from advisor.evidence.simulated.driver.library import LIBRARY

Address = ctypes.c_uint64


class DriverCalls:
    """Calls functions of `libcuda.so.1`; a result other than success raises what `error` makes of it.

    The runtime gives each thread the primary context when it first needs one
    (https://docs.nvidia.com/cuda/cuda-runtime-api/driver-vs-runtime-api.html).
    """

    def __init__(self, error: Callable[[int], BaseException]) -> None:
        self._error = error
        self._library: Any = None
        self._threads = threading.local()

    def __call__(self, name: str, *arguments: Any) -> None:
        """Call a function with arguments of ctypes, in the primary context where there is no other."""
        self._need_context()
        status = self.status(name, *arguments)
        if status:
            raise self._error(status)

    def status(self, name: str, *arguments: Any) -> int:
        """The result of a function that needs no context."""
        if self._library is None:
            self._library = ctypes.CDLL(LIBRARY)
            self._library.cuInit(0)
        return int(getattr(self._library, name)(*arguments))

    def value(self, kind: Any, name: str, *arguments: Any) -> Any:
        """What a function writes to where its first argument points, as a `kind` of ctypes."""
        found = kind()
        self(name, ctypes.byref(found), *arguments)
        return found.value

    def fail(self, status: int) -> None:
        """Raise the error of a result."""
        raise self._error(status)

    def _need_context(self) -> None:
        if getattr(self._threads, "ready", False):
            return
        self._threads.ready = True
        current = Address()
        self("cuCtxGetCurrent", ctypes.byref(current))
        if not current.value:
            self("cuDevicePrimaryCtxRetain", ctypes.byref(current), 0)
            self("cuCtxSetCurrent", current)
