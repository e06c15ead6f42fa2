"""Theoretical occupancy and its limiter, from registers, shared memory and block size."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.devices import Device
from advisor.errors import EvidenceUnavailable
from advisor.occupancy import occupancy
from advisor.records import Reading, Record

# The block size that most launches of real code use; taken, and said so, where the launch is not known.
USUAL_BLOCK = 256.0


def derive(kernels: Sequence[Record], device: Device) -> None:
    """Nothing; adds theoretical_occupancy, occupancy_limiter and resident_blocks to compiled kernels."""
    for kernel in kernels:
        registers = kernel.readings.get("registers")
        if registers is None:
            continue
        block = kernel.readings.get("block_threads")
        shared = kernel.readings.get("shared_bytes", Reading(0.0))
        threads = block.value if block is not None else USUAL_BLOCK
        assumptions = registers.assumptions
        if block is None:
            assumptions = (
                *assumptions,
                f"The block size is not known; {USUAL_BLOCK:.0f} threads are assumed.",
            )
        try:
            found = occupancy(
                device,
                registers=int(float(registers.value)),
                shared_bytes=int(float(shared.value)),
                block_threads=int(float(threads)),
            )
        except (EvidenceUnavailable, ValueError):
            continue
        kernel.know(
            registers.source,
            assumptions,
            theoretical_occupancy=found.ratio,
            occupancy_limiter=found.limiter,
            resident_blocks=float(found.resident_blocks),
        )
