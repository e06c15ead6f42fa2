"""What runs kernels for the simulated driver, and what it is told of a launch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from advisor.evidence.simulated.simt.counts import Statistics
from advisor.evidence.simulated.simt.device_memory import DeviceMemory
from advisor.evidence.simulated.simt.launch import Extent, Launch

Place: TypeAlias = "tuple[str | None, int | None]"


@dataclass(frozen=True)
class ArgumentNote:
    """One argument of a launch, without its contents.

    `type` is Numba's type, or Triton's, in which pointers begin with a star. For an array, record or
    structured scalar in memory: `dtype` as NumPy writes it, `shape` in elements, `strides` in bytes,
    `address` of its lowest byte on the device and `size` in bytes from there to its last byte; None for a
    scalar. The members of a tuple are arguments called `name[0]` ….
    """

    name: str
    type: str
    dtype: str | None = None
    shape: tuple[int, ...] | None = None
    strides: tuple[int, ...] | None = None
    address: int | None = None
    size: int | None = None


@dataclass(frozen=True)
class CodeNote:
    """What an assembler says of the code of a launch, where the program's own compiler made it.

    `target` is what it was compiled for where that is not the simulated GPU, else empty.
    """

    registers: int | None = None
    spill_store_bytes: int | None = None
    spill_load_bytes: int | None = None
    target: str = ""


@dataclass(frozen=True)
class PassedArray:
    """An array of several elements that a library's kernel was given: where it begins, its elements."""

    address: int
    elements: int


@dataclass(frozen=True)
class ArrayOperation:
    """An element-wise operation of a library: what it stores of an element needs one of each array loaded."""

    loads: tuple[PassedArray, ...]
    stores: tuple[PassedArray, ...]


@dataclass(frozen=True)
class CodePoint:
    """A place in a running function of the program.

    `frame` is the same for all places of one call while it runs; `instruction` is the offset in its bytecode,
    which grows within a statement.
    """

    frame: int
    instruction: int


@dataclass(frozen=True)
class LaunchNote:
    """A launch as the user's program wrote it.

    `function` is the Python function's qualified name, or the PTX's name of a kernel that did not come from
    Numba; `file` and `line` are where it begins. `launch_file` and `launch_line` are the nearest place in the
    program outside Numba; unknown places are None. `stream` is 0 for the default stream, else the number of
    the stream in order of creation; `order` counts the launches of the process from 1. `text_hash` is
    that of the kernel's text where it is not Python. `library` names whose own kernel it is, where it is none
    of the program's; `operation` says then what it was given, and `point` where in a function of the program
    it was asked for, as far as these are known. `code` is that of a kernel written for blocks, as Triton's
    are; None for others, which are compiled again to learn of it.
    """

    function: str
    file: str | None
    line: int | None
    launch_file: str | None
    launch_line: int | None
    grid: Extent
    block: Extent
    dynamic_shared: int
    arguments: tuple[ArgumentNote, ...]
    stream: int
    order: int
    text_hash: str = ""
    library: str = ""
    code: CodeNote | None = None
    operation: ArrayOperation | None = None
    point: CodePoint | None = None


class KernelFault(Exception):
    """A launch that ends with an error on a GPU; `error` is the driver's name of it."""

    def __init__(self, message: str, error: str = "CUDA_ERROR_LAUNCH_FAILED") -> None:
        super().__init__(message)
        self.error = error


class Executor(Protocol):
    """Runs kernels on the CPU; all addresses are those of `memory`."""

    memory: DeviceMemory

    def launch(self, ptx: str, kernel: str, launch: Launch, note: LaunchNote) -> Statistics | None:
        """Run the whole grid; what was counted, None where nothing is.

        Raises KernelFault for what is an error of the launch on a GPU.
        """

    def refusal(self, ptx: str, kernel: str) -> str | None:
        """What of a kernel cannot run here, an instruction with its place; None where all can."""

    def copied_to_host(self, address: int, size: int, place: Callable[[], Place]) -> None:
        """Learn that bytes of the device are copied to the host; `place` gives where in the program."""

    def library_read(self, size: int, place: Callable[[], Place]) -> None:
        """Learn that an array library copied bytes to the host, for which the host waited."""

    def variable(self, ptx: str, name: str) -> int:
        """The address of a module's variable in global or constant memory, as the kernels of `ptx` see it.

        Raises KeyError when the module has none of this name.
        """
