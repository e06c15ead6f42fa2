"""How the time of a kernel changed between two runs, and whether that is more than chance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from advisor.comparing.numbers import ChangeLimits
from advisor.comparing.significance import Interval, ratio_interval
from advisor.comparing.times import launch_time, time_of
from advisor.history.fingerprint import Fingerprint

Verdict: TypeAlias = Literal["slower", "faster", "no difference", "not known", "not comparable"]


@dataclass(frozen=True)
class TimeChange:
    """Times before and after in ms: of a launch, or of all launches of an iteration where `of_all`.

    `ratio` is after over before, `interval` its confidence interval, None where there are too few times or
    they are a model's. `alert` says that it is too much.
    """

    before: float
    after: float
    of_all: bool
    ratio: float
    interval: Interval | None
    verdict: Verdict
    alert: bool


def time_change(
    before: Fingerprint, after: Fingerprint, comparable: bool, limits: ChangeLimits
) -> TimeChange | None:
    """The change, None where a time is not known.

    Launches of one shape are compared one by one; where the shape changed, all of an iteration, since they
    may be fewer and longer. `comparable` is False for other devices, or for measured beside predicted times.
    """
    of_all = _shape(before) != _shape(after)
    clock = time_of if of_all else launch_time
    first, second = clock(before), clock(after)
    if first is None or second is None or first <= 0.0 or second <= 0.0:
        return None
    ratio = second / first
    if not comparable:
        return TimeChange(first, second, of_all, ratio, None, "not comparable", False)
    interval = _interval(before, after, ratio, limits)
    verdict = _verdict(ratio, interval, after.source != "measured", limits)
    alert = ratio >= limits.alert and verdict in ("slower", "not known")
    return TimeChange(first, second, of_all, ratio, interval, verdict, alert)


def _shape(one: Fingerprint) -> tuple[object, ...]:
    who = one.identity
    return who.grid, who.block, who.types


def _interval(before: Fingerprint, after: Fingerprint, ratio: float, limits: ChangeLimits) -> Interval | None:
    if before.timing is None or after.timing is None or after.source != "measured":
        return None
    samples = before.timing.samples, after.timing.samples
    if min(map(len, samples)) < limits.least_samples or min(map(min, samples)) <= 0.0:
        return None
    found = ratio_interval(*samples, limits.resamples, limits.confidence)
    scale = ratio / (after.timing.mean / before.timing.mean)
    return Interval(found.low * scale, found.high * scale)


def _verdict(ratio: float, interval: Interval | None, predicted: bool, limits: ChangeLimits) -> Verdict:
    if interval is None and not predicted:
        return "not known"
    low, high = interval or (ratio, ratio)
    if low > 1.0 and ratio >= limits.least_ratio:
        return "slower"
    if high < 1.0 and ratio <= 1.0 / limits.least_ratio:
        return "faster"
    return "no difference"
