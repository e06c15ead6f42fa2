"""The caches of a launch: what the blocks that are resident together leave of L1."""

from __future__ import annotations

import hashlib

from advisor.evidence.simulated.simt.launch import Launch
from advisor.evidence.simulated.simt.machine import CacheSizes
from advisor.evidence.simulated.simt.vector.kernels import Kernel
from advisor.model.devices import Device
from advisor.model.errors import EvidenceUnavailable
from advisor.model.machine_code.nvjitlink import LinkFailure, assemble
from advisor.model.occupancy import occupancy, shared_allocation
from advisor.model.storage.cache import Cache


class Residency:
    """The caches of launches; `cache` keeps what the assembler says of kernels."""

    def __init__(self, cache: Cache | None) -> None:
        self._cache = cache
        self._registers: dict[tuple[str, str, str], int] = {}

    def caches(self, device: Device, ptx: str, kernel: Kernel, launch: Launch) -> CacheSizes | None:
        """The sizes of a device's caches for a launch, None where they are not known.

        Shared memory of all blocks that are resident comes from the memory of L1.
        """
        if not (device.l1_bytes and device.l2_bytes and device.sm_count):
            return None
        shared = kernel.warp.placement.shared_size + launch.dynamic_shared
        try:
            residents = occupancy(
                device,
                registers=self._registers_of(device, ptx, kernel.function.name),
                shared_bytes=shared,
                block_threads=launch.threads_in_block,
            ).resident_blocks
            taken = max(1, residents) * shared_allocation(device, shared)
        except EvidenceUnavailable:
            residents, taken = 1, shared
        left = max(device.l1_bytes - taken, device.l1_bytes - (device.shared_bytes_per_sm or device.l1_bytes))
        return CacheSizes(left, device.l2_bytes, device.sm_count, max(1, residents))

    def _registers_of(self, device: Device, ptx: str, name: str) -> int:
        """The registers of each thread, 0 where no assembler can tell."""
        place = (device.target, name, ptx)
        if place not in self._registers:
            key = "registers-" + hashlib.sha256("\n".join(place).encode()).hexdigest()
            known = self._cache.get_many([key]).get(key) if self._cache is not None else None
            if not isinstance(known, int):
                known = _assembled(ptx, device)
                if self._cache is not None:
                    self._cache.put_many({key: known})
            self._registers[place] = known
        return self._registers[place]


def _assembled(ptx: str, device: Device) -> int:
    major, minor = (int(part) for part in device.compute_capability.split("."))
    try:
        return assemble(ptx, (major, minor), None)[1].registers
    except (LinkFailure, ImportError, RuntimeError):
        return 0
