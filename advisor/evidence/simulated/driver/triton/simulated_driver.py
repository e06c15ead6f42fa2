"""The driver that Triton asks for the GPU: the simulated one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from triton.backends.compiler import GPUTarget
from triton.backends.driver import DriverBase

from advisor.evidence.simulated.driver.triton.launcher import Launcher, Machine
from advisor.model.machine_code.nvjitlink import Resources

_DEFAULT_STREAM = 0
# Triton's words for properties, with those of the driver's interface.
_PROPERTIES = {
    "max_shared_mem": "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN",
    "max_num_regs": "MAX_REGISTERS_PER_BLOCK",
    "multiprocessor_count": "MULTIPROCESSOR_COUNT",
    "warpSize": "WARP_SIZE",
    "sm_clock_rate": "CLOCK_RATE",
    "mem_clock_rate": "MEMORY_CLOCK_RATE",
    "mem_bus_width": "GLOBAL_MEMORY_BUS_WIDTH",
}


class SimulatedDriver(DriverBase):  # type: ignore[misc]
    """Compiles for the simulated GPU and launches there."""

    def __init__(self, machine: Machine) -> None:
        super().__init__()
        self._machine = machine
        self.utils = Utilities(machine)
        self.launcher_cls = self._launcher

    def _launcher(self, source: Any, metadata: Any) -> Launcher:
        launcher = Launcher(self._machine, source, metadata)
        self.utils.prepared = launcher
        return launcher

    @classmethod
    def is_active(cls) -> bool:
        """Whether there is a GPU."""
        return True

    def get_current_target(self) -> GPUTarget:
        """What kernels are compiled for."""
        major, minor = self.get_device_capability()
        return GPUTarget("cuda", 10 * major + minor, 32)

    def get_device_capability(self, _device: int = 0) -> tuple[int, int]:
        """Major and minor number of the compute capability."""
        return self._machine.gpu.properties.capability

    def get_current_device(self) -> int:
        """The one device."""
        return 0

    def set_current_device(self, _device: int) -> None:
        """Leave the one device the current one."""

    def get_current_stream(self, _device: int = 0) -> int:
        """The default stream."""
        return _DEFAULT_STREAM

    def map_python_to_cpp_type(self, ty: str) -> str:
        """Triton's own name; no launcher is compiled here."""
        return ty

    def get_active_torch_device(self) -> Any:
        """Where PyTorch's tensors are: on the simulated GPU too, where it says that there is one."""
        import torch

        return torch.device("cuda", 0) if torch.cuda.is_available() else torch.device("cpu")

    def get_device_interface(self) -> DeviceInterface:
        """What `triton.testing.do_bench` measures with."""
        return DeviceInterface(self._machine)

    def get_empty_cache_for_benchmark(self) -> None:
        """Nothing: a predicted time needs no cache to be emptied."""

    def clear_cache(self, cache: None) -> None:
        """Do nothing."""

    def get_benchmarker(self) -> Callable[..., Any]:
        """What gives the predicted time of a call in ms, for each of the quantiles."""
        return partial(_predicted, self._machine)


class Utilities:
    """What Triton asks of a backend's native module."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self.prepared: Launcher | None = None

    def load_binary(
        self, _name: str, _binary: bytes, _shared: int, _device: int
    ) -> tuple[int, int, int, int, int]:
        """Numbers of module and kernel, registers, spilled words and the most threads of a kernel.

        It is the one whose launcher was made last: Triton makes this and then loads the kernel.
        """
        gpu = self._machine.gpu
        found = self.prepared.code.loaded.resources if self.prepared is not None else ""
        registers, spilled = (
            (found.registers, found.spill_store_bytes // 4) if isinstance(found, Resources) else (0, 0)
        )
        most = gpu.properties.limit("MAX_THREADS_PER_BLOCK")
        return gpu.handle(), gpu.handle(), registers, spilled, most

    def unload_module(self, _module: int) -> None:
        """Keep the module."""

    def get_device_properties(self, _device: int) -> dict[str, int]:
        """What Triton asks of a device, as far as it is known."""
        known = self._machine.gpu.properties.attributes
        return {ours: known[name] for ours, name in _PROPERTIES.items() if name in known}


def _predicted(
    machine: Machine, call: Callable[[], Any], quantiles: Sequence[float] | None = None, **_options: Any
) -> Any:
    """The time of a call in ms: predicted for the device, or on the host without a predictor."""
    clock = machine.gpu.clock
    clock.start()
    begin = clock.ready(_DEFAULT_STREAM)
    call()
    milliseconds = clock.ready(_DEFAULT_STREAM) - begin
    clock.tell()
    return [milliseconds] * len(quantiles) if quantiles is not None else milliseconds


class DeviceInterface:
    """The part of `torch.cuda` that measuring needs."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def Event(self, **_options: Any) -> Event:
        """A new event."""
        return Event(self._machine)

    def synchronize(self) -> None:
        """Wait for the GPU, whose work is done when it was given."""
        self._machine.gpu.clock.host_waits()


class Event:
    """An event in the default stream."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._at = 0.0

    def record(self) -> None:
        """Note the time."""
        self._machine.gpu.clock.start()
        self._at = self._machine.gpu.clock.ready(_DEFAULT_STREAM)

    def synchronize(self) -> None:
        """Wait for the event."""
        self._machine.gpu.clock.host_waits(self._at)

    def elapsed_time(self, end: Event) -> float:
        """The ms from this event to another one, predicted."""
        self._machine.gpu.clock.tell()
        return end._at - self._at
