"""How many registers a thread would have to save for one more block on each SM."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.devices import Device
from advisor.errors import EvidenceUnavailable
from advisor.metrics.derived.theoretical_occupancy import USUAL_BLOCK
from advisor.occupancy import occupancy
from advisor.records import Reading, Record


def derive(kernels: Sequence[Record], device: Device) -> None:
    """Nothing; adds registers_to_step to compiled kernels that registers limit."""
    for kernel in kernels:
        registers = kernel.readings.get("registers")
        if registers is None:
            continue
        block = kernel.readings.get("block_threads", Reading(USUAL_BLOCK))
        shared = kernel.readings.get("shared_bytes", Reading(0.0))
        try:
            saved = registers_to_step(
                device, int(float(registers.value)), int(float(shared.value)), int(float(block.value))
            )
        except (EvidenceUnavailable, ValueError):
            continue
        kernel.know(
            registers.source, registers.assumptions, registers_to_step=None if saved is None else float(saved)
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
