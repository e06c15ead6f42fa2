"""CuPy's calls that launch a kernel, and the errors that it raises for those of the driver."""

from __future__ import annotations

import ctypes
from typing import Any

from advisor.evidence.simulated.cupy.runtime.calls import answers
from advisor.evidence.simulated.cupy.runtime.driver_calls import Address, DriverCalls
from advisor.evidence.simulated.cupy.universal_functions import UniversalFunctions
from advisor.evidence.simulated.driver.gpu import Gpu
from advisor.evidence.simulated.driver.launch_notes import LaunchNotes

_UNSIGNED = ctypes.c_uint


class KernelLaunches:
    """`launchKernel` and `launchCooperativeKernel` of CuPy's driver module."""

    def __init__(self, gpu: Gpu, notes: LaunchNotes, module: Any) -> None:
        self._gpu, self._notes, self._module = gpu, notes, module
        self._driver = DriverCalls(self._error)
        self._functions = UniversalFunctions()

    @answers("launchKernel")
    def _launch_kernel(self, function: int, *rest: int) -> None:
        *extents, stream, parameters, _extra = rest
        self._launch("cuLaunchKernel", function, extents, stream, parameters, Address(0))

    @answers("launchCooperativeKernel")
    def _launch_cooperative_kernel(self, function: int, *rest: int) -> None:
        *extents, stream, parameters = rest
        self._launch("cuLaunchCooperativeKernel", function, extents, stream, parameters)

    def _launch(
        self, name: str, function: int, extents: list[int], stream: int, parameters: int, *more: Any
    ) -> None:
        self._gpu.take_pending()
        shape = map(_UNSIGNED, extents)
        with self._notes.in_library("CuPy", self._functions.operation):
            self._driver(name, Address(function), *shape, Address(stream), Address(parameters), *more)

    def _error(self, status: int) -> BaseException:
        """What is raised for a result: what stopped the program, else CuPy's error with the GPU's words."""
        problem = self._gpu.take_pending()
        if problem is not None and not isinstance(problem, Exception):
            return problem
        error: BaseException = self._module.CUDADriverError(status)
        if problem is not None:
            error.args = (f"{error.args[0]}: {problem}",)
        return error
