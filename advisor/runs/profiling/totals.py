"""What an iteration of a workload costs beside its kernels: copies, launch calls, gaps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from advisor.model.records import Value
from advisor.runs.profiling.statistics import variation
from advisor.runs.profiling.worker.process import Iteration


@dataclass(frozen=True)
class Totals:
    """Sums over the iterations of a workload that were timed; times in ms, those of the device by events.

    `busy` is the time in which a kernel ran, `gaps` the time between the first kernel's begin and the last
    one's end in which none did.
    """

    walls: tuple[float, ...]
    launches: int
    launch_calls: float
    busy: float
    gaps: float
    copy_times: tuple[float, ...]
    copies: dict[str, tuple[int, float]]
    untimed: int

    @property
    def iterations(self) -> int:
        """How many there are."""
        return len(self.walls)


def totals_of(iterations: Sequence[Iteration]) -> Totals:
    """The sums over iterations."""
    busy = gaps = 0.0
    copies: dict[str, tuple[int, float]] = {}
    for one in iterations:
        kernels = [(item.begin, item.begin + item.time) for item in one.launches if item.begin >= 0.0]
        covered, whole = _covered(kernels)
        busy, gaps = busy + covered, gaps + whole - covered
        for copy in one.copies:
            size, time = copies.get(copy.direction, (0, 0.0))
            copies[copy.direction] = (size + copy.bytes, time + max(0.0, copy.time))
    return Totals(
        walls=tuple(one.wall for one in iterations),
        launches=sum(len(one.launches) for one in iterations),
        launch_calls=sum(launch.host for one in iterations for launch in one.launches),
        busy=busy,
        gaps=gaps,
        copy_times=tuple(sum(max(0.0, copy.time) for copy in one.copies) for one in iterations),
        copies=copies,
        untimed=sum(one.untimed for one in iterations),
    )


def _covered(intervals: Iterable[tuple[float, float]]) -> tuple[float, float]:
    """The length that intervals cover together, and that from the first begin to the last end."""
    ordered = sorted(intervals)
    if not ordered:
        return 0.0, 0.0
    covered, (begin, end) = 0.0, ordered[0]
    for start, stop in ordered[1:]:
        if start > end:
            covered, begin = covered + end - begin, start
        end = max(end, stop)
    return covered + end - begin, end - ordered[0][0]


def measured_run_metrics(totals: Sequence[Totals], kernels: int) -> dict[str, Value]:
    """The metrics of a run of workloads, each per iteration and added up."""
    known = [one for one in totals if one.iterations]
    if not known:
        return {}

    def added(values: Iterable[float]) -> float:
        return sum(value / one.iterations for value, one in zip(values, known, strict=True))

    wall = added(sum(one.walls) for one in known)
    found: dict[str, Value] = {
        "total_latency_ms": wall,
        "api_launch_overhead_ms": added(one.launch_calls for one in known),
        "kernel_gap_ms": added(one.gaps for one in known),
        "kernel_launches": added(one.launches for one in known),
        "active_kernels": float(kernels),
    }
    if wall > 0.0:
        found["gpu_utilization"] = min(1.0, added(one.busy for one in known) / wall)
    for direction in ("htod", "dtoh", "dtod"):
        pairs = [one.copies.get(direction, (0, 0.0)) for one in known]
        found[f"memcpy_{direction}_ms"] = added(time for _, time in pairs)
        if direction != "dtod":
            found[f"transfer_{direction}_bytes"] = added(float(size) for size, _ in pairs)
    for name, series in (("latency_cv", "walls"), ("transfer_cv", "copy_times")):
        varied = _weighted([getattr(one, series) for one in known])
        if varied is not None:
            found[name] = varied
    return found


def _weighted(series: Sequence[Sequence[float]]) -> float | None:
    """The coefficient of variation of several series, weighted by their sums."""
    parts = [(sum(one), variation(one)) for one in series]
    known = [(weight, value) for weight, value in parts if value is not None]
    whole = sum(weight for weight, _ in known)
    return sum(weight * value for weight, value in known) / whole if whole > 0.0 else None
