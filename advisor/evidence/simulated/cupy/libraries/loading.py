"""Loads shared objects of the closed libraries' names, so that CuPy's modules find their functions there."""

from __future__ import annotations

import atexit
import ctypes
import importlib.util
import os
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from advisor.evidence.simulated.cupy.device_arrays import DeviceArrays
from advisor.evidence.simulated.cupy.libraries.blas import blas
from advisor.evidence.simulated.cupy.libraries.fourier import fourier
from advisor.evidence.simulated.cupy.libraries.library import Library
from advisor.evidence.simulated.cupy.libraries.matrices import Matrices
from advisor.evidence.simulated.cupy.libraries.needed_names import needs
from advisor.evidence.simulated.cupy.libraries.random_numbers import random_numbers
from advisor.evidence.simulated.cupy.libraries.solver import solver
from advisor.evidence.simulated.cupy.libraries.sparse import sparse
from advisor.evidence.simulated.driver.gpu import Gpu
from advisor.evidence.simulated.driver.shared_object import SLOTS, STUB_BYTES, STUBS, shared_object

_BLAS_FILE, _BROUGHT_BY_BLAS = "libcublas.so", "libcublasLt.so"
_kept: list[Any] = []


def load_libraries(gpu: Gpu) -> None:
    """Load a shared object for each library that a module of the installed CuPy needs."""
    arrays = DeviceArrays(gpu)
    matrices = Matrices(arrays)
    for library in (
        blas(matrices),
        solver(matrices),
        fourier(arrays),
        random_numbers(arrays),
        sparse(matrices),
    ):
        file = _module_file(library.module)
        if file is None:
            continue
        needed = needs(file)
        functions = [name for name in needed.functions if name.startswith(library.prefix)]
        for name in needed.libraries:
            if name.startswith(library.file):
                _load(name, library, sorted({*functions, *library.looked_up}), gpu)
            if name.startswith(_BLAS_FILE) and library.file == _BLAS_FILE:
                _load(name.replace(_BLAS_FILE, _BROUGHT_BY_BLAS), library, ["cublasLtGetVersion"], gpu)


def _module_file(module: str) -> Path | None:
    """The file of a compiled module, which is not imported."""
    package, _, name = module.rpartition(".")
    spec = importlib.util.find_spec(package)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        found = sorted(Path(folder).glob(f"{name}.*.so"))
        if found:
            return found[0]
    return None


def _load(file: str, library: Library, functions: Sequence[str], gpu: Gpu) -> None:
    """Load a shared object of this name; where the real one is installed it is not looked for any more."""
    library.files.append(file)
    number = os.memfd_create(file)
    with os.fdopen(number, "wb", closefd=False) as stream:
        stream.write(shared_object(platform.machine(), file, functions, 0, version=file))
    # The file stays open: the loader takes a library loaded by the same path for the same one.
    loaded = ctypes.CDLL(f"/proc/self/fd/{number}", mode=ctypes.RTLD_GLOBAL)
    slots = (ctypes.c_void_p * len(functions)).in_dll(loaded, SLOTS)
    callbacks = [library.callback(name, gpu) for name in functions]
    for index, callback in enumerate(callbacks):
        slots[index] = ctypes.cast(callback, ctypes.c_void_p).value
    _kept.append((loaded, callbacks))
    first = ctypes.addressof(ctypes.c_char.in_dll(loaded, STUBS))
    atexit.register(_close, slots, first + STUB_BYTES * len(functions))


def _close(slots: Any, idle: int) -> None:
    """Let every function return 0 without doing anything: destructors call them after the end of Python."""
    for index in range(len(slots)):
        slots[index] = idle
