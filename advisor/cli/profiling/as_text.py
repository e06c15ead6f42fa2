"""A profile as tables for people; predicted numbers say so in every table's head."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence

from advisor.check.speedup_bounds.tree import diagnosis_tree
from advisor.cli.pages.tables import plain_table
from advisor.evidence.metrics.prediction_error import prediction_error
from advisor.model.devices import find_device
from advisor.model.history.fingerprint import Extent, Fingerprint
from advisor.model.records import Value
from advisor.rules.units import RATIO, Unit, find_unit, format_value
from advisor.runs.profiling.profile import Profile, WorkloadProfile

_WIDTH = 110
_UNKNOWN = "-"


def profile_text(profile: Profile, quiet: bool = False) -> str:
    """The head, for each workload its kernels' times and rates, then the run and what is missing.

    Quiet is without notes, and without where it is kept.
    """
    lines = _head(profile)
    for one in profile.workloads:
        lines += ["", *_workload(one, profile.is_measured)]
    lines += ["", *_run(profile.run.metrics)]
    if not quiet:
        lines += [*_notes(profile), *_end(profile)]
    return "\n".join(lines)


def _head(profile: Profile) -> list[str]:
    facts = profile.run.facts
    if profile.is_measured and not profile.run.fingerprints:
        return [f"Nothing could be measured on {facts.executed_on}."]
    if profile.is_measured:
        return [f"Measured on {facts.executed_on}."]
    error = prediction_error()
    return [
        f"PREDICTED for {find_device(facts.device).name}, no GPU was used: all times and rates are a "
        f"model's, none is measured. {error.share:.0%} of published times lie within {error.time:g} times of "
        "the predicted ones."
    ]


def _workload(one: WorkloadProfile, measured: bool) -> list[str]:
    lines = [f"{one.workload.path}: {one.workload.name}(){_iterations(one, measured)}"]
    if one.problem:
        lines.append(f"  failed: {one.problem}")
    if one.fingerprints:
        times = _measured_times(one.fingerprints) if measured else _predicted_times(one.fingerprints)
        lines += [times, "", _rates(one.fingerprints, measured)]
    elif not one.problem:
        lines.append("  launched no kernel")
    return [line if number == 0 else textwrap.indent(line, "  ") for number, line in enumerate(lines)]


def _iterations(one: WorkloadProfile, measured: bool) -> str:
    if not measured or one.totals is None:
        return ""
    return f", {one.totals.iterations} iterations"


def _measured_times(those: Sequence[Fingerprint]) -> str:
    header = (
        "kernel", "grid", "block", "launches", "mean", "median", "std dev", "min", "max", "CV", "launches/s"
    )  # fmt: skip
    rows = []
    for one in those:
        timing = one.timing
        times = [timing.mean, timing.median, timing.deviation, timing.least, timing.most] if timing else []
        rows.append((
            *_who(one), *([_time(value) for value in times] or [_UNKNOWN] * 5),
            _shown(one.metrics, "time_cv", RATIO), _shown(one.metrics, "launches_per_second", _unit("count")),
        ))  # fmt: skip
    return plain_table(header, rows, right=range(3, len(header)))


def _predicted_times(those: Sequence[Fingerprint]) -> str:
    header = ("kernel", "grid", "block", "launches", "predicted time", "limited by", "occupancy")
    rows = [
        (
            *_who(one),
            _time(one.timing.mean) if one.timing else _UNKNOWN,
            diagnosis_tree().limit_in_words(str(one.metrics.get("time_limiter", _UNKNOWN))),
            _shown(one.metrics, "achieved_occupancy", RATIO),
        )
        for one in those
    ]
    return plain_table(header, rows, right=(3, 4, 6))


def _rates(those: Sequence[Fingerprint], measured: bool) -> str:
    what = "" if measured else " (predicted)"
    header = (f"kernel{what}", "DRAM bandwidth", "of peak", "FLOP rate", "of fp32 peak", "FLOP/byte")
    rows = [
        (
            one.identity.name,
            _shown(one.metrics, "achieved_bandwidth", _unit("byte/s")),
            _shown(one.metrics, "dram_norm", RATIO),
            _shown(one.metrics, "achieved_flop_rate", _unit("flop/s")),
            _shown(one.metrics, "flop_norm", RATIO),
            _shown(one.metrics, "ai_flops_per_byte", _unit("count")),
        )
        for one in those
    ]
    return plain_table(header, rows, right=range(1, len(header)))


def _who(one: Fingerprint) -> tuple[str, str, str, str]:
    return (
        one.identity.name, _shape(one.identity.grid), _shape(one.identity.block), str(one.launches)
    )  # fmt: skip


def _shape(extent: Extent | None) -> str:
    if extent is None:
        return _UNKNOWN
    numbers = list(extent)
    while len(numbers) > 1 and numbers[-1] == 1:
        numbers.pop()
    return "x".join(map(str, numbers))


def _unit(name: str) -> Unit:
    unit = find_unit(name)
    assert unit is not None
    return unit


def _time(milliseconds: float) -> str:
    return format_value(milliseconds, _unit("ms"))


def _shown(metrics: Mapping[str, Value], name: str, unit: Unit) -> str:
    value = metrics.get(name)
    return _UNKNOWN if value is None else format_value(value, unit)


_RUN = (
    ("total_latency_ms", "wall time of an iteration", "ms"),
    ("latency_cv", "its coefficient of variation", "%"),
    ("gpu_utilization", "share of it in which a kernel ran", "%"),
    ("api_launch_overhead_ms", "host time in launch calls", "ms"),
    ("kernel_gap_ms", "gaps between kernels", "ms"),
    ("transfer_htod_bytes", "copied to the device", "byte"),
    ("memcpy_htod_ms", "time of these copies", "ms"),
    ("transfer_dtoh_bytes", "copied to the host", "byte"),
    ("memcpy_dtoh_ms", "time of these copies", "ms"),
    ("profiling_slowdown", "cost of measuring: wall time with events over that without", "count"),
    ("sm_clock_norm", "mean SM clock over the highest", "%"),
    ("thermal_throttle", "time with clocks held down by heat", "%"),
    ("power_throttle", "time with clocks held down by power", "%"),
    ("gpu_temperature", "highest temperature, degrees Celsius", "count"),
    ("device_memory_bytes", "most device memory in use", "byte"),
    ("other_processes", "other processes on the GPU", "count"),
)


def _run(metrics: Mapping[str, Value]) -> list[str]:
    rows = []
    for name, words, unit in _RUN:
        if name in metrics:
            rows.append((words, _shown(metrics, name, RATIO if unit == "%" else _unit(unit))))
    return [plain_table(("run", ""), rows, right=(1,))] if rows else []


def _notes(profile: Profile) -> list[str]:
    if not profile.run.notes:
        return []
    found = [""]
    for note in profile.run.notes:
        found += textwrap.wrap(note, _WIDTH, initial_indent="note: ", subsequent_indent="      ")
    return found


def _end(profile: Profile) -> list[str]:
    run = profile.run
    if run.id is None or profile.store_problem:
        return []
    count = len(run.fingerprints)
    label = f" ({run.facts.label})" if run.facts.label else ""
    return ["", f"Kept as run {run.id}{label}: {count} fingerprint{'' if count == 1 else 's'}."]
