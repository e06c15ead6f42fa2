"""One launch of a kernel: grid, block, shared memory and the bytes of its parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from advisor.evidence.simulated.simt.ptx.ptx_program import Function, Parameter

Extent = tuple[int, int, int]
# What a launch keeps of what it prints, if the program does not set cudaLimitPrintfFifoSize: 1 MB, CUDA C++
# Programming Guide, "Formatted Output".
PRINT_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class ArrayArgument:
    """An array that a kernel is given: the parameter that points to its data, and the bytes it may touch.

    `low` and `high` are addresses, `high` that behind the last byte. A view's bytes may lie on both sides of
    its first element.
    """

    name: str
    parameter: int
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Launch:
    """What a kernel is started with; `parameters` are the bytes of the parameter space in the PTX's layout.

    `dynamic_shared` counts bytes of dynamic shared memory; `cooperative` says that all blocks are resident;
    `print_bytes` is how much is kept of what the kernel prints.
    Where `arrays` tells the bounds of a pointer these hold, else those of the buffer that it points into.
    """

    grid: Extent
    block: Extent
    parameters: bytes
    dynamic_shared: int = 0
    cooperative: bool = False
    arrays: tuple[ArrayArgument, ...] = ()
    print_bytes: int = PRINT_BYTES

    @property
    def blocks(self) -> int:
        """The number of blocks in the grid."""
        return self.grid[0] * self.grid[1] * self.grid[2]

    @property
    def threads_in_block(self) -> int:
        """The number of threads in a block."""
        return self.block[0] * self.block[1] * self.block[2]


def parameter_offsets(parameters: Sequence[Parameter]) -> tuple[dict[str, int], int]:
    """Where each parameter begins in the parameter space, in bytes, and the size of that space."""
    offsets: dict[str, int] = {}
    end = 0
    for parameter in parameters:
        begin = -(-end // parameter.align) * parameter.align
        offsets[parameter.name] = begin
        end = begin + parameter.size
    return offsets, end


def pack_parameters(kernel: Function, values: Sequence[bytes]) -> bytes:
    """The parameter space of a kernel from the bytes of each of its parameters, in their order.

    Raises ValueError when the number of values or the size of one is not the kernel's.
    """
    if len(values) != len(kernel.parameters):
        raise ValueError(f"{kernel.name} takes {len(kernel.parameters)} parameters, {len(values)} were given")
    offsets, size = parameter_offsets(kernel.parameters)
    space = bytearray(size)
    for parameter, value in zip(kernel.parameters, values, strict=True):
        if len(value) != parameter.size:
            raise ValueError(f"{parameter.name} has {parameter.size} bytes, {len(value)} were given")
        begin = offsets[parameter.name]
        space[begin : begin + len(value)] = value
    return bytes(space)
