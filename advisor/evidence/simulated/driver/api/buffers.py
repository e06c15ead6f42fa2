"""The buffers that the program owns on the simulated GPU, and host memory that it made visible to it."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal, TypeAlias

from advisor.evidence.simulated.driver.gpu import Gpu, require
from advisor.evidence.simulated.driver.results import Result

Kind: TypeAlias = Literal["device", "host", "managed"]


@dataclass
class _Registered:
    """Host memory of the program's own; `device` is where kernels see it, 0 until that was asked for."""

    address: int
    size: int
    device: int = 0


class Buffers:
    """Who owns which address; device memory is host memory, so addresses hold on both sides.

    Registered host memory lies outside of what kernels may access. It has a copy there for the time of each
    launch; outside of launches the host's is the valid one.
    """

    def __init__(self, gpu: Gpu) -> None:
        self.memory = gpu.executor.memory
        self.total_bytes = int(gpu.properties.device.dram_bytes or 0)
        self._kinds: dict[int, Kind] = {}
        self._registered: dict[int, _Registered] = {}
        self._device_bytes = 0

    @property
    def free_bytes(self) -> int:
        """What is left of the device's memory, in bytes."""
        return self.total_bytes - self._device_bytes

    def allocate(self, size: int, kind: Kind) -> int:
        """The address of a new buffer; raises CallFailed without size or memory on the device."""
        require(size > 0)
        on_device = size if kind != "host" else 0
        require(on_device <= self.free_bytes, Result.CUDA_ERROR_OUT_OF_MEMORY)
        address = self.memory.allocate(size, empty=kind == "device")
        self._kinds[address] = kind
        self._device_bytes += on_device
        return address

    def free(self, address: int, kinds: Sequence[Kind]) -> None:
        """Give back a buffer of one of `kinds`. Raises CallFailed where none begins."""
        require(self._kinds.get(address) in kinds)
        if self._kinds.pop(address) != "host":
            self._device_bytes -= self.memory.size_of(address)
        self.memory.free(address)

    def register(self, address: int, size: int) -> None:
        """Make host memory of the program visible to kernels. Raises CallFailed when it is."""
        require(address and size)
        taken = any(
            address < known.address + known.size and known.address < address + size
            for known in self._registered.values()
        )
        require(not taken, Result.CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED)
        self._registered[address] = _Registered(address, size)

    def unregister(self, address: int) -> None:
        """Raise CallFailed for memory that is not registered."""
        require(address in self._registered, Result.CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED)
        known = self._registered.pop(address)
        if known.device:
            self.memory.free(known.device)

    def device_address(self, address: int) -> int:
        """Where kernels see a pinned or registered address; raises CallFailed for another one."""
        known = self._registered_at(address)
        if known is None:
            require(self.kind(address) in ("host", "managed"))
            return address
        if not known.device:
            known.device = self.memory.allocate(known.size)
        return known.device + address - known.address

    def kind(self, address: int) -> Kind | None:
        """Whose memory an address lies in, None for none of the driver's."""
        start = self.memory.start_of(address)
        if start is None or not _within(start, self.memory.size_of(start), address):
            known = self._registered_at(address)
            return "host" if known else None
        return self._kinds.get(start, "device")

    def range_of(self, address: int) -> tuple[int, int] | None:
        """Begin and size of the buffer that an address lies in, None for none."""
        start = self.memory.start_of(address)
        return None if start is None else (start, self.memory.size_of(start))

    def place(self, address: int, size: int) -> int:
        """Where in the host the bytes at a device address are; raises CallFailed where there are none."""
        if size == 0:
            return address
        mirrored = self._mirrored(address)
        if mirrored is not None:
            require(address + size <= mirrored.device + mirrored.size)
            return mirrored.address + address - mirrored.device
        found = self.range_of(address)
        require(found is not None and address + size <= found[0] + found[1])
        return address

    def host_place(self, address: int) -> int:
        """Where in the host the bytes at an address of either side are."""
        mirrored = self._mirrored(address)
        return address if mirrored is None else mirrored.address + address - mirrored.device

    @contextmanager
    def visible(self) -> Iterator[None]:
        """Within it, kernels see the registered memory; what they wrote to it is in the host afterwards."""
        mirrored = [known for known in self._registered.values() if known.device]
        for known in mirrored:
            ctypes.memmove(known.device, known.address, known.size)
        try:
            yield
        finally:
            for known in mirrored:
                ctypes.memmove(known.address, known.device, known.size)

    def _mirrored(self, address: int) -> _Registered | None:
        for known in self._registered.values():
            if known.device and _within(known.device, known.size, address):
                return known
        return None

    def _registered_at(self, address: int) -> _Registered | None:
        for known in self._registered.values():
            if _within(known.address, known.size, address):
                return known
        return None


def _within(begin: int, size: int, address: int) -> bool:
    return begin <= address < begin + size
