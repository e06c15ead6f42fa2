"""The predicted times and the occupancy of Triton's kernels, by the models of Numba's kernels.

Both hold for machine code and counts, whoever compiled them. What only the models need is no metric of a
Triton kernel and is left out of its record.
"""

from __future__ import annotations

from collections.abc import Mapping

from advisor.evidence.metrics.derived import derive_all
from advisor.model.devices import Device
from advisor.model.records import Record

_DERIVED = (
    "theoretical_occupancy", "occupancy_limiter", "resident_blocks", "achieved_occupancy", "predicted_ms",
    "time_limiter",
)  # fmt: skip
# Readings of a launch that are metrics of a Triton kernel too.
_SHARED = (
    "registers", "spill_store_bytes", "spill_load_bytes", "shared_bytes", "launches",
    "global_sectors_per_request", "coalescing_efficiency", "shared_ways", "dram_bytes", "flops",
)  # fmt: skip


def note_triton_times(merged: Mapping[str, Mapping[str, Record]], device: Device) -> None:
    """Add occupancy and times to the Triton kernels whose launches were counted."""
    for record in merged.get("triton_kernel", {}).values():
        if "grid_blocks" not in record.readings:
            continue
        counted = record.readings
        kernel = Record("kernel", record.key, record.path, record.span, record.label, None, dict(counted))
        derive_all([kernel], device)
        raw = {
            name
            for name, reading in counted.items()
            if reading.source in ("simulated", "compiled") and name not in (*_SHARED, *_OWN)
        }
        for name in raw:
            del record.readings[name]
        for name in _DERIVED:
            if name in kernel.readings:
                record.readings[name] = kernel.readings[name]


# What only Triton's kernels are told.
_OWN = ("programs", "warps", "active_lanes")
