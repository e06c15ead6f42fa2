"""The predicted times and the occupancy of Triton's kernels, by the models of Numba's kernels.

Both hold for machine code and counts, whoever compiled them. What only the models need stays in the record
too, though it is no metric of a Triton kernel: what remedies gain is computed from it.
"""

from __future__ import annotations

from collections.abc import Mapping

from advisor.evidence.metrics.derived import derive_all
from advisor.model.devices import Device
from advisor.model.records import Record


def note_triton_times(merged: Mapping[str, Mapping[str, Record]], device: Device) -> None:
    """Add occupancy and times to the Triton kernels whose launches were counted, and occupancy to those whose
    code is known by launches that were made up.
    """
    for record in merged.get("triton_kernel", {}).values():
        if "block_threads" in record.readings:
            derive_all([record], device)
