"""The launch that a kernel is judged by: the one that takes longest, whichever came first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from advisor.evidence.simulated.launches.store import LaunchRow
from advisor.evidence.simulated.simt.counts import Statistics

# What gives the weight of a launch from its counts and arguments; the heaviest takes longest.
Weigh = Callable[[Statistics, Sequence[dict[str, Any]]], tuple[float, ...]]
# A launch that was looked at access by access is preferred to one that takes so little longer.
_AS_LONG = 0.95


@dataclass(frozen=True)
class Counted:
    """A launch with its counts, and how many launches of the kernel have the same."""

    row: LaunchRow
    statistics: Statistics
    launches: int


def counted_launches(rows: Sequence[LaunchRow]) -> list[Counted]:
    """One launch for each of the different counts of a kernel's launches, in their order.

    Launches are the same here where what was counted in all their blocks is; those looked at access by access
    come first.
    """
    groups: dict[object, list[LaunchRow]] = {}
    for row in rows:
        if row.statistics:
            groups.setdefault(row.number if row.counts is None else ("counts", row.counts), []).append(row)
    found: dict[str, list[tuple[LaunchRow, Statistics, int]]] = {}
    for group in groups.values():
        statistics = Statistics.from_data(group[0].statistics or {})
        same = repr((group[0].arguments, statistics.without_close_look()))
        found.setdefault(same, []).append((group[0], statistics, len(group)))
    counted = []
    for alike in found.values():
        row, statistics, _ = max(alike, key=lambda one: one[1].detailed > 0)
        counted.append(Counted(row, statistics, sum(one[2] for one in alike)))
    return counted


def judged_launch(counted: Sequence[Counted], weigh: Weigh) -> Counted:
    """The heaviest of some launches, by time first; raises ValueError where there are none.

    Hit rates and races are known only of launches that were looked at access by access, so one of these is
    taken where it takes almost as long as the heaviest.
    """
    weights = [weigh(one.statistics, one.row.arguments) for one in counted]
    heaviest = max(weights)
    close = [
        (weight, number)
        for number, weight in enumerate(weights)
        if counted[number].statistics.detailed
        and all(part >= _AS_LONG * most for part, most in zip(weight, heaviest, strict=True))
    ]
    if close:
        return counted[max(close, key=lambda one: one[0])[1]]
    return counted[weights.index(heaviest)]
