"""The driver's calls that launch a kernel: the GPU's limits, the bytes of the parameters, the executor."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

from advisor.evidence.simulated.driver.api.buffers import Buffers
from advisor.evidence.simulated.driver.api.module_calls import ModuleCalls
from advisor.evidence.simulated.driver.api.modules import LoadedKernel
from advisor.evidence.simulated.driver.api.streams import StreamCalls
from advisor.evidence.simulated.driver.entry_points import Handle, entry
from advisor.evidence.simulated.driver.executor import KernelFault
from advisor.evidence.simulated.driver.gpu import PRINT_LIMIT, Gpu, require
from advisor.evidence.simulated.driver.launch_notes import LaunchNotes
from advisor.evidence.simulated.driver.results import CallFailed, Result
from advisor.evidence.simulated.simt.launch import Extent, Launch, pack_parameters

_UNSIGNED, _DATA = ctypes.c_uint, ctypes.c_void_p
_PARAMETERS = ctypes.POINTER(ctypes.c_void_p)
# cuda.h: CUlaunchAttributeID and the size of a CUlaunchAttribute.
_COOPERATIVE, _CLUSTER = 2, 4
_ATTRIBUTE_BYTES, _VALUE_AT = 72, 8


class _Config(ctypes.Structure):
    """CUlaunchConfig of cuda.h."""

    _fields_ = [
        ("grid", ctypes.c_uint * 3),
        ("block", ctypes.c_uint * 3),
        ("shared", ctypes.c_uint),
        ("stream", ctypes.c_uint64),
        ("attributes", ctypes.c_void_p),
        ("count", ctypes.c_uint),
    ]


@dataclass(frozen=True)
class _Request:
    """A launch as it is asked for; `parameters` points to a pointer to each parameter."""

    grid: tuple[int, ...]
    block: tuple[int, ...]
    shared: int
    stream: int
    parameters: Any
    extra: int | None
    cooperative: bool = False

    def launch(self, space: bytes, print_bytes: int) -> Launch:
        """The launch with these bytes of parameters, of whose output so many bytes are kept."""
        grid: Extent = (self.grid[0], self.grid[1], self.grid[2])
        block: Extent = (self.block[0], self.block[1], self.block[2])
        return Launch(
            grid,
            block,
            space,
            dynamic_shared=self.shared,
            cooperative=self.cooperative,
            print_bytes=print_bytes,
        )


class LaunchCalls:
    """cuLaunchKernel, cuLaunchKernelEx and cuLaunchCooperativeKernel."""

    def __init__(
        self, gpu: Gpu, buffers: Buffers, streams: StreamCalls, modules: ModuleCalls, notes: LaunchNotes
    ) -> None:
        self.gpu, self.buffers, self.streams = gpu, buffers, streams
        self.modules, self.notes = modules, notes

    @entry("cuLaunchKernelEx", ctypes.POINTER(_Config), Handle, _PARAMETERS, _DATA)
    def _launch_with_config(self, config: Any, kernel: int, parameters: Any, extra: int | None) -> None:
        require(config)
        given = config[0]
        cooperative = _cooperative(given.attributes or 0, given.count)
        extents = tuple(given.grid), tuple(given.block)
        self._launch(kernel, _Request(*extents, given.shared, given.stream, parameters, extra, cooperative))

    @entry("cuLaunchKernel", Handle, *[_UNSIGNED] * 7, Handle, _PARAMETERS, _DATA)
    def _launch_kernel(self, kernel: int, *rest: Any) -> None:
        self._launch(kernel, _Request(rest[:3], rest[3:6], *rest[6:]))

    @entry("cuLaunchCooperativeKernel", Handle, *[_UNSIGNED] * 7, Handle, _PARAMETERS)
    def _launch_cooperative(self, kernel: int, *rest: Any) -> None:
        self._launch(kernel, _Request(rest[:3], rest[3:6], rest[6], rest[7], rest[8], None, True))

    def _launch(self, handle: int, request: _Request) -> None:
        kernel = self.modules.kernel(handle)
        require(not request.extra, Result.CUDA_ERROR_NOT_SUPPORTED)
        stream = self.streams.number(request.stream)
        values = _values(kernel, request.parameters)
        launch = request.launch(pack_parameters(kernel.function, values), self.gpu.limits[PRINT_LIMIT])
        check_limits(kernel, launch)
        note = self.notes.note(kernel.function, launch, values, stream)
        try:
            with self.buffers.visible():
                counted = self.gpu.executor.launch(kernel.module.ptx, kernel.function.name, launch, note)
            self.gpu.clock.launched(stream, counted, note, lambda: kernel.registers)
        except KernelFault as fault:
            self.gpu.pending = fault
            known = Result.__members__.get(fault.error, Result.CUDA_ERROR_LAUNCH_FAILED)
            raise CallFailed(known) from None
        except Exception as problem:
            if not self.notes.is_noted:
                raise
            # Whoever noted the launch raises it again.
            self.gpu.pending = problem
            raise CallFailed(Result.CUDA_ERROR_UNKNOWN) from None


def check_limits(kernel: LoadedKernel, launch: Launch) -> None:
    """Raise CallFailed with the GPU's own result for a launch that it refuses.

    Source: cuLaunchKernel in https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EXEC.html.
    """
    properties = kernel.properties
    for axis, blocks, threads in zip("XYZ", launch.grid, launch.block, strict=True):
        require(0 < blocks <= properties.limit(f"MAX_GRID_DIM_{axis}"))
        require(0 < threads <= properties.limit(f"MAX_BLOCK_DIM_{axis}"))
    threads = launch.threads_in_block
    require(threads <= properties.limit("MAX_THREADS_PER_BLOCK"))
    require(threads <= kernel.launch_bound)
    require(launch.dynamic_shared <= kernel.dynamic_shared_limit)
    if launch.cooperative:
        most = kernel.blocks_per_sm(threads, launch.dynamic_shared) * properties.limit("MULTIPROCESSOR_COUNT")
        require(launch.blocks <= most, Result.CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE)
    elif _may_lack_registers(kernel, threads):
        fits = kernel.blocks_per_sm(threads, launch.dynamic_shared) > 0
        require(fits, Result.CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES)


def _may_lack_registers(kernel: LoadedKernel, threads: int) -> bool:
    """Whether a block of this size needs more registers than there are if each thread needs the most."""
    device = kernel.properties.device
    return threads * (device.max_registers_per_thread or 0) > (device.registers_per_block or 0)


def _values(kernel: LoadedKernel, parameters: Any) -> list[bytes]:
    """The bytes of each parameter, which lie where the entries of `parameters` point to."""
    sizes = [parameter.size for parameter in kernel.function.parameters]
    require(parameters or not sizes)
    for index in range(len(sizes)):
        require(parameters[index])
    return [ctypes.string_at(parameters[index], size) for index, size in enumerate(sizes)]


def _cooperative(attributes: int, count: int) -> bool:
    """Whether the attributes ask for a cooperative launch; raises CallFailed for what changes its meaning."""
    found = False
    for index in range(count):
        at = attributes + index * _ATTRIBUTE_BYTES
        kind = ctypes.c_int.from_address(at).value
        require(kind != _CLUSTER, Result.CUDA_ERROR_NOT_SUPPORTED)
        if kind == _COOPERATIVE:
            found = bool(ctypes.c_int.from_address(at + _VALUE_AT).value)
    return found
