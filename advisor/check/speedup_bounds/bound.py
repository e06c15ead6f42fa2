"""What bounds a kernel: the resource that takes longest, or the units that a measurement found busiest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from advisor.check.speedup_bounds.tree import BoundClass, diagnosis_tree
from advisor.evidence.metrics.derived.timing import resource_times
from advisor.evidence.metrics.tables import Table, Tables, kernel_tables
from advisor.evidence.metrics.times.resources import joined_time
from advisor.model.devices import Device
from advisor.model.findings import Finding
from advisor.model.records import Reading, Record, Source

# The units whose peak rates stand for computation.
_COMPUTING = ("fp32", "fp64", "tensor")


@dataclass(frozen=True)
class Part:
    """A resource with the time that a launch needs of it alone, in ms, and its share of the longest."""

    resource: str
    time_ms: float
    share: float


@dataclass(frozen=True)
class Boundness:
    """The class of a kernel, None where it is not known, and what says so.

    `parts` are the resources by predicted time, the longest first; `memory_use` and `compute_use` are shares
    of the peaks where they are known, `balance` is the device's operations for each byte, `intensity` the
    kernel's. `time_ms` is that of a launch, from `source`; `reason` is the sentence for what is not known,
    `is_measured` says that the use of units was measured and decides.
    """

    found: BoundClass | None
    parts: tuple[Part, ...]
    memory_use: float | None
    compute_use: float | None
    intensity: float | None
    balance: float | None
    time_ms: float | None
    source: Source | None
    reason: str = ""
    is_measured: bool = False

    @property
    def is_predicted(self) -> bool:
        """Whether a time is known and is a model's."""
        return self.time_ms is not None and self.source != "measured"

    @property
    def dram_decides(self) -> bool:
        """Whether it is the use of DRAM, or as measured of the memory system, that bounds the kernel."""
        return self.is_measured or not self.parts or self.parts[0].resource == "dram"

    def headroom_for(self, rule: str) -> float | None:
        """The speed-up that a remedy of a rule could give at most: what it does not relieve stays.

        None where nothing is known of the kernel's time, or of what the rule's remedy relieves.
        """
        relieved = diagnosis_tree().relieved_by(rule)
        times = {part.resource: part.time_ms for part in self.parts}
        left = joined_time({name: time for name, time in times.items() if name not in relieved})
        return joined_time(times) / left if relieved and left > 0.0 else None


def boundness(kernel: Record, device: Device) -> Boundness:
    """What bounds a kernel by its readings: those measured before those predicted."""
    times = resource_times(kernel, device)
    longest = max(times.values(), default=0.0)
    parts = tuple(
        Part(name, seconds * 1e3, seconds / longest)
        for name, seconds in sorted(times.items(), key=lambda one: -one[1])
        if longest > 0.0
    )
    time_ms, source = _time(kernel)
    memory = _first(kernel, "memory_throughput", "dram_norm")
    compute = _first(kernel, "sm_throughput", "flop_norm")
    if compute is None and longest > 0.0:
        compute = max(times.get(name, 0.0) for name in _COMPUTING) / longest
    found, reason = _class(kernel, parts, memory, compute)
    return Boundness(
        found,
        parts,
        memory,
        compute,
        _first(kernel, "ai_flops_per_byte"),
        device.fp32_peak / device.dram_bandwidth if device.fp32_peak and device.dram_bandwidth else None,
        time_ms,
        source,
        reason,
        _is_measured(kernel),
    )


def _class(
    kernel: Record, parts: tuple[Part, ...], memory: float | None, compute: float | None
) -> tuple[BoundClass | None, str]:
    tree = diagnosis_tree()
    if _is_measured(kernel) and memory is not None and compute is not None:
        return tree.class_of(limiter_by_use(memory, compute)), ""
    if parts:
        return tree.class_of(parts[0].resource), ""
    if "issue_slots" in kernel.readings:
        return None, (
            "What its launch moves through L2 and DRAM is not known: simulate it for this device with "
            "`advisor run`, or measure it with `advisor profile`."
        )
    return None, (
        "No launch of it is known, so nothing says what it waits for: let a `workload()` beside it run, "
        "record one with `advisor run`, or measure it with `advisor profile`."
    )


def limiter_by_use(memory: float, compute: float) -> str:
    """What a kernel waits for by the speed of light of both halves: where neither is busy, latencies."""
    if max(memory, compute) < diagnosis_tree().compute_poor:
        return "latency"
    return "dram" if memory >= compute else "issue"


def _is_measured(kernel: Record) -> bool:
    """Whether the speed of light of both halves was measured."""
    known = (kernel.readings.get(name) for name in ("memory_throughput", "sm_throughput"))
    return all(reading is not None and reading.source == "measured" for reading in known)


def _time(kernel: Record) -> tuple[float | None, Source | None]:
    for name in ("time_mean_ms", "predicted_ms"):
        reading = kernel.readings.get(name)
        if reading is not None and isinstance(reading.value, int | float):
            return float(reading.value), reading.source
    return None, None


def _first(kernel: Record, *names: str) -> float | None:
    for name in names:
        reading = kernel.readings.get(name)
        if reading is not None and isinstance(reading.value, int | float):
            return float(reading.value)
    return None


def headrooms(
    tables: Tables, device: Device, findings: Iterable[Finding]
) -> dict[tuple[str, str | None], float]:
    """The speed-up that is left at most, by rule and kernel, where anything is known of the kernel's time."""
    rows = {label: (table, row) for table in kernel_tables(tables) for row, label in enumerate(table.labels)}
    bounds: dict[str, Boundness] = {}
    found: dict[tuple[str, str | None], float] = {}
    for finding in findings:
        kernel = finding.kernel_concerned()
        if kernel is None or kernel not in rows:
            continue
        if kernel not in bounds:
            bounds[kernel] = boundness(record_of(*rows[kernel]), device)
        headroom = bounds[kernel].headroom_for(finding.rule)
        if headroom is not None:
            found[finding.rule, kernel] = headroom
    return found


def within_headroom(finding: Finding, headroom: Mapping[tuple[str, str | None], float]) -> Finding:
    """The finding, whose rule promises no more than is left for its remedy in the kernel."""
    left = headroom.get((finding.rule, finding.kernel_concerned()))
    gain = finding.gain
    if gain is None or gain.is_predicted or left is None or gain.speedup <= left:
        return finding
    return replace(finding, gain=replace(gain, speedup=left))


def record_of(table: Table, row: int) -> Record:
    """The record that a row of a table was made of, without its owner."""
    readings = {}
    for name, column in table.columns.items():
        source = column.source(row)
        if source is not None:
            value = column.values[row]
            kept = value if isinstance(value, str) else float(value)
            readings[name] = Reading(kept, source, column.assumptions.get(row, ()))
    return Record(
        table.entity, table.keys[row], table.paths[row], table.spans[row], table.labels[row], None, readings
    )
