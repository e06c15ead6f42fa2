"""Whether one of two series of paired times is smaller, with a confidence interval by bootstrap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

# The same times give the same interval.
_SEED = 20


@dataclass(frozen=True)
class Ratio:
    """How many times as long the first series took: the geometric mean over the pairs, and the ends of its
    confidence interval.
    """

    mean: float
    low: float
    high: float
    pairs: int


def paired_ratio(before: Sequence[float], after: Sequence[float], resamples: int, confidence: float) -> Ratio:
    """The ratio of paired times, all above zero, in any unit.

    The interval is the percentile bootstrap over pairs (B. Efron and R. Tibshirani, "An Introduction to the
    Bootstrap", 1993, chapter 13). Raises ValueError for series of other lengths, empty ones, or times that
    are not above zero.
    """
    if len(before) != len(after) or not len(before):
        raise ValueError("the series must have one length, at least 1")
    if min(*before, *after) <= 0.0:
        raise ValueError("times must be above zero")
    logs = np.log(np.asarray(before)) - np.log(np.asarray(after))
    random = np.random.default_rng(_SEED)
    means = logs[random.integers(0, len(logs), (resamples, len(logs)))].mean(axis=1)
    low, high = np.quantile(means, [(1.0 - confidence) / 2.0, (1.0 + confidence) / 2.0])
    mean, least, most = (float(np.exp(one)) for one in (logs.mean(), low, high))
    return Ratio(mean, least, most, len(logs))
