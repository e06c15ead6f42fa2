"""Time on a device and on the host: what of a run something executes in, and its gaps."""

from __future__ import annotations

import math
from array import array
from dataclasses import dataclass, field

import numpy as np

from advisor.evidence.measured.reports.report import Extent, Launches, Quantity


@dataclass
class Busy:
    """The union of stretches that are given in order of their beginnings; times in any one unit."""

    covered: float = 0.0
    longest_gap: float = 0.0
    first: float | None = None
    end: float = 0.0

    def add(self, start: float, end: float) -> None:
        """Count a stretch."""
        if self.first is None:
            self.first, self.end = start, start
        self.longest_gap = max(self.longest_gap, start - self.end)
        self.covered += max(0.0, end - max(start, self.end))
        self.end = max(self.end, end)


@dataclass
class Stretches:
    """Stretches in any order, sixteen bytes for each; times in any one unit."""

    starts: array[float] = field(default_factory=lambda: array("d"))
    ends: array[float] = field(default_factory=lambda: array("d"))

    def __bool__(self) -> bool:
        return bool(self.starts)

    def add(self, start: float, end: float) -> None:
        """Keep a stretch."""
        self.starts.append(start)
        self.ends.append(end)

    def union(self) -> Busy:
        """What they cover together."""
        if not self.starts:
            return Busy()
        begin, finish = np.frombuffer(self.starts), np.frombuffer(self.ends)
        order = np.argsort(begin, kind="stable")
        begin, finish = begin[order], finish[order]
        # When the device was free again before each stretch.
        free = np.maximum.accumulate(np.concatenate(([begin[0]], finish)))
        covered = np.maximum(0.0, finish - np.maximum(begin, free[:-1]))
        gap = max(0.0, float(np.max(begin - free[:-1])))
        return Busy(math.fsum(covered), gap, float(begin[0]), float(free[-1]))


class OutOfOrder(Exception):
    """A stretch began before the one in front of it."""


class OrderedStretches:
    """Stretches in order of their beginnings, of which nothing but their union is kept."""

    def __init__(self) -> None:
        self._union = Busy()
        self._last = -math.inf

    def __bool__(self) -> bool:
        return self._union.first is not None

    def add(self, start: float, end: float) -> None:
        """Count a stretch. Raises OutOfOrder where it begins before the last one."""
        if start < self._last:
            raise OutOfOrder
        self._last = start
        self._union.add(start, end)

    def union(self) -> Busy:
        """What they cover together."""
        return self._union


Shape = tuple[str, Extent | None, Extent | None, int, tuple[str, ...]]


@dataclass
class LaunchGroups:
    """Launches by kernel, shape and ranges; eight bytes for each, however long the run is."""

    groups: dict[Shape, array[float]] = field(default_factory=dict)
    values: dict[Shape, dict[str, Quantity]] = field(default_factory=dict)

    def add(self, shape: Shape, milliseconds: float, values: dict[str, Quantity]) -> None:
        """Count a launch. Of the values the first launch's are kept: a shape has the same."""
        durations = self.groups.get(shape)
        if durations is None:
            durations = self.groups[shape] = array("d")
            self.values[shape] = values
        durations.append(milliseconds)

    def launches(self) -> tuple[Launches, ...]:
        """All groups, those that took longest first."""
        found = [
            Launches(
                name=shape[0],
                grid=shape[1],
                block=shape[2],
                launches=len(durations),
                durations=durations,
                values=(self.values[shape],),
                ranges=shape[4],
                dynamic_shared=shape[3],
            )
            for shape, durations in self.groups.items()
        ]
        return tuple(sorted(found, key=lambda one: -sum(one.durations)))
