"""How the time of a kernel changed between two runs, and whether that is more than chance."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

from advisor.evidence.measured.run_times import launch_time, time_of
from advisor.evidence.metrics import prediction_error
from advisor.model.history.fingerprint import Fingerprint
from advisor.runs.comparison.numbers import ChangeLimits
from advisor.runs.comparison.significance import Interval, chance, least_chance, ratio_interval

Verdict: TypeAlias = Literal[
    "slower", "faster", "no difference", "cannot tell", "not known", "not comparable"
]


@dataclass(frozen=True)
class TimeChange:
    """Times before and after in ms: of a launch, or of all launches of an iteration where `of_all`.

    `ratio` is after over before, `interval` its confidence interval, None where there are too few times; of
    predicted times it is that of the model's error. `alert` says that it is too much.
    """

    before: float
    after: float
    of_all: bool
    ratio: float
    interval: Interval | None
    verdict: Verdict
    alert: bool


def time_change(
    before: Fingerprint, after: Fingerprint, comparable: bool, limits: ChangeLimits, compared: int = 1
) -> TimeChange | None:
    """The change, None where a time is not known.

    Launches of one shape are compared one by one; where the shape changed, all of an iteration, since they
    may be fewer and longer. `comparable` is False for other devices, or for measured beside predicted times.
    `compared` is the number of kernels whose times are compared: the confidence is that none of them is
    called slower or faster by chance (Bonferroni's correction). Predicted times have no chance in them, but
    the model has an error, within which nothing can be told (docs/decisions/0036).
    """
    of_all = _shape(before) != _shape(after)
    clock = time_of if of_all else launch_time
    first, second = clock(before), clock(after)
    if first is None or second is None or first <= 0.0 or second <= 0.0:
        return None
    ratio = second / first
    if not comparable:
        return TimeChange(first, second, of_all, ratio, None, "not comparable", False)
    if after.source != "measured":
        interval, verdict = _predicted(ratio, limits)
    else:
        interval, verdict = _judged(before, after, ratio, limits, compared)
    alert = ratio >= limits.alert and verdict in ("slower", "not known")
    return TimeChange(first, second, of_all, ratio, interval, verdict, alert)


def is_judged(before: Fingerprint, after: Fingerprint, limits: ChangeLimits) -> bool:
    """Whether there are times enough of both to tell a change from chance."""
    if before.timing is None or after.timing is None or after.source != "measured":
        return False
    samples = before.timing.samples, after.timing.samples
    return min(map(len, samples)) >= limits.least_samples and min(map(min, samples)) > 0.0


def needed_times(limits: ChangeLimits, compared: int) -> int:
    """How many times of each run it takes to tell a change from chance, with so many kernels compared."""
    number, level = limits.least_samples, (1.0 - limits.confidence) / max(1, compared)
    while least_chance(number, number) > level:
        number += 1
    return number


def _shape(one: Fingerprint) -> tuple[object, ...]:
    who = one.identity
    return who.grid, who.block, who.types


def _judged(
    before: Fingerprint, after: Fingerprint, ratio: float, limits: ChangeLimits, compared: int
) -> tuple[Interval | None, Verdict]:
    if before.timing is None or after.timing is None or not is_judged(before, after, limits):
        return None, "not known"
    scale = ratio / (after.timing.mean / before.timing.mean)
    first, second = before.timing.samples, [time * scale for time in after.timing.samples]
    interval = ratio_interval(first, second, limits.resamples, limits.confidence)
    verdict = _moved(ratio, limits)
    if verdict == "no difference":
        return interval, verdict
    level = (1.0 - limits.confidence) / max(1, compared)
    if least_chance(len(first), len(second)) > level:
        return interval, "not known"
    divisions = max(limits.resamples, math.ceil(2.0 / level))
    return interval, verdict if chance(first, second, divisions) <= level else "no difference"


def _predicted(ratio: float, limits: ChangeLimits) -> tuple[Interval | None, Verdict]:
    error = prediction_error.ratio_interval(ratio)
    verdict = _moved(ratio, limits)
    if verdict != "no difference" and error.holds_one:
        verdict = "cannot tell"
    return Interval(error.low, error.high), verdict


def _moved(ratio: float, limits: ChangeLimits) -> Verdict:
    """What a ratio says where chance has no part in it."""
    if ratio >= limits.least_ratio:
        return "slower"
    return "faster" if ratio <= 1.0 / limits.least_ratio else "no difference"
