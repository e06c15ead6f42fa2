"""The different launches of a kernel, what each weighs, and the one that the kernel is judged by.

What a finding is worth is the time that its cause takes of the program's. So launches weigh what they take
together with all that are equal to them: a thousand short ones more than a long one, and a warm-up nothing.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from advisor.evidence.simulated.launches.store import LaunchRow
from advisor.evidence.simulated.simt.counts import Statistics

# What gives the weight of one launch from its counts: the time that it takes, and its work.
Weigh = Callable[[Statistics], tuple[float, ...]]
# Where launches are called, by path and line, with their number there.
Places = Mapping[tuple[str | None, int | None], int]
# A launch that was looked at access by access is preferred to one that takes so little longer.
_AS_LONG = 0.95


@dataclass(frozen=True)
class Counted:
    """A launch with its counts, how many of its kernel are equal to it, and where these are called."""

    row: LaunchRow
    statistics: Statistics
    launches: int
    places: Places = field(default_factory=dict)


@dataclass(frozen=True)
class Weighed:
    """A launch with what it weighs together with all that are equal: seconds first, 0 where unknown."""

    launch: Counted
    weight: tuple[float, ...]


def counted_launches(rows: Sequence[LaunchRow]) -> list[Counted]:
    """One launch for each of the different counts of a kernel's launches, in their order.

    Those that were looked at access by access stand for the others with the same counts, unless these looks
    differ: then nothing says which of them the others are equal to.
    """
    groups: dict[object, list[LaunchRow]] = {}
    for row in rows:
        if row.statistics:
            groups.setdefault(row.number if row.counts is None else ("counts", row.counts), []).append(row)
    found: dict[str, dict[str, tuple[Statistics, list[LaunchRow]]]] = {}
    for group in groups.values():
        statistics = Statistics.from_data(group[0].statistics or {})
        same = repr((group[0].arguments, statistics.without_close_look()))
        looks = found.setdefault(same, {})
        _, known = looks.setdefault(repr(statistics) if statistics.detailed else "", (statistics, []))
        known += group
    return [one for looks in found.values() for one in _with_looks(looks)]


def _with_looks(looks: dict[str, tuple[Statistics, list[LaunchRow]]]) -> list[Counted]:
    """The launches of equal counts, one for each of the different looks at them."""
    if len(looks) == 2 and "" in looks:
        (_, unseen), (statistics, seen) = looks.pop(""), *looks.values()
        return [_counted(statistics, seen, [*seen, *unseen])]
    return [_counted(statistics, rows, rows) for statistics, rows in looks.values()]


def _counted(statistics: Statistics, shown: Sequence[LaunchRow], rows: Sequence[LaunchRow]) -> Counted:
    places = Counter((row.launch_path, row.launch_line) for row in rows)
    return Counted(shown[0], statistics, len(rows), places)


def weighed_launches(counted: Sequence[Counted], weigh: Weigh) -> list[Weighed]:
    """The launches with their weights.

    Of one that was not looked at access by access, what its accesses cost is taken from the look at the
    launch with the most similar number of instructions.
    """
    looked_at = [one.statistics for one in counted if one.statistics.detailed]
    found = []
    for one in counted:
        statistics = one.statistics
        if looked_at and not statistics.detailed:
            statistics = statistics.with_close_look_of(_nearest(statistics, looked_at))
        each = weigh(statistics)
        found.append(Weighed(one, tuple(one.launches * part for part in each)))
    return found


def _nearest(statistics: Statistics, others: Sequence[Statistics]) -> Statistics:
    own = math.log1p(statistics.lane_instructions)
    return min(others, key=lambda one: abs(math.log1p(one.lane_instructions) - own))


def judged_launch(weighed: Sequence[Weighed]) -> Counted:
    """The heaviest of some launches, by time first; raises ValueError where there are none.

    Hit rates and races are known only of launches that were looked at access by access, so one of these is
    taken where it takes almost as long as the heaviest.
    """
    heaviest = max(weighed, key=lambda one: one.weight)
    close = [
        one
        for one in weighed
        if one.launch.statistics.detailed
        and all(part >= _AS_LONG * most for part, most in zip(one.weight, heaviest.weight, strict=True))
    ]
    return max(close or [heaviest], key=lambda one: one.weight).launch


def launches_as_long(weighed: Sequence[Weighed], judged: Counted, launches: int) -> float | None:
    """How many launches like the judged one take as long as all `launches`; None where no time is known.

    Those whose counts are not kept are taken to be as long as the mean of the others.
    """
    seconds, counted = sum(one.weight[0] for one in weighed), sum(one.launch.launches for one in weighed)
    own = next(one.weight[0] for one in weighed if one.launch is judged) / judged.launches
    return seconds / counted * launches / own if own else None


def for_another_device(counted: Sequence[Counted]) -> list[Counted]:
    """The launches without what was seen of them in the caches of the device that they were simulated for."""
    return [replace(one, statistics=one.statistics.without_close_look()) for one in counted]
