"""What the time of a launch is computed from: its counts, as plain numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields

from advisor.model.records import Record

WARP = 32


@dataclass(frozen=True, slots=True)
class LaunchCounts:
    """The counts of one launch on one device; None for what is not known.

    Each is the kernel's metric of the same name (`knowledge/metrics/kernel.rules`). `registers`,
    `shared_bytes` (of a block, dynamic memory included) and `block_threads` are what the occupancy follows
    from; the other counts are totals of the launch, but for those of a warp and for shares.
    """

    grid_blocks: float | None = None
    block_threads: float | None = None
    registers: float | None = None
    shared_bytes: float | None = None
    resident_blocks: float | None = None
    theoretical_occupancy: float | None = None
    warp_balance: float | None = None
    warp_execution_efficiency: float | None = None

    issue_slots: float | None = None
    fp32_slots: float | None = None
    fp64_slots: float | None = None
    multiply_slots: float | None = None
    special_slots: float | None = None
    tensor_work: float | None = None
    chained_arithmetic_steps: float | None = None
    chained_fp64_steps: float | None = None
    chained_special_steps: float | None = None
    chained_shared_steps: float | None = None
    chained_issue_steps: float | None = None

    memory_requests: float | None = None
    load_requests: float | None = None
    load_sectors: float | None = None
    load_lines: float | None = None
    load_wavefronts: float | None = None
    store_lines: float | None = None
    partial_store_lines: float | None = None
    shared_wavefronts: float | None = None
    joined_wavefronts: float | None = None
    constant_addresses: float | None = None
    l1_sectors: float | None = None
    l2_sectors: float | None = None
    dram_bytes: float | None = None
    needed_load_sectors: float | None = None
    needed_dram_bytes: float | None = None
    hottest_element_updates: float | None = None
    hottest_slice_sectors: float | None = None

    loads_per_warp: float | None = None
    load_rounds_per_warp: float | None = None
    loads_past_l1: float | None = None
    loads_past_l2: float | None = None
    stores_per_warp: float | None = None

    @property
    def is_complete(self) -> bool:
        """Whether the counts that a time is made of are known.

        What a launch moves behind L1 is often most of its time. It is unknown on another device than that of
        the record, and where no access was looked at.
        """
        moved = self.l2_sectors is not None and self.dram_bytes is not None
        return self.issue_slots is not None and (moved or not self.l1_sectors)

    @property
    def store_sectors(self) -> float | None:
        """The sectors that stores and atomic operations ask for."""
        known = self.l1_sectors is not None and self.load_sectors is not None
        return max(0.0, (self.l1_sectors or 0.0) - (self.load_sectors or 0.0)) if known else None

    @property
    def warps(self) -> float | None:
        """The warps of the launch."""
        if self.grid_blocks is None or self.block_threads is None:
            return None
        return self.grid_blocks * math.ceil(self.block_threads / WARP)

    @property
    def chained_steps(self) -> Mapping[str, float | None]:
        """The steps of the longest chains of dependent instructions of a warp, by what they wait for."""
        return {
            "arithmetic": self.chained_arithmetic_steps,
            "fp64": self.chained_fp64_steps,
            "special": self.chained_special_steps,
            "shared": self.chained_shared_steps,
            "issue": self.chained_issue_steps,
        }


_NAMES = tuple(one.name for one in fields(LaunchCounts))


def counts_of(kernel: Record) -> LaunchCounts:
    """The counts of the launch that a kernel's record tells of."""
    readings = kernel.readings
    known = {name: readings[name].value for name in _NAMES if name in readings}
    counts = {name: float(value) for name, value in known.items() if isinstance(value, int | float)}
    launched = kernel.value("launch_shared_bytes")
    if isinstance(launched, int | float):
        counts["shared_bytes"] = float(launched)
    return LaunchCounts(**counts)
