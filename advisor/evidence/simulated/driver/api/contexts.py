"""The driver's calls about contexts: one primary context, and a stack of current ones for each thread."""

from __future__ import annotations

import ctypes
import threading
from typing import Any

from advisor.evidence.simulated.driver.entry_points import (
    Handle,
    OutHandle,
    OutInt,
    OutSize,
    OutUnsigned,
    entry,
)
from advisor.evidence.simulated.driver.gpu import Gpu, require
from advisor.evidence.simulated.driver.results import Result

_INT = ctypes.c_int


class ContextCalls:
    """cuDevicePrimaryCtx… and cuCtx…; all work is done when a call returns: there is no waiting."""

    def __init__(self, gpu: Gpu) -> None:
        self.gpu = gpu
        self.primary = gpu.handle()
        self.retained = 0
        self.flags = 0
        self.created: set[int] = set()
        self._threads = threading.local()

    @property
    def _stack(self) -> list[int]:
        if not hasattr(self._threads, "stack"):
            self._threads.stack = []
        stack: list[int] = self._threads.stack
        return stack

    @entry("cuDevicePrimaryCtxRetain", OutHandle, _INT)
    def _retain(self, out: Any, device: int) -> None:
        require(device == 0, Result.CUDA_ERROR_INVALID_DEVICE)
        self.retained += 1
        out[0] = self.primary

    @entry("cuDevicePrimaryCtxRelease", _INT)
    def _release(self, device: int) -> None:
        require(device == 0, Result.CUDA_ERROR_INVALID_DEVICE)
        self.retained = max(0, self.retained - 1)

    @entry("cuDevicePrimaryCtxReset", _INT)
    def _reset(self, device: int) -> None:
        require(device == 0, Result.CUDA_ERROR_INVALID_DEVICE)
        self.retained = 0

    @entry("cuDevicePrimaryCtxGetState", _INT, OutUnsigned, OutInt)
    def _state(self, device: int, flags: Any, active: Any) -> None:
        require(device == 0, Result.CUDA_ERROR_INVALID_DEVICE)
        flags[0], active[0] = self.flags, int(self.retained > 0)

    @entry("cuDevicePrimaryCtxSetFlags", _INT, ctypes.c_uint)
    def _set_flags(self, device: int, flags: int) -> None:
        require(device == 0, Result.CUDA_ERROR_INVALID_DEVICE)
        self.flags = flags

    @entry("cuCtxGetCurrent", OutHandle)
    def _current(self, out: Any) -> None:
        out[0] = self._stack[-1] if self._stack else 0

    @entry("cuCtxSetCurrent", Handle)
    def _set_current(self, context: int) -> None:
        if self._stack:
            self._stack.pop()
        if context:
            self._push(context)

    @entry("cuCtxPushCurrent", Handle)
    def _push(self, context: int) -> None:
        require(context == self.primary or context in self.created, Result.CUDA_ERROR_INVALID_CONTEXT)
        self._stack.append(context)

    @entry("cuCtxCreate", OutHandle, ctypes.c_uint, _INT)
    def _create(self, out: Any, _flags: int, device: int) -> None:
        require(device == 0, Result.CUDA_ERROR_INVALID_DEVICE)
        context = self.gpu.handle()
        self.created.add(context)
        self._push(context)
        out[0] = context

    @entry("cuCtxCreate", OutHandle, ctypes.c_void_p, _INT, ctypes.c_uint, _INT, since=11040)
    def _create_with_affinity(self, out: Any, _affinity: int, _count: int, flags: int, device: int) -> None:
        self._create(out, flags, device)

    @entry("cuCtxCreate", OutHandle, ctypes.c_void_p, ctypes.c_uint, _INT, since=12050)
    def _create_with_parameters(self, out: Any, _parameters: int, flags: int, device: int) -> None:
        self._create(out, flags, device)

    @entry("cuCtxDestroy", Handle)
    def _destroy(self, context: int) -> None:
        require(context in self.created, Result.CUDA_ERROR_INVALID_CONTEXT)
        self.created.remove(context)
        if self._stack and self._stack[-1] == context:
            self._stack.pop()

    @entry("cuCtxPopCurrent", OutHandle)
    def _pop(self, out: Any) -> None:
        require(self._stack, Result.CUDA_ERROR_INVALID_CONTEXT)
        context = self._stack.pop()
        if out:
            out[0] = context

    @entry("cuCtxGetDevice", OutInt)
    def _device(self, out: Any) -> None:
        require(self._stack, Result.CUDA_ERROR_INVALID_CONTEXT)
        out[0] = 0

    @entry("cuCtxGetDevice", OutInt, Handle, since=13000)
    def _device_of(self, out: Any, context: int) -> None:
        if not context:
            return self._device(out)
        require(context == self.primary, Result.CUDA_ERROR_INVALID_CONTEXT)
        out[0] = 0

    @entry("cuCtxSynchronize cuProfilerStart cuProfilerStop")
    def _synchronise(self) -> None:
        require(self._stack, Result.CUDA_ERROR_INVALID_CONTEXT)
        self.gpu.clock.host_waits()

    @entry("cuCtxGetId", Handle, OutHandle)
    def _number(self, context: int, out: Any) -> None:
        out[0] = context or self.primary

    @entry("cuCtxGetApiVersion", Handle, OutUnsigned)
    def _version(self, _context: int, out: Any) -> None:
        out[0] = self.gpu.driver_version

    @entry("cuCtxGetFlags", OutUnsigned)
    def _get_flags(self, out: Any) -> None:
        out[0] = self.flags

    @entry("cuCtxGetStreamPriorityRange", OutInt, OutInt)
    def _priorities(self, least: Any, greatest: Any) -> None:
        for out in (least, greatest):
            if out:
                out[0] = 0

    @entry("cuCtxGetLimit", OutSize, _INT)
    def _limit(self, out: Any, kind: int) -> None:
        out[0] = self.gpu.limits.get(kind, 0)

    @entry("cuCtxSetLimit", _INT, ctypes.c_size_t)
    def _set_limit(self, kind: int, value: int) -> None:
        self.gpu.limits[kind] = value

    @entry("cuCtxGetCacheConfig", OutInt)
    def _cache(self, out: Any) -> None:
        out[0] = 0

    @entry("cuCtxSetCacheConfig", _INT)
    def _set_cache(self, preference: int) -> None:
        """Ignore a preference that the simulated GPU has no use for."""
