"""The time of a launch whose counts are known within bounds, with the interval of the model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from advisor.evidence.metrics.prediction_error import Interval, time_interval
from advisor.evidence.metrics.times.launch_counts import LaunchCounts
from advisor.evidence.metrics.times.resources import joined_time, resource_times
from advisor.model.devices import Device


@dataclass(frozen=True, slots=True)
class PossibleTime:
    """The least and the most seconds of a launch by its counts, and what most of each comes from.

    `interval` holds both, and the error of the model.
    """

    least: float
    most: float
    limiters: tuple[str, str]

    @property
    def interval(self) -> Interval:
        """Where a GPU's time lies, as far as published times tell."""
        return Interval(time_interval(self.least).low, time_interval(self.most).high)


def seconds_of(counts: LaunchCounts, device: Device) -> float | None:
    """The predicted seconds of a launch; None where its counts or the device's numbers do not suffice."""
    return joined_time(resource_times(counts, device)) or None


def possible_time(possible: Sequence[LaunchCounts], device: Device) -> PossibleTime | None:
    """The time of a launch that has one of some counts; None where they do not suffice."""
    found = []
    for counts in possible:
        times = resource_times(counts, device)
        seconds = joined_time(times)
        if seconds <= 0.0:
            return None
        found.append((seconds, max(times, key=lambda name: times[name])))
    if not found:
        return None
    (least, first), (most, last) = min(found), max(found)
    return PossibleTime(least, most, (first, last))
