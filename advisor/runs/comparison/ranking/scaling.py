"""How the time of a kernel grows with its size, beside how its work does."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from advisor.model.history.fingerprint import Extent, Fingerprint
from advisor.model.history.store import HistoryStore
from advisor.model.records import Source
from advisor.runs.comparison.numbers import comparing_numbers

Growth: TypeAlias = Literal["as expected", "steeper", "flatter"]

# What the work of a launch is counted by, the best first.
_WORK = ("flops", "dram_bytes", "warp_instructions", "l1_sectors")
_MOST_SIZES = 12


@dataclass(frozen=True)
class SizedTime:
    """The time of a launch in ms and its size: threads in the grid, and the work by `Scaling.work`."""

    threads: int
    time_ms: float
    work: float | None


@dataclass(frozen=True)
class Scaling:
    """A kernel's time as a power of the number of threads, fitted over launches of several sizes.

    `expected` is the exponent by which `work` grows (a metric of the kernel), or the knowledge base's where
    the work is not known and `work` is empty. Twice the data gives 1; a product of matrices, whose threads
    grow with the square and whose operations with the cube of the side, 1.5: eight times the time for four
    times the threads.
    """

    name: str
    path: str | None
    source: Source
    points: tuple[SizedTime, ...]
    exponent: float
    expected: float
    work: str
    growth: Growth


def exponent_of(sizes: Sequence[float], values: Sequence[float]) -> float:
    """The exponent of a power law through points, by least squares on logarithms.

    Raises ValueError where fewer than two sizes differ or something is not above zero.
    """
    if min(*sizes, *values) <= 0.0 or len(set(sizes)) < 2:
        raise ValueError("at least two different sizes, and only values above zero, have an exponent")
    logs = [(math.log(size), math.log(value)) for size, value in zip(sizes, values, strict=True)]
    mean_x, mean_y = (math.fsum(log[axis] for log in logs) / len(logs) for axis in (0, 1))
    above = math.fsum((x - mean_x) * (y - mean_y) for x, y in logs)
    return above / math.fsum((x - mean_x) ** 2 for x, _ in logs)


def scaling_of(fingerprints: Iterable[Fingerprint]) -> Scaling | None:
    """The scaling of one kernel from fingerprints of several sizes, None for too few or too near ones.

    Of one size the first fingerprint counts.
    """
    limits = comparing_numbers().scaling
    by_size: dict[int, Fingerprint] = {}
    for one in fingerprints:
        threads = _threads(one.identity.grid, one.identity.block)
        if threads and one.timing is not None and one.timing.mean > 0.0:
            by_size.setdefault(threads, one)
    sizes = sorted(by_size)
    if len(sizes) < limits.least_sizes or sizes[-1] < limits.least_spread * sizes[0]:
        return None
    those = [by_size[size] for size in sizes]
    work, amounts = _work(those)
    times = [one.timing.mean for one in those if one.timing]
    exponent = exponent_of(sizes, times)
    expected = exponent_of(sizes, amounts) if work else limits.expected
    points = tuple(
        SizedTime(size, time, amounts[at] if work else None)
        for at, (size, time) in enumerate(zip(sizes, times, strict=True))
    )
    growth: Growth = "as expected"
    if abs(exponent - expected) > limits.tolerance:
        growth = "steeper" if exponent > expected else "flatter"
    first = those[0]
    return Scaling(
        first.identity.name, first.identity.path, first.source, points, exponent, expected, work, growth
    )


def _work(those: Sequence[Fingerprint]) -> tuple[str, list[float]]:
    """The best measure of work that all sizes know, with its values."""
    for name in _WORK:
        values = [one.metrics.get(name) for one in those]
        known = [float(value) for value in values if isinstance(value, int | float) and value > 0.0]
        if len(known) == len(those):
            return name, known
    return "", []


def _threads(grid: Extent | None, block: Extent | None) -> int:
    return math.prod(grid) * math.prod(block) if grid and block else 0


def kept_scaling(store: HistoryStore, one: Fingerprint, device: str) -> Scaling | None:
    """The scaling of a kernel over all that a history keeps of the same code, device and source."""
    return scaling_of(store.latest_of_shapes(one, device, _MOST_SIZES))
