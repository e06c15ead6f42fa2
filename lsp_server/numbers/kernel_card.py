"""The card of a kernel: what it takes, how much of an SM it fills, and what a recorded launch did."""

from __future__ import annotations

from lsp_server.numbers.cards import Card, Quantities
from lsp_server.numbers.occupancies import occupancy_grid
from lsp_server.numbers.rows import Row

_RESOURCES = (
    "registers",
    "shared_bytes",
    "local_bytes",
    "spill_store_bytes",
    "spill_load_bytes",
    "instructions",
    "fp64_instructions",
)
# What a kernel has none of is not told.
_ABSENT_AT_ZERO = frozenset(_RESOURCES) - {"registers", "instructions"}
_OCCUPANCY = (
    "block_threads",
    "theoretical_occupancy",
    "occupancy_limiter",
    "resident_blocks",
    "achieved_occupancy",
)
_LAUNCH = (
    "grid_blocks",
    "predicted_ms",
    "time_limiter",
    "ai_flops_per_byte",
    "dram_bytes",
    "l1_hit_rate",
    "l2_hit_rate",
    "warp_execution_efficiency",
    "barriers_per_block",
)
_MEASURED = (
    "time_mean_ms",
    "time_cv",
    "timed_launches",
    "memory_throughput",
    "sm_throughput",
    "achieved_bandwidth",
    "achieved_flop_rate",
)


def kernel_card(kernel: Row, quantities: Quantities) -> Card:
    """What is known of a kernel."""
    compiled = kernel.value("registers") is not None
    resources = [name for name in _RESOURCES if name not in _ABSENT_AT_ZERO or kernel.value(name) != 0.0]
    grids = (
        *quantities.grid("Resources", kernel, resources),
        *quantities.grid("Occupancy", kernel, _OCCUPANCY),
        *quantities.grid("Recorded launch", kernel, _LAUNCH),
        *quantities.grid("Measured", kernel, _MEASURED),
        *occupancy_grid(kernel),
    )
    unknown = () if compiled else ("Registers and occupancy are known once the kernel has been compiled.",)
    told = kernel.assumptions((*_RESOURCES, *_OCCUPANCY, *_LAUNCH, *_MEASURED))
    return Card(kernel.label, "kernel", unknown, grids, told)
