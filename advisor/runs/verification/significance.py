"""Whether one of two series of paired times is smaller, with a confidence interval by a permutation test."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# The same times give the same interval.
_SEED = 20
_HALVINGS = 40
_DOUBLINGS = 40


@dataclass(frozen=True)
class Ratio:
    """How many times as long the first series took: the geometric mean over the pairs, and the ends of its
    confidence interval; 0 and infinity where so few pairs exclude no ratio.
    """

    mean: float
    low: float
    high: float
    pairs: int


def paired_ratio(before: Sequence[float], after: Sequence[float], resamples: int, confidence: float) -> Ratio:
    """The ratio of paired times, all above zero, in any unit.

    The interval holds every ratio that the permutation test of paired differences does not reject (R. A.
    Fisher, "The Design of Experiments", 1935, chapter 3; E. J. G. Pitman, "Significance Tests Which May be
    Applied to Samples from Any Populations", 1937): were the ratio the true one, each pair could as well have
    come out the other way round, so the mean difference is set beside those of `resamples` exchanges by
    chance. Raises ValueError for series of other lengths, empty ones, or times that are not above zero.
    """
    if len(before) != len(after) or not len(before):
        raise ValueError("the series must have one length, at least 1")
    if min(*before, *after) <= 0.0:
        raise ValueError("times must be above zero")
    logs = np.log(np.asarray(before)) - np.log(np.asarray(after))
    exchanged = np.random.default_rng(_SEED).choice(np.array([-1.0, 1.0]), (resamples, len(logs)))
    centre = float(logs.mean())
    below = _reach(centre - logs, exchanged, 1.0 - confidence)
    above = _reach(logs - centre, exchanged, 1.0 - confidence)
    return Ratio(math.exp(centre), math.exp(centre - below), math.exp(centre + above), len(logs))


def _reach(deviations: NDArray[np.float64], exchanged: NDArray[np.float64], level: float) -> float:
    """How far the centre of differences can be moved upwards before the test rejects it, infinity if it never
    does; `deviations` are those from their mean.
    """
    inside, outside = 0.0, max(float(abs(deviations).max()), 1e-12)
    for _ in range(_DOUBLINGS):
        if _chance(deviations - outside, exchanged) <= level:
            break
        inside, outside = outside, outside * 2.0
    else:
        return math.inf
    for _ in range(_HALVINGS):
        middle = (inside + outside) / 2.0
        if _chance(deviations - middle, exchanged) <= level:
            outside = middle
        else:
            inside = middle
    return outside


def _chance(differences: NDArray[np.float64], exchanged: NDArray[np.float64]) -> float:
    """The share of exchanges, the one that was measured among them, whose sum is as far from zero."""
    measured = abs(differences.sum()) * (1.0 - 1e-12)
    return float((1 + (abs(exchanged @ differences) >= measured).sum()) / (1 + len(exchanged)))
