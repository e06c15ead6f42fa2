"""How long a launch takes, to tell which launches of a kernel its time lies in."""

from __future__ import annotations

from dataclasses import replace

from advisor.evidence.metrics.derived import theoretical_occupancy, timing
from advisor.evidence.simulated.launches.readings.kernel_readings import SECTOR, kernel_readings
from advisor.evidence.simulated.simt.counts import Statistics
from advisor.model.devices import Device
from advisor.model.records import Record
from advisor.model.text.source_text import Span

# Registers of a thread; the same for all launches that are compared.
ASSUMED_REGISTERS = 32.0


def launch_weight(counted: Statistics, device: Device) -> tuple[float, float]:
    """The predicted seconds of what ran of a launch, and its lane instructions.

    The time is the predicted one, with what accesses cost in the caches. Of a launch that was not looked at
    access by access it is the least: each touched sector comes from DRAM and from L2 once, and no load waits
    for them. It is 0 where the device's clock or caches are unknown.
    """
    ran = replace(counted, blocks=counted.blocks_run, ended=True)
    record = Record("kernel", "", "", Span(1), "")
    touched = float(counted.loaded_sectors + counted.stored_sectors)
    record.know("simulated", (), dram_bytes=touched * SECTOR, l2_sectors=touched)
    record.know("simulated", (), loads_past_l1=0.0, loads_past_l2=0.0)
    record.know("simulated", (), **kernel_readings(ran, device, counted.detailed > 0))
    record.know("compiled", (), registers=ASSUMED_REGISTERS, shared_bytes=float(counted.shared_bytes))
    theoretical_occupancy.derive([record], device)
    timing.derive([record], device)
    predicted = record.value("predicted_ms")
    seconds = predicted / 1e3 if isinstance(predicted, float) else 0.0
    return seconds, float(counted.lane_instructions)
