"""Python methods as functions of the driver's C interface."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from advisor.evidence.simulated.driver.gpu import Gpu
from advisor.evidence.simulated.driver.results import CallFailed, Result
from advisor.model.processes.interruption import called_by_native_code

Handle = ctypes.c_uint64
OutInt = ctypes.POINTER(ctypes.c_int)
OutUnsigned = ctypes.POINTER(ctypes.c_uint)
OutHandle = ctypes.POINTER(ctypes.c_uint64)
OutSize = ctypes.POINTER(ctypes.c_size_t)

_Method = TypeVar("_Method", bound=Callable[..., None])


@dataclass(frozen=True)
class EntryPoint:
    """A C function: its name in cuda.h without a version's suffix, and the CUDA version it is valid from."""

    name: str
    since: int
    callback: Any


def entry(names: str, *types: Any, since: int = 0) -> Callable[[_Method], _Method]:
    """A decorator: the method answers the driver's functions in `names`, with arguments of C `types`.

    The method returns nothing for success and raises CallFailed for any other result. `since` is the CUDA
    version (1000 * major + 10 * minor) from which on the function has these arguments.
    """

    def mark(method: _Method) -> _Method:
        marks = [*getattr(method, "driver_entries", ()), (tuple(names.split()), types, since)]
        method.driver_entries = marks  # type: ignore[attr-defined]
        return method

    return mark


def entry_points(calls: object, gpu: Gpu) -> Iterator[EntryPoint]:
    """The functions that the marked methods of an object answer, one call at a time.

    The GPU is told the function's name and what was raised in it, other than CallFailed and MemoryError.
    """
    for attribute in dir(type(calls)):
        for names, types, since in getattr(getattr(type(calls), attribute), "driver_entries", ()):
            method = getattr(calls, attribute)
            for name in names:
                answer = _answering(name, method, gpu)
                yield EntryPoint(name, since, ctypes.CFUNCTYPE(ctypes.c_int, *types)(answer))


def _answering(name: str, method: Callable[..., None], gpu: Gpu) -> Callable[..., int]:
    """What native code calls. A signal ends a launch, and comes behind any other call: who freed memory, say,
    has nobody to tell of it.
    """

    def launch(*arguments: Any) -> int:
        return _answered(name, method, gpu, arguments)

    def answer(*arguments: Any) -> int:
        return _answered(name, method, gpu, arguments)

    called_by_native_code(_answered, keeps_errors=True)
    called_by_native_code(launch, keeps_errors=True)
    called_by_native_code(answer, keeps_errors=False)
    return launch if "Launch" in name else answer


def _answered(name: str, method: Callable[..., None], gpu: Gpu, arguments: tuple[Any, ...]) -> int:
    try:
        if gpu.lost_by_fork:
            return Result.CUDA_ERROR_NOT_INITIALIZED.value
        with gpu.lock:
            method(*arguments)
    except CallFailed as failure:
        return failure.result.value
    except MemoryError:
        return Result.CUDA_ERROR_OUT_OF_MEMORY.value
    except BaseException as problem:
        # An exception cannot pass through C; KeyboardInterrupt and SystemExit are kept for the caller.
        gpu.report(name, problem)
        return Result.CUDA_ERROR_UNKNOWN.value
    return Result.CUDA_SUCCESS.value
