"""How many times as fast a launch would be if some of its counts were others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from advisor.evidence.metrics.prediction_error import Interval, ratio_interval
from advisor.evidence.metrics.times.changes import Change, all_changed, with_occupancy
from advisor.evidence.metrics.times.launch_counts import LaunchCounts
from advisor.evidence.metrics.times.possible_times import possible_time
from advisor.model.devices import Device


@dataclass(frozen=True, slots=True)
class Gain:
    """The least and the most times as fast that a launch becomes, by its counts.

    `limiter` is what most of its time comes from, `left` what most of the time comes from that is left at the
    most. `interval` holds both ratios, and the error of the model.
    """

    least: float
    most: float
    limiter: str
    left: str

    @property
    def ratio(self) -> float:
        """The one number for both: their geometric mean."""
        return float((self.least * self.most) ** 0.5)

    @property
    def interval(self) -> Interval:
        """Where a GPU's ratio lies, as far as published times tell."""
        return Interval(ratio_interval(self.least).low, ratio_interval(self.most).high)


def time_with(possible: Sequence[LaunchCounts], changes: Sequence[Change], device: Device) -> Gain | None:
    """What changes, one after the other, gain for a launch that has one of some counts.

    One that was recorded has one tuple of counts, one that fills a device may have two (`filled_device`).
    None where a number that is changed, or one that the time needs, is not known.
    """
    of_blocks = any(one.is_of_blocks for one in changes)
    ratios: list[float] = []
    limiters: list[tuple[float, str, str]] = []
    for counts in possible:
        before = with_occupancy(counts, device) if of_blocks else counts
        after = None if before is None else all_changed(before, changes, device)
        if before is None or after is None:
            return None
        was, now = possible_time((before,), device), possible_time(after, device)
        if was is None or now is None:
            return None
        ratios += [was.least / now.least, was.least / now.most]
        limiters.append((now.most, was.limiters[0], now.limiters[1]))
    if not ratios:
        return None
    _, limiter, left = max(limiters)
    return Gain(min(ratios), max(ratios), limiter, left)
