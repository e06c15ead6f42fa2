"""Ranges that programs name on their threads, and which of them are open at a moment."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field

import numpy as np

from advisor.evidence.measured.reports.cuda_calls import place_named

Names = tuple[str, ...]


@dataclass
class _Ranges:
    """The ranges of one thread: their times, and which of the names each has."""

    starts: array[float] = field(default_factory=lambda: array("d"))
    ends: array[float] = field(default_factory=lambda: array("d"))
    names: array[int] = field(default_factory=lambda: array("l"))


@dataclass
class _Moments:
    """The moments at which ranges of one thread open or close, and what is open from each on."""

    times: array[float] = field(default_factory=lambda: array("d"))
    opened: list[Names] = field(default_factory=list)


class ThreadRanges:
    """Ranges by thread, added in any order; some dozen bytes for each."""

    def __init__(self) -> None:
        self._by_thread: dict[Hashable, _Ranges] = {}
        self._names: dict[str, int] = {}
        self._moments: dict[Hashable, _Moments] = {}
        # Times since the epoch in nanoseconds have more digits than a float.
        self._origin: float | None = None

    def add(self, thread: Hashable, start: float, end: float, name: str) -> None:
        """Keep a range."""
        self._origin = start if self._origin is None else self._origin
        known = self._by_thread.setdefault(thread, _Ranges())
        known.starts.append(start - self._origin)
        known.ends.append(end - self._origin)
        known.names.append(self._names.setdefault(place_named(name) or name, len(self._names)))
        self._moments.pop(thread, None)

    def __bool__(self) -> bool:
        return bool(self._by_thread)

    def around(self, thread: Hashable, time: float) -> Names:
        """The names of the ranges that are open on a thread at a time, outermost first; none for none."""
        ranges = self._by_thread.get(thread)
        if ranges is None or self._origin is None:
            return ()
        moments = self._moments.get(thread)
        if moments is None:
            moments = self._moments[thread] = _moments(ranges, list(self._names))
        at = bisect_right(moments.times, time - self._origin) - 1
        return moments.opened[at] if at >= 0 else ()


def _moments(ranges: _Ranges, names: list[str]) -> _Moments:
    found = _Moments()
    kept: dict[Names, Names] = {}
    opened: list[tuple[float, str]] = []
    waiting = _outermost_first(ranges, names)
    following = next(waiting, None)
    for time in np.unique(np.concatenate((ranges.starts, ranges.ends))):
        opened = [one for one in opened if one[0] > time]
        while following is not None and following[0] <= time:
            opened.append(following[1:])
            following = next(waiting, None)
        now = tuple(name for _, name in opened)
        found.times.append(float(time))
        found.opened.append(kept.setdefault(now, now))
    return found


def _outermost_first(ranges: _Ranges, names: list[str]) -> Iterator[tuple[float, float, str]]:
    """Begin, end and name of ranges by their begin; of two that begin together the longer one is outside."""
    starts, ends = np.frombuffer(ranges.starts), np.frombuffer(ranges.ends)
    for at in np.lexsort((-ends, starts)):
        yield float(starts[at]), float(ends[at]), names[ranges.names[int(at)]]
