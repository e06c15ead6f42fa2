"""Limits the registers of a kernel so that one more block is resident on a multiprocessor."""

# /// fix
# title = "Limit the registers so that one more block is resident"
# safety = "needs review"
# rules = ["occupancy-limited-by-registers"]
# needs_kernel = true
# condition = """
# the compiler finds room for all values without spills, the occupancy was computed for the block size that \
# matters; results may differ in the last bits"""
#
# [parameters]
# # A limit below this share of the registers that the compiler chose by itself would probably make it spill.
# least_share = 0.8
# ///

from __future__ import annotations

from dataclasses import dataclass

from advisor.fixes.known_facts import Row
from advisor.fixes.place import Place
from advisor.fixes.support.edits.decorator_options import with_option
from advisor.model.devices import Device, find_device
from advisor.model.errors import EvidenceUnavailable, UsageError
from advisor.model.findings import Edit
from advisor.model.occupancy import occupancy


@dataclass(frozen=True)
class Demand:
    """What each thread and each block of a kernel take."""

    registers: int
    shared_bytes: int
    block_threads: int
    grid_blocks: int | None

    def resident_blocks(self, device: Device, registers: int) -> int:
        """The blocks that are resident at once with another number of registers."""
        return occupancy(
            device,
            registers=registers,
            shared_bytes=self.shared_bytes,
            block_threads=self.block_threads,
        ).resident_blocks


def edits(place: Place) -> list[Edit] | None:
    """The edit of the decorator; None where a limit is given, where it would be far below what the compiler
    uses, so that values would be spilled, where the compiler spills already, and where the grid is too small
    for one more block on each multiprocessor.
    """
    kernel, row, known = place.kernel(), place.kernel_row(), place.facts.device
    demand = _demand(row) if row else None
    if kernel is None or demand is None or known is None:
        return None
    try:
        device = find_device(known.label)
        limit = best_limit(device, demand) if more_blocks_wait(device, demand) else None
    except (UsageError, EvidenceUnavailable):
        return None
    if limit is None or limit < float(place.parameters["least_share"]) * demand.registers:
        return None
    module, function = kernel
    edit = with_option(module, function, "max_registers", str(limit))
    return place.in_file(module, [edit]) if edit else None


def _demand(row: Row) -> Demand | None:
    values = row.values
    if values.get("spill_store_bytes") != 0 or values.get("debug_enabled"):
        return None
    shared = values.get("launch_shared_bytes", values.get("shared_bytes"))
    numbers = (values.get("registers"), shared, values.get("block_threads"))
    found = [int(one) for one in numbers if isinstance(one, float)]
    if len(found) != len(numbers):
        return None
    registers, shared_bytes, block_threads = found
    blocks = values.get("grid_blocks")
    return Demand(registers, shared_bytes, block_threads, int(blocks) if isinstance(blocks, float) else None)


def more_blocks_wait(device: Device, demand: Demand) -> bool:
    """Whether the grid has more blocks than are resident at once; without a run it is taken to."""
    if demand.grid_blocks is None or device.sm_count is None:
        return True
    return demand.grid_blocks > demand.resident_blocks(device, demand.registers) * device.sm_count


def best_limit(device: Device, demand: Demand) -> int | None:
    """The most registers that let one more block be resident, None where fewer registers do not help."""
    now = demand.resident_blocks(device, demand.registers)
    for registers in range(demand.registers - 1, 0, -1):
        if demand.resident_blocks(device, registers) > now:
            return registers
    return None
