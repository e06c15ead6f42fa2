"""Predicted times of single launches and copies, while a program runs."""

from __future__ import annotations

import math
from typing import TypeAlias

from advisor.evidence.metrics.derived import theoretical_occupancy, timing
from advisor.evidence.metrics.launch_weight import ASSUMED_REGISTERS, launch_weight
from advisor.evidence.metrics.times import resources
from advisor.evidence.simulated.driver.executor import LaunchNote
from advisor.evidence.simulated.driver.predicted_clock import Copy
from advisor.evidence.simulated.launches.readings.kernel_readings import kernel_readings
from advisor.evidence.simulated.simt.counts import Statistics
from advisor.model.devices import Device
from advisor.model.records import Record
from advisor.model.text.source_text import Span

# A bandwidth of the bus is that of both directions together in NVIDIA's data sheets.
_DIRECTIONS = 2.0
_Work: TypeAlias = "tuple[int, int]"


class PredictedTimes:
    """The time model for launches as they come.

    What accesses cost in the caches is known of launches that are looked at closely. For another it is taken
    from the one of its shape that counted nearest to it; without one each sector is taken to come from L2
    and from DRAM once. Where the assembler says nothing of a kernel's registers, 32 are taken.
    """

    def __init__(self, device: Device) -> None:
        self.device = device
        self._looked: dict[object, dict[_Work, Statistics]] = {}

    def seen(self, counted: Statistics, note: LaunchNote) -> None:
        """Keep what a launch counted if it was looked at closely."""
        if counted.detailed:
            self._looked.setdefault(_shape(note), {})[_work(counted)] = counted

    def launch_ms(self, counted: Statistics, note: LaunchNote, registers: int | None) -> float | None:
        """The predicted time of a launch in ms, from the end of the one before it; None where it was not run
        to its end.
        """
        looked = self._looked.get(_shape(note))
        if not counted.detailed and looked:
            own = _work(counted)
            nearest = min(looked, key=lambda known: _distance(known, own))
            counted = counted.with_close_look_of(looked[nearest])
        found = self._milliseconds(counted, registers)
        if found is None:
            found = launch_weight(counted, self.device)[0] * 1e3
        return found + resources.launch_time(self.device) * 1e3 if found else None

    def _milliseconds(self, counted: Statistics, registers: int | None) -> float | None:
        record = Record("kernel", "", "", Span(1), "")
        record.know("simulated", (), **kernel_readings(counted, self.device, True))
        known = ASSUMED_REGISTERS if registers is None else float(registers)
        record.know("compiled", (), registers=known, shared_bytes=float(counted.shared_bytes))
        theoretical_occupancy.derive([record], self.device)
        timing.derive([record], self.device)
        reading = record.readings.get("predicted_ms")
        return None if reading is None else float(reading.value)

    def copy_ms(self, kind: Copy, size: int) -> float | None:
        """The time of a copy: over the bus at its bandwidth in one direction, else at what DRAM attains,
        where a copy reads and writes. None where the device's bandwidth is unknown.
        """
        if kind == "bus":
            bus = self.device.pcie_bandwidth
            return None if bus is None else size / (bus / _DIRECTIONS) * 1e3
        rate = resources.dram_rate(self.device)
        moved = size * (2 if kind == "device" else 1)
        return None if rate is None else moved / rate * 1e3


# How processes of this program are told to predict times.
NAME = f"{__name__}:{PredictedTimes.__name__}"


def _work(counted: Statistics) -> _Work:
    """The instructions of warps and the sectors of a launch."""
    return counted.warp_instructions, sum(one.sectors for one in counted.accesses)


def _distance(one: _Work, other: _Work) -> float:
    return sum(abs(math.log((1 + mine) / (1 + its))) for mine, its in zip(one, other, strict=True))


def _shape(note: LaunchNote) -> object:
    shapes = tuple((one.type, one.shape, one.strides) for one in note.arguments)
    return (note.file, note.line, note.function, note.grid, note.block, note.dynamic_shared, shapes)
