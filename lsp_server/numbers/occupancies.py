"""How many warps of a kernel an SM can hold: on the chosen device, and on all others."""

from __future__ import annotations

from advisor.evidence.metrics.derived.theoretical_occupancy import USUAL_BLOCK
from advisor.model.devices import Device, load_devices
from advisor.model.errors import EvidenceUnavailable
from advisor.model.occupancy import Occupancy, occupancy
from advisor.rules.units import RATIO, format_value
from lsp_server.numbers.cards import Grid
from lsp_server.numbers.rows import BEFORE_EDIT, Row


def occupancy_on(device: Device, kernel: Row, block_threads: float, dynamic: float = 0.0) -> Occupancy | None:
    """The occupancy of a compiled kernel with that block; None where its registers are not known.

    `dynamic` are the bytes of dynamic shared memory of each block.
    """
    registers = kernel.amount("registers")
    if registers is None:
        return None
    try:
        return occupancy(
            device,
            registers=int(registers),
            shared_bytes=int(kernel.amount("shared_bytes") or 0.0),
            block_threads=int(block_threads),
            dynamic_shared_bytes=int(dynamic),
        )
    except (EvidenceUnavailable, ValueError):
        return None


def occupancy_grid(kernel: Row) -> tuple[Grid, ...]:
    """The kernel's occupancy on every known device, with the registers that it has on the chosen one."""
    threads = kernel.amount("block_threads") or USUAL_BLOCK
    rows = []
    for device in load_devices().values():
        found = occupancy_on(device, kernel, threads)
        if found is not None:
            blocks, warps = str(found.resident_blocks), str(found.active_warps)
            rows.append((device.name, blocks, warps, format_value(found.ratio, RATIO), found.limiter))
    head = ("device", "blocks/SM", "warps/SM", "occupancy", "limited by")
    title = f"Occupancy with blocks of {threads:.0f} threads, on every device"
    if kernel.from_before("registers"):
        title += f" (registers {BEFORE_EDIT})"
    return (Grid(title, (head, *rows)),) if rows else ()
