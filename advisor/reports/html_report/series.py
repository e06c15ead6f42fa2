"""The times of kernels over runs, with the runs in which one took much longer than before."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from advisor.model.history.store import TimePoint
from advisor.reports.html_report.material import Who
from advisor.runs.comparison.numbers import comparing_numbers

Shape = tuple[str | None, str | None]


@dataclass(frozen=True)
class RunTime:
    """The mean time of a launch of a kernel in a run, in ms, over the shapes that its launches had there.

    `before` is the median of the earlier runs with these shapes, None in the first one; `alert` says that the
    time is the alert's factor above it (`knowledge/comparison.toml`).
    """

    run: int
    started: float
    commit: str | None
    mean: float
    shapes: frozenset[Shape]
    before: float | None
    alert: bool


@dataclass(frozen=True)
class Series:
    """A kernel's times on one device, all measured or all predicted, the oldest first."""

    who: Who
    times: tuple[RunTime, ...]

    @property
    def alerts(self) -> tuple[int, ...]:
        """The positions of the times that are alerts."""
        return tuple(at for at, one in enumerate(self.times) if one.alert)

    @property
    def ratio(self) -> float | None:
        """The latest time over what it was before; None where there is nothing to compare it with."""
        last = self.times[-1]
        return last.mean / last.before if last.before else None


def series_of(points: Iterable[TimePoint]) -> dict[Who, Series]:
    """The series of each kernel, from the points of one device and basis, the oldest first."""
    gathered: dict[Who, dict[int, list[TimePoint]]] = {}
    for point in points:
        gathered.setdefault((point.path, point.name), {}).setdefault(point.run, []).append(point)
    return {who: Series(who, _times(list(runs.values()))) for who, runs in gathered.items()}


def _times(runs: Sequence[Sequence[TimePoint]]) -> tuple[RunTime, ...]:
    alert = comparing_numbers().changes.alert
    earlier: dict[frozenset[Shape], list[float]] = {}
    found = []
    for points in runs:
        mean = points[0].mean if len(points) == 1 else _weighted(points)
        shapes = frozenset([(one.grid, one.block) for one in points])
        known = earlier.setdefault(shapes, [])
        before = _median(known)
        first = points[0]
        is_alert = before is not None and before > 0.0 and mean >= alert * before
        found.append(RunTime(first.run, first.started, first.commit, mean, shapes, before, is_alert))
        insort(known, mean)
    return tuple(found)


def _weighted(points: Sequence[TimePoint]) -> float:
    """The mean time of a launch over several shapes of it."""
    weights = [max(1, one.launches) for one in points]
    return sum(one.mean * weight for one, weight in zip(points, weights, strict=True)) / sum(weights)


def _median(ordered: Sequence[float]) -> float | None:
    if not ordered:
        return None
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def drawn_positions(values: Sequence[float], kept: Iterable[int], most: int) -> list[int]:
    """The positions of a line's points that are drawn, at most about `most` and those in `kept`.

    Of many points each part keeps its first, least, largest and last, so that no peak is lost.
    """
    if len(values) <= most:
        return list(range(len(values)))
    parts = max(1, most // 4)
    chosen = set(kept)
    for part in range(parts):
        start, end = part * len(values) // parts, (part + 1) * len(values) // parts
        inside = range(start, end)
        chosen |= {start, end - 1, min(inside, key=values.__getitem__), max(inside, key=values.__getitem__)}
    return sorted(chosen)


def position(runs: Sequence[int], run: int) -> int:
    """The position of a run among runs in order."""
    return bisect_left(runs, run)
