"""Puts the simulated driver into the process as the library that CUDA programs load."""

from __future__ import annotations

import atexit
import ctypes
import os
import platform
import sys
from collections.abc import Callable, Sequence
from typing import Any

from advisor.evidence.simulated.driver.entry_points import EntryPoint, OutHandle, OutInt
from advisor.evidence.simulated.driver.results import Result
from advisor.evidence.simulated.driver.shared_object import SLOTS, STUB_BYTES, STUBS, shared_object
from advisor.model.errors import AdvisorError
from advisor.model.processes.interruption import called_by_native_code

LIBRARY = "libcuda.so.1"
_LOOKUPS = ("cuGetProcAddress", "cuGetProcAddress_v2")
# For functions that are asked for by name and not exported; CUDA 13.4 has some 530 in all.
_SPARE = 2048


class DriverLibrary:
    """The C functions of the simulated driver; it lives as long as the process.

    Everybody calls through the slots of the library, so that calls after the end of Python (from destructors
    of other libraries) meet a function that does nothing.
    """

    def __init__(self, points: Sequence[EntryPoint], missing: Callable[[str], None]) -> None:
        self._points: dict[str, list[EntryPoint]] = {}
        for point in points:
            self._points.setdefault(point.name, []).append(point)
        for versions in self._points.values():
            versions.sort(key=lambda point: point.since)
        self._missing = missing
        self._callbacks: list[Any] = []
        self._stubs: dict[str, int] = {}
        self._slots: Any = None
        self._first_stub = 0

    def load(self) -> None:
        """Make this library the `libcuda.so.1` of whoever loads it from here on.

        Raises AdvisorError on another system than Linux, and where a driver is loaded already.
        """
        if sys.platform != "linux":
            raise AdvisorError("Programs can be run on a simulated GPU on Linux only.")
        if _is_loaded():
            raise AdvisorError(f"The simulated GPU cannot be used: {LIBRARY} is loaded already.")
        exported = self._exported()
        content = shared_object(platform.machine(), LIBRARY, list(exported), _SPARE)
        file = os.memfd_create(LIBRARY)
        with os.fdopen(file, "wb", closefd=False) as stream:
            stream.write(content)
        # The file stays open: the loader takes a library loaded by the same path for the same one.
        library = ctypes.CDLL(f"/proc/self/fd/{file}", mode=ctypes.RTLD_GLOBAL)
        self._slots = (ctypes.c_void_p * (len(exported) + _SPARE)).in_dll(library, SLOTS)
        self._first_stub = ctypes.addressof(ctypes.c_char.in_dll(library, STUBS))
        for callback in exported.values():
            self._stub(callback)
        atexit.register(self.close)

    def close(self) -> None:
        """Let every function return success without doing anything from here on."""
        idle = self._first_stub + STUB_BYTES * len(self._slots)
        for index in range(len(self._slots)):
            self._slots[index] = idle

    def _exported(self) -> dict[str, Any]:
        """The functions that can be found by their symbol, with the callback for each."""
        kind = ctypes.CFUNCTYPE(
            ctypes.c_int, ctypes.c_char_p, OutHandle, ctypes.c_int, ctypes.c_uint64, OutInt
        )
        called_by_native_code(DriverLibrary._look_up, keeps_errors=False)
        lookup = kind(self._look_up)
        exported = dict.fromkeys(_LOOKUPS, lookup)
        for name, versions in self._points.items():
            exported[name] = exported[f"{name}_v2"] = versions[0].callback
        return exported

    def _stub(self, callback: Any) -> int:
        """The address of the next stub, which calls `callback` from here on."""
        index = len(self._callbacks)
        if index == len(self._slots):
            return 0
        self._callbacks.append(callback)
        self._slots[index] = ctypes.cast(callback, ctypes.c_void_p).value
        return self._first_stub + STUB_BYTES * index

    def _look_up(self, name: bytes, out: Any, version: int, _flags: int, status: Any) -> int:
        """cuGetProcAddress: the newest function of this name that is not newer than `version`."""
        text = name.decode()
        known = [point for point in self._points.get(text, ()) if point.since <= version]
        key = f"{text} {known[-1].since}" if known else text
        if key not in self._stubs:
            lookup = text == _LOOKUPS[0]
            callback = self._callbacks[0] if lookup else known[-1].callback if known else self._refusal(text)
            self._stubs[key] = self._stub(callback)
        out[0] = self._stubs[key]
        if status:
            status[0] = 0
        return Result.CUDA_SUCCESS.value

    def _refusal(self, name: str) -> Any:
        """A function that says that the simulated GPU does not offer it."""

        def refuse() -> int:
            self._missing(name)
            return Result.CUDA_ERROR_NOT_SUPPORTED.value

        called_by_native_code(refuse, keeps_errors=False)
        return ctypes.CFUNCTYPE(ctypes.c_int)(refuse)


def _is_loaded() -> bool:
    """Whether the process has a library of the driver's name already."""
    try:
        ctypes.CDLL(LIBRARY, mode=os.RTLD_NOLOAD | os.RTLD_NOW)
    except OSError:
        return False
    return True
