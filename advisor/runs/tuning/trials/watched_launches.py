"""Launches of one run on the SIMT machine, and the predicted time of each kernel's heaviest one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from advisor.evidence.metrics.derived import derive_all
from advisor.evidence.metrics.launch_weight import launch_weight
from advisor.evidence.simulated.driver.executor import KernelFault, LaunchNote, Place
from advisor.evidence.simulated.launches.outcome import Outcome
from advisor.evidence.simulated.launches.readings.kernel_readings import kernel_readings
from advisor.evidence.simulated.launches.simt_executor import Limits, SimtExecutor
from advisor.evidence.simulated.simt.counts import Statistics
from advisor.evidence.simulated.simt.launch import Launch
from advisor.model.devices import Device
from advisor.model.machine_code.nvjitlink import LinkFailure, assemble
from advisor.model.records import Record, Value
from advisor.model.storage.cache import Cache
from advisor.model.text.source_text import Span
from advisor.runs.tuning.trials.launch_outputs import OutputListener


@dataclass(frozen=True)
class _Heaviest:
    """The launch of a kernel that is predicted to take longest, as `advisor check` looks at it."""

    note: LaunchNote
    ptx: str
    counted: Statistics
    weight: tuple[float, float]


class WatchedExecutor:
    """Runs launches on the SIMT machine and remembers the heaviest of each kernel.

    `outputs` is shown the arrays of each launch; without it nothing is looked at. `fault` says what ended the
    latest launch that failed; what Numba raises then says less.
    """

    def __init__(self, device: Device, seconds: float, cache: Cache | None) -> None:
        self._inner = SimtExecutor(device, self._listen, Limits(threads=1, seconds=seconds), cache)
        self.memory = self._inner.memory
        self._device = device
        self._heaviest: dict[tuple[str, str], _Heaviest] = {}
        self._last: Outcome | None = None
        self.outputs: OutputListener | None = None
        self.fault = ""
        self.defects: list[tuple[str, str, int]] = []

    def launch(self, ptx: str, kernel: str, launch: Launch, note: LaunchNote) -> Statistics:
        """Run the grid; what was counted. Raises KernelFault as the SIMT machine does."""
        self._last = None
        try:
            counted = self._inner.launch(ptx, kernel, launch, note)
        except KernelFault as fault:
            self.fault = str(fault)
            raise
        finally:
            self._remember(ptx, note)
        if self.outputs is not None:
            self.outputs.after_launch(note, self.memory)
        return counted

    def variable(self, ptx: str, name: str) -> int:
        """The address of a module's variable."""
        return self._inner.variable(ptx, name)

    def refusal(self, ptx: str, kernel: str) -> str | None:
        """What of a kernel cannot run, None where all can."""
        return self._inner.refusal(ptx, kernel)

    def copied_to_host(self, address: int, size: int, place: Callable[[], Place]) -> None:
        """Learn of a copy to the host."""
        self._inner.copied_to_host(address, size, place)

    def library_read(self, size: int, place: Callable[[], Place]) -> None:
        """Learn of a copy to the host by an array library."""
        self._inner.library_read(size, place)

    def _listen(self, outcome: Outcome) -> None:
        self._last = outcome

    def _remember(self, ptx: str, note: LaunchNote) -> None:
        if self._last is None:
            return
        self.defects += [(one.kind, one.path, one.line) for one in self._last.defects]
        counted = self._last.statistics
        key = (note.file or "", note.function.replace(".<locals>", ""))
        known = self._heaviest.get(key)
        if counted is None:
            return
        if known is not None and not counted.detailed:
            # What its accesses cost is taken to be as in the launch that was looked at.
            counted = counted.with_close_look_of(known.counted)
        weight = launch_weight(counted, self._device)
        if known is None or weight > known.weight:
            self._heaviest[key] = _Heaviest(note, ptx, counted, weight)

    def kernels(self) -> list[dict[str, Any]]:
        """What is known of each kernel's heaviest launch, as JSON values.

        Readings are those that `advisor check` computes from a launch (predicted_ms, theoretical_occupancy,
        registers …), here with the registers of the very code that was launched.
        """
        capability = self._device.compute_capability.split(".")
        found = []
        for (file, name), one in self._heaviest.items():
            readings, problem = _readings(one, self._device, (int(capability[0]), int(capability[1])))
            found.append(
                {
                    "file": file,
                    "name": name,
                    "grid": list(one.note.grid),
                    "block": list(one.note.block),
                    "arguments": [[arg.name, arg.type, arg.shape] for arg in one.note.arguments],
                    "readings": readings,
                    "problem": problem,
                }
            )
        return found


def _readings(one: _Heaviest, device: Device, capability: tuple[int, int]) -> tuple[dict[str, Value], str]:
    """The metrics of a launch by name, and why some are missing."""
    record = Record("kernel", one.note.function, one.note.file or "", Span(one.note.line or 1), "")
    problem = ""
    try:
        resources = assemble(one.ptx, capability, None)[1]
        record.know("compiled", registers=float(resources.registers))
        spilled = resources.spill_store_bytes + resources.spill_load_bytes
        record.know("compiled", spill_store_bytes=float(spilled))
    except (LinkFailure, ImportError, RuntimeError) as error:
        problem = f"the assembler says nothing of its registers: {error}"
    record.know("compiled", shared_bytes=float(one.counted.shared_bytes))
    record.know("simulated", (), **kernel_readings(one.counted, device, True))
    derive_all([record], device)
    return {name: reading.value for name, reading in record.readings.items()}, problem
