"""Launches of Numba kernels on the SIMT machine, with NumPy arrays as arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from advisor.evidence.simulated.simt.device_memory import DeviceMemory
from advisor.evidence.simulated.simt.launch import Launch, pack_parameters
from advisor.evidence.simulated.simt.machine import Execution, Kernel, Settings, compile_kernel, run
from advisor.evidence.simulated.simt.ptx.ptx_reader import read_ptx

WHOLE_GRID = Settings()


@dataclass
class Compiled:
    """A Python function compiled for argument types, ready to be launched."""

    kernel: Kernel

    def launch(
        self,
        grid: int | tuple[int, ...],
        block: int | tuple[int, ...],
        *arguments: Any,
        shared: int = 0,
        settings: Settings = WHOLE_GRID,
    ) -> Execution:
        """The execution; arrays among the arguments hold what the kernel wrote."""
        memory = DeviceMemory()
        values: list[bytes] = []
        arrays: list[tuple[int, np.ndarray]] = []
        for argument in arguments:
            if isinstance(argument, np.ndarray):
                address = memory.upload(argument)
                arrays.append((address, argument))
                sizes = (*argument.shape, *argument.strides)
                numbers = (0, 0, argument.size, argument.itemsize, address, *sizes)
                values += [int(number).to_bytes(8, "little", signed=True) for number in numbers]
            else:
                values.append(np.asarray(argument).tobytes())
        launch = Launch(
            extent(grid), extent(block), pack_parameters(self.kernel.function, values), dynamic_shared=shared
        )
        execution = run(self.kernel, launch, memory, settings)
        for address, array in arrays:
            memory.download(address, array)
        return execution

    def lines(self, execution: Execution, first_line: int) -> dict[int, np.ndarray]:
        """The sums of the sites' counters by line, counted from the function's first line as 0."""
        sums: dict[int, np.ndarray] = {}
        for access in self.kernel.warp.accesses.values():
            location = self.kernel.function.instructions[access.instruction].location
            line = location.outermost.line - first_line if location else -1
            sums[line] = sums.get(line, 0) + execution.sites[access.number]
        return sums


def extent(size: int | Sequence[int]) -> tuple[int, int, int]:
    """A grid or block with three numbers."""
    numbers = (size,) if isinstance(size, int) else tuple(size)
    return (*numbers, *(1,) * (3 - len(numbers)))  # type: ignore[return-value]


def compiled(function: Callable[..., Any], *types: Any, **options: Any) -> Compiled:
    """A Python function compiled to PTX for argument types, and that for the machine."""
    from numba import cuda

    text, _ = cuda.compile_ptx(function, types, cc=(8, 0), lineinfo=True, **options)
    module = read_ptx(text)
    (name,) = (name for name, one in module.functions.items() if one.entry)
    return Compiled(compile_kernel(module, name))
