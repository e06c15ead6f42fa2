"""Ranges that programs name on their threads, and which of them are open at a moment."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field

from advisor.evidence.measured.reports.cuda_calls import place_named

Names = tuple[str, ...]
_Range = tuple[float, float, str]


@dataclass
class ThreadRanges:
    """Ranges by thread, added in any order."""

    _by_thread: dict[Hashable, list[_Range]] = field(default_factory=dict)

    def add(self, thread: Hashable, start: float, end: float, name: str) -> None:
        """Keep a range."""
        self._by_thread.setdefault(thread, []).append((start, end, place_named(name) or name))

    def __bool__(self) -> bool:
        return bool(self._by_thread)

    def enclosing(self, moments: Iterable[tuple[Hashable, float, int]]) -> dict[int, Names]:
        """The names of the ranges around each moment, outermost first, by its number; none for none.

        A moment is a thread, a time and a number.
        """
        asked: dict[Hashable, list[tuple[float, int]]] = {}
        for thread, time, number in moments:
            if thread in self._by_thread:
                asked.setdefault(thread, []).append((time, number))
        found: dict[int, Names] = {}
        kept: dict[Names, Names] = {}
        for thread, times in asked.items():
            for number, names in _around(self._by_thread[thread], times):
                if names:
                    found[number] = kept.setdefault(names, names)
        return found


def _around(ranges: list[_Range], moments: list[tuple[float, int]]) -> Iterable[tuple[int, Names]]:
    # Of two that begin together the longer one is outside.
    ranges.sort(key=lambda one: (one[0], -one[1]))
    opened: list[_Range] = []
    at = 0
    for time, number in sorted(moments):
        while at < len(ranges) and ranges[at][0] <= time:
            opened.append(ranges[at])
            at += 1
        opened = [one for one in opened if one[1] > time]
        yield number, tuple(name for _, _, name in opened)
