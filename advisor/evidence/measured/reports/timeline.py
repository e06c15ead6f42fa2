"""Time on a device and on the host: what of a run something executes in, and its gaps."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
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

    @classmethod
    def of(cls, starts: Iterable[float], ends: Iterable[float]) -> Busy:
        """The union of stretches in any order."""
        begin, finish = np.asarray(list(starts)), np.asarray(list(ends))
        found = cls()
        for at in np.argsort(begin, kind="stable"):
            found.add(float(begin[at]), float(finish[at]))
        return found


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
                durations=tuple(durations),
                values=(self.values[shape],),
                ranges=shape[4],
                dynamic_shared=shape[3],
            )
            for shape, durations in self.groups.items()
        ]
        return tuple(sorted(found, key=lambda one: -sum(one.durations)))
