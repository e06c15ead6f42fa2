"""How many registers a thread would have to save for one more block on each SM."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.evidence.metrics.derived.theoretical_occupancy import needs_of
from advisor.model.devices import Device
from advisor.model.errors import EvidenceUnavailable
from advisor.model.occupancy import occupancy
from advisor.model.records import Record


def derive(kernels: Sequence[Record], device: Device) -> None:
    """Add registers_to_step to compiled kernels that registers limit."""
    for kernel in kernels:
        needs = needs_of(kernel)
        if needs is None:
            continue
        try:
            saved = registers_to_step(device, needs.registers, needs.shared_bytes, needs.block_threads)
        except (EvidenceUnavailable, ValueError):
            continue
        kernel.know(
            needs.source, needs.assumptions, registers_to_step=None if saved is None else float(saved)
        )


def registers_to_step(device: Device, registers: int, shared_bytes: int, block_threads: int) -> int | None:
    """The fewest registers that a thread must save for another resident block, None where registers are not
    what limits their number. Raises as `occupancy` does.
    """

    def blocks(count: int) -> int:
        found = occupancy(device, registers=count, shared_bytes=shared_bytes, block_threads=block_threads)
        return found.resident_blocks

    now = blocks(registers)
    return next((registers - fewer for fewer in range(registers - 1, 0, -1) if blocks(fewer) > now), None)
