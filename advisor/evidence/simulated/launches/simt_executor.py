"""Runs the launches of a program on the SIMT machine and hands what was counted to a listener."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace

from advisor.evidence.simulated.driver.executor import KernelFault, LaunchNote, Place
from advisor.evidence.simulated.launches.close_looks import CloseLooks
from advisor.evidence.simulated.launches.defects import FoundDefect, found_defects, unwritten_copy
from advisor.evidence.simulated.launches.outcome import Outcome
from advisor.evidence.simulated.simt.block_sample import block_sample
from advisor.evidence.simulated.simt.counts import Statistics
from advisor.evidence.simulated.simt.device_memory import DeviceMemory
from advisor.evidence.simulated.simt.launch import ArrayArgument, Launch, parameter_offsets
from advisor.evidence.simulated.simt.machine import CacheSizes, Execution, Settings, compile_kernel, run
from advisor.evidence.simulated.simt.ptx.ptx_reader import PtxError, known_module
from advisor.evidence.simulated.simt.residency import Residency
from advisor.evidence.simulated.simt.statistics import statistics
from advisor.evidence.simulated.simt.unsupported import Unsupported
from advisor.evidence.simulated.simt.vector.kernels import Kernel, module_variable
from advisor.evidence.simulated.simt.vector.layout import Status
from advisor.evidence.simulated.simt.vector.runtime import runtime
from advisor.evidence.simulated.simt.vector.tensor.tensor_maps import MAP_BYTES
from advisor.model.devices import Device
from advisor.model.storage.cache import Cache, user_cache

_PTX_LINE = re.compile(r"PTX line (\d+)\b")
_OPCODE = re.compile(r"\s*(?:@!?%\w+\s+)?([a-z]\w*(?:[.:]+\w+)+)\s")


@dataclass(frozen=True)
class Limits:
    """How much a launch may cost: host threads, seconds, lane instructions looked at closely.

    With `sample_lanes` only blocks that together run about so many lane instructions are run, spread over the
    grid, or with `waves` the first that are resident at one time; the results are incomplete then.
    """

    threads: int = 0
    seconds: float | None = None
    detailed_lanes: int = 4_000_000
    sample_lanes: int | None = None
    waves: bool = False


class SimtExecutor:
    """Executes launches on the CPU; `listen` is told of each one.

    `tell_copy` is told of each copy to the host of memory that nothing has written, with the latest launch
    that had it among its arguments; `tell_read` of each copy to the host that an array library makes.
    """

    def __init__(
        self,
        device: Device,
        listen: Callable[[Outcome], None],
        limits: Limits = Limits(),
        cache: Cache | None = None,
        tell_copy: Callable[[LaunchNote, FoundDefect], None] | None = None,
        tell_read: Callable[[int, Place], None] | None = None,
    ) -> None:
        self.memory = DeviceMemory()
        self._tell_read = tell_read
        self._tell_copy = tell_copy
        self._device = device
        self._listen = listen
        self._limits = limits
        self._cache = cache
        self._kernels: dict[tuple[str, str], Kernel] = {}
        self._looks = CloseLooks()
        self._residency = Residency(cache)

    def launch(self, ptx: str, kernel: str, launch: Launch, note: LaunchNote) -> Statistics:
        """Run the grid; what was counted.

        Raises KernelFault for what ends a launch with an error on a GPU.
        """
        try:
            return self._launch(ptx, kernel, launch, note)
        except KernelFault:
            # What the kernel would have written is not known.
            self.memory.written.forget()
            raise

    def _launch(self, ptx: str, kernel: str, launch: Launch, note: LaunchNote) -> Statistics:
        begin = time.perf_counter()
        try:
            ready = self._compiled(ptx, kernel)
        except (Unsupported, PtxError) as error:
            self._listen(Outcome(note, time.perf_counter() - begin, None, [], str(error)))
            raise KernelFault(
                f"{note.function} cannot run without a GPU: {error}", "CUDA_ERROR_NOT_SUPPORTED"
            ) from None
        names, arrays = _arrays(ready, launch, note)
        launch = replace(launch, arrays=arrays)
        shape, scalars = (ptx, kernel, _shape(note)), _without_addresses(ready, launch)
        settings = self._settings(ptx, ready, launch, self._looks.wants(shape, scalars))
        execution = run(ready, launch, self.memory, settings)
        _show(note, launch, execution)
        found = found_defects(ready, launch, execution, names, by_blocks=note.code is not None)
        counted = statistics(ready, launch, execution, names)
        if note.code is not None:
            counted.code = asdict(note.code)
        self._looks.ran(shape, scalars, counted)
        self._listen(Outcome(note, time.perf_counter() - begin, counted, found))
        if execution.status != Status.DONE:
            limit = self._limits.seconds
            raise KernelFault(
                f"{note.function} did not end within {limit:g} s on the simulated GPU"
                if limit
                else f"{note.function} did not end",
                "CUDA_ERROR_LAUNCH_TIMEOUT",
            )
        _raise_defects(note, found)
        for argument in note.arguments:
            if argument.address is not None:
                self.memory.note_used(argument.address, (note, argument))
        return counted

    def refusal(self, ptx: str, kernel: str) -> str | None:
        """An instruction of a kernel that the machine does not execute, with its place; None for none."""
        try:
            self._compiled(ptx, kernel)
        except Unsupported as error:
            return error.what
        except PtxError as error:
            return _instruction_named_in(str(error), ptx)
        return None

    def copied_to_host(self, address: int, size: int, place: Callable[[], Place]) -> None:
        """Tell of a copy of memory that nothing has written and that a launch has had."""
        part = self.memory.unwritten(address, size) if self._tell_copy is not None else None
        if self._tell_copy is not None and part is not None and isinstance(part.user, tuple):
            note, argument = part.user
            self._tell_copy(note, unwritten_copy(argument, part, size, place()))

    def library_read(self, size: int, place: Callable[[], Place]) -> None:
        """Tell of a copy to the host that an array library made."""
        if self._tell_read is not None:
            self._tell_read(size, place())

    def variable(self, ptx: str, name: str) -> int:
        """The address of a module's variable; raises KeyError for a name that the module does not declare."""
        return module_variable(known_module(ptx), name, self.memory)

    def _compiled(self, ptx: str, kernel: str) -> Kernel:
        known = self._kernels.get((ptx, kernel))
        if known is None:
            # Before the kernel's own store is asked for them: that may be none, or as short-lived as a trial.
            runtime(user_cache())
            known = self._kernels[ptx, kernel] = compile_kernel(known_module(ptx), kernel, self._cache)
        return known

    def _settings(self, ptx: str, kernel: Kernel, launch: Launch, closely: bool) -> Settings:
        caches = self._caches(ptx, kernel, launch) if closely else None
        return Settings(
            threads=self._limits.threads or min(os.cpu_count() or 1, 8),
            seconds=self._limits.seconds,
            detailed_lanes=self._limits.detailed_lanes if closely else 0,
            caches=caches,
            blocks=self._sample(kernel, launch, caches),
        )

    def _caches(self, ptx: str, kernel: Kernel, launch: Launch) -> CacheSizes | None:
        return self._residency.caches(self._device, ptx, kernel, launch)

    def _sample(self, kernel: Kernel, launch: Launch, caches: CacheSizes | None) -> list[int] | None:
        if self._limits.sample_lanes is None or launch.cooperative:
            return None
        wave = caches.processors * caches.residents if caches is not None and self._limits.waves else None
        return block_sample(kernel, launch, self.memory, self._limits.sample_lanes, wave)


