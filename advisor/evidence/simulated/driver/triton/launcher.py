"""Launches a compiled Triton kernel on the simulated GPU."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from triton.runtime import _allocation

from advisor.evidence.simulated.driver.api.buffers import Buffers
from advisor.evidence.simulated.driver.api.launching import check_limits
from advisor.evidence.simulated.driver.executor import ArgumentNote, KernelFault, LaunchNote
from advisor.evidence.simulated.driver.gpu import PRINT_LIMIT, Gpu
from advisor.evidence.simulated.driver.launch_notes import LaunchNotes
from advisor.evidence.simulated.driver.results import CallFailed
from advisor.evidence.simulated.driver.triton.descriptors import (
    TENSOR_MAP,
    MappedTensor,
    without_descriptors,
)
from advisor.evidence.simulated.driver.triton.host_memory import HostMemory, HostRange
from advisor.evidence.simulated.driver.triton.kernel_code import KernelCode
from advisor.evidence.simulated.driver.triton.parameters import CONSTANT, filled, flat, scalar_bytes
from advisor.evidence.simulated.driver.triton.passed_arrays import Place, place_of
from advisor.evidence.simulated.simt.launch import Launch, pack_parameters

_WARP = 32
# How the launch of a CUDA error begins in Triton's own launcher.
_ERROR = "Triton Error [CUDA]"
_DEFAULT_STREAM = 0


@dataclass(frozen=True)
class Machine:
    """What a launch needs: the GPU, its buffers, and who describes launches."""

    gpu: Gpu
    buffers: Buffers
    notes: LaunchNotes


@dataclass(frozen=True)
class _Argument:
    """One argument: its name, Triton's type, the value, and where it leads if it is a pointer."""

    name: str
    kind: str
    value: Any
    place: Place | None = None


