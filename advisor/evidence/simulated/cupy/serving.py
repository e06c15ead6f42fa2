"""Lets a program use CuPy on the simulated GPU; nothing happens until it imports CuPy."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from advisor.evidence.simulated.cupy import compiled_reductions, random_generators
from advisor.evidence.simulated.cupy.compiler_library import load_compiler
from advisor.evidence.simulated.cupy.device_arrays import DeviceArrays
from advisor.evidence.simulated.cupy.imports import Act, Imports
from advisor.evidence.simulated.cupy.kernel_launches import KernelLaunches
from advisor.evidence.simulated.cupy.libraries.loading import load_libraries
from advisor.evidence.simulated.cupy.raw_kernels import RawKernels
from advisor.evidence.simulated.cupy.runtime.calls import answered
from advisor.evidence.simulated.cupy.runtime.capsules import offer
from advisor.evidence.simulated.cupy.runtime.device import RuntimeDevice
from advisor.evidence.simulated.cupy.runtime.driver_calls import DriverCalls
from advisor.evidence.simulated.cupy.runtime.memory import RuntimeMemory
from advisor.evidence.simulated.cupy.runtime.refusals import refusals
from advisor.evidence.simulated.cupy.runtime.streams import RuntimeStreams
from advisor.evidence.simulated.cupy.sorting import Sorting
from advisor.evidence.simulated.driver.install import Installed
from advisor.model.errors import AdvisorError

# Kernels end as PTX, and reductions are CuPy's own kernels instead of compiled ones of CUB.
_SETTINGS = {"CUPY_COMPILE_WITH_PTX": "1", "CUPY_ACCELERATORS": ""}
_TRIED = ("13", "14")


def serve_cupy(installed: Installed, code_folder: Path | None) -> None:
    """Let CuPy, once this process imports it, find the simulated GPU.

    It keeps compiled kernels in `code_folder`, without one in memory.
    """
    raw = RawKernels(installed.notes)
    behind: dict[str, Act] = {
        "cupy_backends.cuda.api.runtime": lambda module: _serve_runtime(module, installed),
        "cupy_backends.cuda.api.driver": lambda module: _serve_driver(module, installed),
        "cupy_backends.cuda.libs": lambda _: load_libraries(installed.gpu),
        "cupy.random._generator_api": random_generators.change,
        "cupy.cuda.cub": compiled_reductions.change,
        "cupy.cuda.compiler": raw.change_compiler,
        "cupy": _in_turn(_tell_version, raw.change_classes),
    }
    instead: dict[str, Act] = {
        "cupy.cuda.thrust": Sorting(DeviceArrays(installed.gpu)).fill,
    }
    Imports({name: _said(act) for name, act in behind.items()}, instead).install()
    os.environ.update(_SETTINGS)
    if code_folder is None:
        os.environ["CUPY_CACHE_IN_MEMORY"] = "1"
    else:
        os.environ["CUPY_CACHE_DIR"] = str(code_folder / "cupy")


def _in_turn(*acts: Act) -> Act:
    def act(module: ModuleType) -> None:
        for one in acts:
            one(module)

    return act


def _said(act: Callable[[ModuleType], None]) -> Act:
    """The same, but a CuPy that is built differently is said, and goes on as it is."""

    def attempt(module: ModuleType) -> None:
        try:
            act(module)
        except (AdvisorError, AttributeError, TypeError) as error:
            print(f"advisor: this CuPy is built differently ({module.__name__}): {error}", file=sys.stderr)

    return attempt


def _tell_version(module: ModuleType) -> None:
    version = str(module.__version__)
    if version.partition(".")[0] not in _TRIED:
        tried = " and ".join(_TRIED)
        print(
            f"advisor: CuPy {version} was never tried on the simulated GPU, {tried} were; "
            "what it computes may be wrong.",
            file=sys.stderr,
        )


def _serve_runtime(module: ModuleType, installed: Installed) -> None:
    load_compiler(int(module.runtimeGetVersion()) // 1000)
    driver = DriverCalls(module.CUDARuntimeError)
    gpu, notes = installed.gpu, installed.notes
    memory = RuntimeMemory(driver, module, lambda size: gpu.executor.library_read(size, notes.place))
    known = answered(memory, RuntimeStreams(driver), RuntimeDevice(driver))
    offer(module, refusals(module, known) | known)


def _serve_driver(module: ModuleType, installed: Installed) -> None:
    offer(module, answered(KernelLaunches(installed.gpu, installed.notes, module)))