def _instruction_named_in(problem: str, ptx: str) -> str:
    """The instruction in the line of a PTX text that is not understood; the problem itself without one."""
    line = _PTX_LINE.match(problem)
    text = ptx.split("\n")[int(line[1]) - 1] if line is not None else ""
    opcode = _OPCODE.match(text)
    return opcode[1] if opcode is not None else problem


def _show(note: LaunchNote, launch: Launch, execution: Execution) -> None:
    """Write what the kernel printed, and how much of it is lost."""
    sys.stdout.write(execution.printed)
    if execution.lines_left_out:
        lost = f"the first {execution.lines_left_out:,} lines that it printed are lost, as on a GPU"
        kept = f"a launch keeps the last {launch.print_bytes:,} bytes (cudaLimitPrintfFifoSize)"
        print(f"advisor: {note.function}: {lost}: {kept}.", file=sys.stderr)


def _shape(note: LaunchNote) -> object:
    shapes = tuple((one.type, one.shape, one.strides) for one in note.arguments)
    return (note.grid, note.block, note.dynamic_shared, shapes)


def _without_addresses(kernel: Kernel, launch: Launch) -> bytes:
    """The bytes of a launch's parameters, zeros where an array's address stands."""
    offsets, _ = parameter_offsets(kernel.function.parameters)
    found = bytearray(launch.parameters)
    for one in launch.arrays:
        begin = offsets[kernel.function.parameters[one.parameter].name]
        found[begin : begin + 8] = bytes(8)
    return bytes(found)


def _arrays(
    kernel: Kernel, launch: Launch, note: LaunchNote
) -> tuple[dict[str, str], tuple[ArrayArgument, ...]]:
    """The arrays' names by PTX parameter, and their bounds. Parameters come in the order of the arguments; a
    tensor's map begins with its address.
    """
    offsets, _ = parameter_offsets(kernel.function.parameters)
    waiting = [one for one in note.arguments if one.address is not None and one.size is not None]
    names: dict[str, str] = {}
    found: list[ArrayArgument] = []
    for number, parameter in enumerate(kernel.function.parameters):
        if parameter.size not in (8, MAP_BYTES) or not waiting:
            continue
        begin = offsets[parameter.name]
        value = int.from_bytes(launch.parameters[begin : begin + 8], "little")
        one = waiting[0]
        assert one.address is not None and one.size is not None
        if value and one.address <= value <= one.address + one.size:
            waiting.pop(0)
            names[parameter.name] = one.name
            found.append(ArrayArgument(one.name, number, one.address, one.address + one.size))
    return names, tuple(found)


def _raise_defects(note: LaunchNote, found: list[FoundDefect]) -> None:
    """End the launch as a GPU does for an access outside of all memory or a trap."""
    for defect in found:
        where = f"{defect.path}:{defect.line}, block {defect.block}, thread {defect.thread}"
        if defect.kind == "trap":
            raise KernelFault(f"{note.function} trapped at {where}", "CUDA_ERROR_LAUNCH_FAILED")
        if defect.kind == "misaligned":
            raise KernelFault(
                f"{note.function}: misaligned {defect.access} at {where}", "CUDA_ERROR_MISALIGNED_ADDRESS"
            )
        if defect.kind == "out_of_bounds":
            array = f" of {defect.array}" if defect.array else ""
            raise KernelFault(
                f"{note.function}: {defect.access}{array} out of bounds at {where}",
                "CUDA_ERROR_ILLEGAL_ADDRESS",
            )