class Launcher:
    """What Triton calls to launch one compiled kernel; arguments are those of `CudaLauncher`."""

    def __init__(self, machine: Machine, source: Any, metadata: Any) -> None:
        self._machine = machine
        self.code = KernelCode(source, metadata, machine.gpu)
        self._names = [str(name) for name in source.signature]
        self._signature = list(source.signature.values())

    def __call__(
        self,
        grid_x: int,
        grid_y: int,
        grid_z: int,
        stream: int,
        _function: int,
        _packed: Any,
        launch_metadata: Any,
        on_enter: Any,
        on_exit: Any,
        *values: Any,
    ) -> None:
        """Launch the kernel; raises RuntimeError, as Triton does, for what is an error on a GPU."""
        if on_enter is not None:
            on_enter(launch_metadata)
        grid = (int(grid_x), int(grid_y), int(grid_z))
        if grid[0] * grid[1] * grid[2] > 0:
            with self._machine.gpu.lock:
                self._launch(grid, stream, values)
        if on_exit is not None:
            on_exit(launch_metadata)

    def _launch(self, grid: tuple[int, int, int], stream: int, values: Sequence[Any]) -> None:
        machine, code = self._machine, self.code
        arguments = [*self._arguments(values), *self._scratch(grid, stream)]
        with ExitStack() as stack:
            host = stack.enter_context(HostMemory(machine.gpu.executor.memory, self._of_host(arguments)))
            stack.enter_context(machine.buffers.visible())
            kernel = code.loaded.function
            given = [self._bytes(one, host) for one in arguments if one.kind != CONSTANT]
            space = pack_parameters(kernel, filled(given, [one.size for one in kernel.parameters]))
            metadata = code.metadata
            launch = Launch(
                grid, (_WARP * metadata.num_warps, 1, 1), space, dynamic_shared=metadata.shared,
                cooperative=bool(getattr(metadata, "launch_cooperative_grid", False)),
                print_bytes=machine.gpu.limits[PRINT_LIMIT],
            )  # fmt: skip
            notes = tuple(self._note(one, host) for one in arguments)
            self._run(launch, notes)

    def _run(self, launch: Launch, arguments: tuple[ArgumentNote, ...]) -> None:
        machine, loaded = self._machine, self.code.loaded
        try:
            check_limits(loaded, launch)
        except CallFailed as failure:
            raise RuntimeError(f"{_ERROR}: {failure.result.name}") from None
        note = self._launch_note(launch, arguments)
        try:
            counted = machine.gpu.executor.launch(loaded.module.ptx, loaded.function.name, launch, note)
        except KernelFault as fault:
            raise RuntimeError(f"{_ERROR}: {fault}") from None
        machine.gpu.clock.launched(_DEFAULT_STREAM, counted, note, lambda: loaded.registers)

    def _launch_note(self, launch: Launch, arguments: tuple[ArgumentNote, ...]) -> LaunchNote:
        code, notes = self.code, self._machine.notes
        source = getattr(code.function, "__code__", None)
        file, line = notes.place()
        return LaunchNote(
            function=code.function.__qualname__ if source else code.loaded.function.name,
            file=source.co_filename if source else None,
            line=source.co_firstlineno if source else None,
            launch_file=file,
            launch_line=line,
            grid=launch.grid,
            block=launch.block,
            dynamic_shared=launch.dynamic_shared,
            arguments=arguments,
            stream=_DEFAULT_STREAM,
            order=notes.next_order(),
            code=code.note,
        )

    def _arguments(self, values: Sequence[Any]) -> list[_Argument]:
        """The arguments with their types, descriptors taken apart as Triton does for its launchers."""
        types, names = self._signature, self._names
        if len(values) < len(types):
            # Earlier versions hand on no constants.
            kept = [number for number, kind in enumerate(types) if kind != CONSTANT]
            types, names = [types[number] for number in kept], [names[number] for number in kept]
        layouts = getattr(self.code.metadata, "tensordesc_meta", None) or ()
        given = without_descriptors(types, values, names, layouts)
        return [
            _Argument(name, kind, value, self._place_of(name, kind, value))
            for name, kind, value in flat(*zip(*given, strict=True))
        ]

    def _place_of(self, name: str, kind: str, value: Any) -> Place | None:
        """Where an argument leads, None for a number."""
        if kind == TENSOR_MAP:
            return self._place(name, value.descriptor.base)
        return self._place(name, value) if kind.startswith("*") else None

    def _place(self, name: str, value: Any) -> Place:
        place = place_of(value)
        if place is None:
            raise TypeError(f"{name} of {self.code.metadata.name} is a pointer, not {type(value).__name__}.")
        if place.address and not self._on_device(place.address) and place.kept_low is None:
            raise TypeError(
                f"{name} of {self.code.metadata.name} leads to memory of the host whose size is not known "
                f"({type(value).__name__} has no nbytes)."
            )
        return place

    def _scratch(self, grid: tuple[int, int, int], stream: int) -> list[_Argument]:
        """The memory that a kernel asks for beside its arguments, from the program's own allocator."""
        size = getattr(self.code.metadata, "global_scratch_size", 0)
        if not size:
            return []
        whole = grid[0] * grid[1] * grid[2] * self.code.metadata.num_ctas * size
        held = _allocation._allocator
        allocate = held.get() if hasattr(held, "get") else held  # before Triton 3.5 the allocator itself
        buffer = allocate(whole, self.code.metadata.global_scratch_align, stream)
        place = place_of(buffer) or Place(int(buffer.data_ptr()))
        if not self._on_device(place.address):
            end = place.address + whole
            place = Place(place.address, low=place.address, high=end, kept_low=place.address, kept_high=end)
        return [_Argument("scratch memory", "*i8", buffer, place)]

    def _on_device(self, address: int) -> bool:
        return self._machine.buffers.kind(address) is not None

    def _of_host(self, arguments: Sequence[_Argument]) -> list[HostRange]:
        places = [one.place for one in arguments if one.place is not None]
        return [
            HostRange(place.kept_low, place.kept_high, place.writable)
            for place in places
            if place.kept_low is not None
            and place.kept_high is not None
            and not self._on_device(place.address)
        ]

    def _device_address(self, address: int, host: HostMemory) -> int:
        copied = host.on_device(address)
        if copied is not None:
            return copied
        if self._machine.buffers.kind(address) == "host":
            return self._machine.buffers.device_address(address)
        return address

    def _bytes(self, argument: _Argument, host: HostMemory) -> bytes:
        if argument.place is None:
            return scalar_bytes(argument.kind, argument.value)
        address = self._device_address(argument.place.address, host)
        if isinstance(argument.value, MappedTensor):
            return argument.value.map_at(address)
        return address.to_bytes(8, "little")

    def _note(self, argument: _Argument, host: HostMemory) -> ArgumentNote:
        place, kind = argument.place, argument.kind
        if kind == CONSTANT:
            return ArgumentNote(argument.name, f"{CONSTANT}[{argument.value}]")
        if place is None or place.low is None or place.high is None:
            return ArgumentNote(argument.name, kind)
        moved = self._device_address(place.address, host) - place.address
        return ArgumentNote(
            argument.name, kind, place.dtype, place.shape, place.strides, place.low + moved,
            place.high - place.low,
        )  # fmt: skip
