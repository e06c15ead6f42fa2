"""Whether a row of samples grows: its slope, and what its last quarter has beyond its second one."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

# Of a long row so many samples, evenly spread, are enough for the slope.
_MOST_POINTS = 400


@dataclass(frozen=True)
class Growth:
    """What became of one number between the second and the last quarter of the time."""

    first: float
    last: float
    per_hour: float
    grows: bool


def growth(times: Sequence[float], values: Sequence[float], bound: float, share: float) -> Growth:
    """The growth of `values` at `times` (seconds): the first quarter is the start, and does not count.

    The slope is the median of the slopes of all pairs of samples (Theil and Sen), which single peaks do not
    move. It grows when the slope is above `bound` an hour and above `share` of the level an hour, and the
    median of the last quarter is above every median of the other two by what noise leaves: the half of the
    spread between the quartiles. Raises ValueError for fewer than eight samples.
    """
    if len(times) < 8:
        raise ValueError("fewer than eight samples")
    quarter = len(times) // 4
    kept = [(at, value) for at, value in zip(times, values, strict=True)][quarter:]
    step = max(1, len(kept) // _MOST_POINTS)
    points = kept[::step]
    slopes = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in combinations(points, 2) if b[0] > a[0]]
    per_hour = statistics.median(slopes) * 3600
    those = [value for _, value in kept]
    second, third, last = those[:quarter], those[quarter : 2 * quarter], those[-quarter:]
    low, _, high = statistics.quantiles(second, n=4)
    level = statistics.median(second)
    above = statistics.median(last) - max(level, statistics.median(third))
    beyond = per_hour > bound and per_hour > share * level
    return Growth(level, statistics.median(last), per_hour, beyond and above > (high - low) / 2)
