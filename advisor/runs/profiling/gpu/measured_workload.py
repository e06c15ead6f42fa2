"""A workload measured on a GPU: as many iterations as its times ask for."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from advisor.model.devices import Device
from advisor.model.history.fingerprint import Fingerprint
from advisor.model.records import Value
from advisor.runs.profiling.numbers import ProfilingNumbers, profiling_numbers
from advisor.runs.profiling.rates import achieved_rates
from advisor.runs.profiling.statistics import mean_interval, timing_of
from advisor.runs.profiling.totals import Totals, totals_of
from advisor.runs.profiling.worker.identities import identity_of
from advisor.runs.profiling.worker.process import Iteration, RunFailed, WorkerProcess

Step = Callable[[int, int], None]


@dataclass(frozen=True)
class Amount:
    """How much is measured: warm-ups, iterations at least, and seconds at most beyond those."""

    warm_ups: int
    iterations: int
    seconds: float


@dataclass(frozen=True)
class Measurement:
    """The iterations of one workload that count, and what measuring cost: wall times with events over those
    without, None where it was not found out. `problem` says what ended it early.
    """

    iterations: tuple[Iteration, ...]
    slowdown: float | None = None
    problem: str = ""

    @property
    def totals(self) -> Totals:
        """The sums over the iterations."""
        return totals_of(self.iterations)


def measure(worker: WorkerProcess, name: str, amount: Amount, step: Step | None = None) -> Measurement:
    """The measurement of a workload; what was measured before a failure is in it."""
    numbers = profiling_numbers()
    iterations: list[Iteration] = []
    slowdown = None
    try:
        for _ in range(amount.warm_ups):
            worker.run(name, timed=True)
        begin = time.monotonic()
        most = max(amount.iterations, numbers.most)
        while len(iterations) < amount.iterations or (
            len(iterations) < most
            and time.monotonic() - begin < amount.seconds
            and not is_settled(iterations, numbers)
        ):
            for _ in range(numbers.step if len(iterations) >= amount.iterations else 1):
                iterations.append(worker.run(name, timed=True))
            if step:
                step(len(iterations), max(amount.iterations, len(iterations)))
        slowdown = _slowdown(worker, name, numbers.overhead_pairs)
    except RunFailed as error:
        return Measurement(tuple(iterations), slowdown, str(error))
    return Measurement(tuple(iterations), slowdown)


def is_settled(iterations: Sequence[Iteration], numbers: ProfilingNumbers) -> bool:
    """Whether the mean times of all kernels that matter are known well enough."""
    if len(iterations) < 2:
        return False
    sums = [_by_kernel(one) for one in iterations]
    kernels = {kernel for one in sums for kernel in one}
    series = {kernel: [one.get(kernel, 0.0) for one in sums] for kernel in kernels}
    whole = sum(map(sum, series.values()))
    for times in series.values():
        if sum(times) < numbers.share * whole or not sum(times):
            continue
        low, high = mean_interval(times, numbers.resamples, numbers.confidence)
        if (high - low) / 2.0 > numbers.half_width * sum(times) / len(times):
            return False
    return True


def _by_kernel(iteration: Iteration) -> dict[int, float]:
    found: dict[int, float] = {}
    for launch in iteration.launches:
        found[launch.kernel] = found.get(launch.kernel, 0.0) + max(0.0, launch.time)
    return found


def _slowdown(worker: WorkerProcess, name: str, pairs: int) -> float | None:
    """The ratio of the median wall times with and without events, in turn."""
    walls: dict[bool, list[float]] = {True: [], False: []}
    for number in range(pairs):
        for timed in (True, False) if number % 2 == 0 else (False, True):
            walls[timed].append(worker.run(name, timed).wall)
    if not pairs or median(walls[False]) <= 0.0:
        return None
    return median(walls[True]) / median(walls[False])


def measured_fingerprints(
    iterations: Sequence[Iteration],
    kernels: Sequence[Mapping[str, Any]],
    device: Device | None,
    counts: Callable[[Mapping[str, Any]], Mapping[str, Value]],
) -> list[Fingerprint]:
    """The fingerprints of the kernels that were launched, in the order of their first launch.

    `counts` gives metrics of a kernel and shape that its rates are made of, empty where nothing was counted.
    """
    times: dict[int, list[float]] = {}
    for one in iterations:
        for launch in one.launches:
            times.setdefault(launch.kernel, []).append(launch.time)
    return [
        _fingerprint(kernels[number], series, len(iterations), device, counts(kernels[number]))
        for number, series in times.items()
    ]


def _fingerprint(
    described: Mapping[str, Any],
    series: Sequence[float],
    iterations: int,
    device: Device | None,
    counted: Mapping[str, Value],
) -> Fingerprint:
    known = [value for value in series if value >= 0.0]
    launches = max(1, round(len(series) / iterations))
    who = identity_of(described)
    metrics: dict[str, Value] = {"launches": float(launches)}
    if who.grid and who.block:
        metrics["grid_blocks"] = float(who.grid[0] * who.grid[1] * who.grid[2])
        metrics["block_threads"] = float(who.block[0] * who.block[1] * who.block[2])
    timing = None
    if known:
        timing = timing_of(known, profiling_numbers().most_kept)
        metrics |= {
            "time_mean_ms": timing.mean,
            "time_median_ms": timing.median,
            "time_stddev_ms": timing.deviation,
            "time_min_ms": timing.least,
            "time_max_ms": timing.most,
            "timed_launches": float(timing.iterations),
            "latency_ms": timing.mean * launches,
        }
        if timing.variation is not None:
            metrics["time_cv"] = timing.variation
        if timing.mean > 0.0:
            metrics["launches_per_second"] = 1e3 / timing.mean
        metrics |= achieved_rates(timing.mean, counted, device)
    return Fingerprint(who, "measured", launches, timing, metrics, line=described["line"])
