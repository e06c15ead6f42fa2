"""Theoretical occupancy: how many warps of a kernel one SM can hold, and which resource sets the limit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from advisor.model.devices import Device
from advisor.model.errors import EvidenceUnavailable

Limiter: TypeAlias = Literal["warps", "blocks", "registers", "shared memory"]

# Of several resources with the same limit the first is named: lowering a later one would gain nothing.
_LIMITERS: tuple[Limiter, ...] = ("warps", "blocks", "registers", "shared memory")


@dataclass(frozen=True)
class Occupancy:
    """How many blocks and warps of a kernel are resident on one SM, and why not more.

    `ratio` is resident warps over the SM's maximum. `limits` gives the blocks that each resource alone would
    allow; a resource that the kernel does not use is absent. `limiter` is the resource with the lowest limit.
    With a limit of 0 the block cannot be launched.
    """

    resident_blocks: int
    active_warps: int
    ratio: float
    limiter: Limiter
    limits: Mapping[Limiter, int]


def occupancy(
    device: Device, *, registers: int, shared_bytes: int, block_threads: int, dynamic_shared_bytes: int = 0
) -> Occupancy:
    """The theoretical occupancy of a kernel on `device`.

    `registers` are for each thread; `shared_bytes` is the kernel's static shared memory for each block,
    without what the system reserves; the block may use all the shared memory that the device allows after
    opting in. Raises ValueError for a block without threads or negative sizes, EvidenceUnavailable when the
    device file lacks a number.

    Source: cuda_occupancy.h of the CUDA toolkit, cudaOccMaxActiveBlocksPerMultiprocessor,
    https://gitlab.com/nvidia/headers/cuda-individual/cudart/-/blob/main/cuda_occupancy.h
    """
    if block_threads < 1 or min(registers, shared_bytes, dynamic_shared_bytes) < 0:
        raise ValueError("A block has at least one thread, and registers and shared memory are not negative.")
    warps = _ceil_divide(block_threads, _number(device, "warp_size"))
    max_warps = _number(device, "max_warps_per_sm")
    limits: dict[Limiter, int] = {
        "warps": max_warps // warps if block_threads <= _number(device, "max_threads_per_block") else 0,
        "blocks": _number(device, "max_blocks_per_sm"),
    }
    if registers:
        limits["registers"] = _blocks_by_registers(device, registers, warps)
    if shared := shared_bytes + dynamic_shared_bytes:
        limits["shared memory"] = _blocks_by_shared_memory(device, shared)
    blocks = min(limits.values())
    return Occupancy(
        resident_blocks=blocks,
        active_warps=blocks * warps,
        ratio=blocks * warps / max_warps,
        limiter=next(limiter for limiter in _LIMITERS if limits.get(limiter) == blocks),
        limits=limits,
    )


def _blocks_by_registers(device: Device, registers: int, warps: int) -> int:
    unit = _number(device, "register_allocation_unit")
    partitions = _number(device, "warp_allocation_granularity")
    for_each_warp = _round_up(registers * _number(device, "warp_size"), unit)
    # A launch is checked as if every sub-partition held the same number of the block's warps.
    for_the_launch = for_each_warp * _round_up(warps, partitions)
    if registers > _number(device, "max_registers_per_thread") or for_the_launch > _number(
        device, "registers_per_block"
    ):
        return 0
    warps_in_partition = _number(device, "registers_per_sm") // partitions // for_each_warp
    return warps_in_partition * partitions // warps


def _blocks_by_shared_memory(device: Device, shared: int) -> int:
    allocated = shared_allocation(device, shared)
    if allocated > _number(device, "shared_bytes_per_block") + _number(device, "reserved_shared_bytes"):
        return 0
    return _number(device, "shared_bytes_per_sm") // allocated


def shared_allocation(device: Device, shared_bytes: int) -> int:
    """The bytes of shared memory that a block takes of an SM, with what the system reserves for it.

    Raises EvidenceUnavailable when the device file lacks a number.
    """
    reserved = _number(device, "reserved_shared_bytes")
    return _round_up(shared_bytes + reserved, _number(device, "shared_allocation_unit"))


def _number(device: Device, fact: str) -> int:
    value = getattr(device, fact)
    if value is None:
        raise EvidenceUnavailable(
            f"The occupancy on {device.name} is unknown: its device file has no {fact}.",
            f"Add {fact} with its source to knowledge/devices/{device.id}.toml.",
        )
    return int(value)


def _ceil_divide(value: int, unit: int) -> int:
    return -(-value // unit)


def _round_up(value: int, unit: int) -> int:
    return _ceil_divide(value, unit) * unit
