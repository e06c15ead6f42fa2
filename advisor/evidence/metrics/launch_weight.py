"""How long launches of one kernel take, to tell which of them takes longest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from advisor.evidence.metrics.derived import theoretical_occupancy
from advisor.evidence.metrics.derived.timing import resource_times
from advisor.evidence.simulated.launches.kernel_readings import SECTOR, kernel_readings
from advisor.evidence.simulated.simt.counts import Statistics
from advisor.model.devices import Device
from advisor.model.records import Record
from advisor.model.text.source_text import Span

# Registers of a thread; the same for all launches that are compared.
_REGISTERS = 32.0


def launch_weight(
    counted: Statistics, arguments: Sequence[Mapping[str, Any]], device: Device
) -> tuple[float, float]:
    """The predicted seconds of what ran of a launch, and its lane instructions.

    The seconds are those that all resources need, one after another: of launches that the same resource
    limits, that with more work of the others takes longer. Only what is counted in every launch goes into
    them: hit rates, known of few launches, do not, and each touched sector comes from DRAM once. They are 0
    where the device's clock or caches are unknown.
    """
    ran = replace(counted.without_close_look(), blocks=counted.blocks_run, ended=True)
    record = Record("kernel", "", "", Span(1), "")
    record.know("simulated", (), **kernel_readings(ran, device, False, arguments))
    touched = counted.loaded_sectors + counted.stored_sectors
    record.know("compiled", (), registers=_REGISTERS, shared_bytes=float(counted.shared_bytes))
    record.know("simulated", (), dram_bytes=float(touched * SECTOR))
    theoretical_occupancy.derive([record], device)
    times = resource_times(record, device)
    return sum(times.values()), float(counted.lane_instructions)
