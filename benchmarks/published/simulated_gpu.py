"""The simulated GPU of the benchmarks beside it, and kernels of CUDA C++ that run on it."""

from __future__ import annotations

from functools import cache, cached_property
from typing import Any

CAPABILITY = (8, 0)
_ENTRY = ".visible .entry "


@cache
def machine() -> Any:
    """The simulated GPU and the list of its launches, made once."""
    from advisor.evidence.simulated.driver import device_properties, install
    from advisor.evidence.simulated.launches.simt_executor import SimtExecutor
    from advisor.model.devices import find_device

    outcomes: list[Any] = []
    executor = SimtExecutor(find_device("A100"), outcomes.append)
    install(executor, device_properties(find_device("A100")))
    return executor, outcomes


class CudaKernel:
    """A kernel of a CUDA C++ source, launched as Numba's are: `kernel[grid, block](*arguments)`.

    Arrays are passed as pointers and integers as `long long`.
    """

    def __init__(self, source: str, name: str) -> None:
        self.source = source
        self.name = name

    @cached_property
    def ptx(self) -> str:
        """What NVRTC makes of the kernel; raises ValueError with its log where that is nothing."""
        head, *kernels = compiled(self.source).split(_ENTRY)
        (own,) = (one for one in kernels if one.startswith(f"{self.name}("))
        return head + _ENTRY + own

    def get_regs_per_thread(self) -> dict[str, int]:
        """The registers that a thread needs, by the kernel's name."""
        from advisor.model.machine_code.nvjitlink import assemble

        return {self.name: assemble(self.ptx, CAPABILITY, None)[1].registers}

    def __getitem__(self, where: tuple[Any, Any]) -> Any:
        grid, block = (_extent(one) for one in where)
        return lambda *arguments: self._launch(grid, block, arguments)

    def _launch(self, grid: Any, block: Any, arguments: tuple[Any, ...]) -> None:
        from advisor.evidence.simulated.driver.executor import LaunchNote
        from advisor.evidence.simulated.simt.launch import Launch, pack_parameters
        from advisor.evidence.simulated.simt.ptx.ptx_reader import known_module

        function = known_module(self.ptx).functions[self.name]
        launch = Launch(grid, block, pack_parameters(function, [_bytes(one) for one in arguments]))
        note = LaunchNote(self.name, None, None, None, None, grid, block, 0, (), 0, 1)
        machine()[0].launch(self.ptx, self.name, launch, note)


@cache
def compiled(source: str) -> str:
    """The PTX that NVRTC makes of a source; raises ValueError with its log where it does not compile."""
    from cuda.bindings import nvrtc

    _, program = nvrtc.nvrtcCreateProgram(source.encode(), b"kernels.cu", 0, [], [])
    options = [f"--gpu-architecture=compute_{CAPABILITY[0]}{CAPABILITY[1]}".encode()]
    (result,) = nvrtc.nvrtcCompileProgram(program, len(options), options)
    if result != nvrtc.nvrtcResult.NVRTC_SUCCESS:
        log = b" " * nvrtc.nvrtcGetProgramLogSize(program)[1]
        nvrtc.nvrtcGetProgramLog(program, log)
        raise ValueError(log.decode())
    ptx = b" " * nvrtc.nvrtcGetPTXSize(program)[1]
    nvrtc.nvrtcGetPTX(program, ptx)
    return ptx.decode().rstrip("\0 ")


def _extent(given: Any) -> tuple[int, int, int]:
    sides = (given,) if isinstance(given, int) else tuple(given)
    return (*sides, *(1,) * (3 - len(sides)))  # type: ignore[return-value]


def _bytes(argument: Any) -> bytes:
    value = argument if isinstance(argument, int) else argument.__cuda_array_interface__["data"][0]
    return int(value).to_bytes(8, "little")
