"""Theoretical occupancy and its limiter, from registers, shared memory and block size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from advisor.model.devices import Device
from advisor.model.errors import EvidenceUnavailable
from advisor.model.occupancy import occupancy
from advisor.model.records import Reading, Record, Source, weakest

# The block size that most launches of real code use; taken, and said so, where the launch is not known.
USUAL_BLOCK = 256.0


def derive(kernels: Sequence[Record], device: Device) -> None:
    """Add theoretical_occupancy, occupancy_limiter and resident_blocks to kernels with known
    registers.
    """
    for kernel in kernels:
        needs = needs_of(kernel)
        if needs is None:
            continue
        try:
            found = occupancy(
                device,
                registers=needs.registers,
                shared_bytes=needs.shared_bytes,
                block_threads=needs.block_threads,
            )
        except (EvidenceUnavailable, ValueError):
            continue
        kernel.know(
            needs.source,
            needs.assumptions,
            theoretical_occupancy=found.ratio,
            occupancy_limiter=found.limiter,
            resident_blocks=float(found.resident_blocks),
        )


@dataclass(frozen=True)
class Needs:
    """What a block needs of a multiprocessor, the weakest source of these numbers, and what was assumed."""

    registers: int
    shared_bytes: int
    block_threads: int
    source: Source
    assumptions: tuple[str, ...]


def needs_of(kernel: Record) -> Needs | None:
    """What a block of a kernel needs; None without its registers.

    A block size or shared memory that is not known is assumed and said: what follows is not measured then.
    """
    registers = kernel.readings.get("registers")
    if registers is None:
        return None
    block, shared = kernel.readings.get("block_threads"), _shared(kernel)
    assumptions = list(registers.assumptions)
    if block is None:
        assumptions.append(f"The block size is not known; {USUAL_BLOCK:.0f} threads are assumed.")
    if shared is None and registers.source == "measured":
        assumptions.append("The shared memory of a block is not known; none is assumed.")
    known = [one for one in (registers, block, shared) if one is not None]
    source = weakest(*known)
    if source == "measured" and len(known) < 3:
        source = "assumed"
    return Needs(
        int(float(registers.value)),
        int(float(shared.value)) if shared is not None else 0,
        int(float(block.value)) if block is not None else int(USUAL_BLOCK),
        source,
        tuple(assumptions),
    )


def _shared(kernel: Record) -> Reading | None:
    """The shared memory of a block: that of its launch, with what is dynamic, where it is measured."""
    launched = kernel.readings.get("launch_shared_bytes")
    if launched is not None and launched.source == "measured":
        return launched
    return kernel.readings.get("shared_bytes")
