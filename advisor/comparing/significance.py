"""Whether one of two series of times is longer, with a confidence interval by bootstrap."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

# The same times give the same interval.
_SEED = 11


class Interval(NamedTuple):
    """The ends of a confidence interval."""

    low: float
    high: float


def ratio_interval(
    before: Sequence[float], after: Sequence[float], resamples: int, confidence: float
) -> Interval:
    """The confidence interval of the mean of `after` over that of `before`, two series of times of their own.

    It is the percentile bootstrap of two samples (B. Efron and R. Tibshirani, "An Introduction to the
    Bootstrap", 1993, chapters 8 and 13). Raises ValueError for an empty series or times not above zero.
    """
    if not before or not after or min(*before, *after) <= 0.0:
        raise ValueError("both series must have times, all above zero")
    import numpy as np

    random = np.random.default_rng(_SEED)
    means = []
    for series in (before, after):
        values = np.asarray(series, dtype=np.float64)
        means.append(values[random.integers(0, len(values), (resamples, len(values)))].mean(axis=1))
    edge = (1.0 - confidence) / 2.0
    low, high = np.quantile(means[1] / means[0], [edge, 1.0 - edge])
    return Interval(float(low), float(high))
