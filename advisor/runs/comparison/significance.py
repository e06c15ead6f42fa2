"""Whether one of two series of times is longer beyond chance, and how much longer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# The same times give the same interval and the same probability.
_SEED = 11
# Longer series are divided into this many means of neighbours, but for a few more of the last division.
_MOST_MEANS = 200
# Means that the shorter series keeps at least.
_LEAST_MEANS = 20
_NUMBERS_AT_ONCE = 1_000_000
# Where so many of the first divisions are as far apart, no further ones are tried: no level is that high.
_FIRST_LOOK = 100
_PLAINLY_CHANCE = 20


class Interval(NamedTuple):
    """The ends of a confidence interval."""

    low: float
    high: float


def chance(before: Sequence[float], after: Sequence[float], divisions: int) -> float:
    """The probability that chance alone sets the means of two series apart as far as they are, or further.

    It is the permutation test (R. A. Fisher, "The Design of Experiments", 1935; B. Efron and R. Tibshirani,
    "An Introduction to the Bootstrap", 1993, chapter 15): when both series come from one distribution,
    whatever it is, each division of all times into two such series is as likely as the one that was measured.
    All divisions are tried when there are at most `divisions`, else as many by chance, which keeps the level
    of the test; fewer where the first show that it is chance. Raises ValueError for an empty series.
    """
    import numpy as np

    first, second = _means(before, after)
    if not len(first) or not len(second):
        raise ValueError("both series must have times")
    together = np.concatenate([first, second])
    number = len(first)
    measured = abs(first.mean() - second.mean()) * (1.0 - 1e-12)
    if math.comb(len(together), number) <= divisions:
        chosen = np.array(list(combinations(range(len(together)), number)))
        return float((_apart(together, chosen) >= measured).mean())
    random = np.random.default_rng(_SEED)
    at_once = max(1, _NUMBERS_AT_ONCE // len(together))
    further = done = 0
    while done < divisions:
        part = min(at_once, divisions - done) if done else min(_FIRST_LOOK, divisions)
        order = random.random((part, len(together)))
        chosen = np.argpartition(order, number - 1, axis=1)[:, :number]
        further += int((_apart(together, chosen) >= measured).sum())
        done += part
        if done == _FIRST_LOOK and further > _PLAINLY_CHANCE:
            break
    return (1 + further) / (1 + done)


def least_chance(before: int, after: int) -> float:
    """The least probability that `chance` can give for series of these lengths that share no time."""
    return (2.0 if before == after else 1.0) / math.comb(before + after, before)


def _apart(together: NDArray[np.float64], chosen: NDArray[np.int64]) -> NDArray[np.float64]:
    """How far the means of the two parts of each division are apart."""
    number = chosen.shape[1]
    sums = together[chosen].sum(axis=1)
    return abs(sums / number - (together.sum() - sums) / (len(together) - number))


def _means(before: Sequence[float], after: Sequence[float]) -> list[NDArray[np.float64]]:
    """The series, or where they are long means of as many neighbours in both."""
    import numpy as np

    size = math.ceil(max(len(before), len(after)) / _MOST_MEANS)
    size = max(1, min(size, min(len(before), len(after)) // _LEAST_MEANS))
    found = []
    for series in (before, after):
        values = np.asarray(series, dtype=np.float64)
        found.append(values[: len(values) // size * size].reshape(-1, size).mean(axis=1))
    return found


def ratio_interval(
    before: Sequence[float], after: Sequence[float], resamples: int, confidence: float
) -> Interval:
    """The confidence interval of the mean of `after` over that of `before`, two series of times of their own.

    It is the percentile bootstrap of two samples (B. Efron and R. Tibshirani, "An Introduction to the
    Bootstrap", 1993, chapters 8 and 13), expanded as short series need it (T. Hesterberg, "What Teachers
    Should Know About the Bootstrap", The American Statistician 69, 2015). Raises ValueError for an empty
    series or times not above zero.
    """
    if not before or not after or min(*before, *after) <= 0.0:
        raise ValueError("both series must have times, all above zero")
    import numpy as np

    random = np.random.default_rng(_SEED)
    means = []
    for series in (before, after):
        values = np.asarray(series, dtype=np.float64)
        means.append(values[random.integers(0, len(values), (resamples, len(values)))].mean(axis=1))
    edge = _expanded((1.0 - confidence) / 2.0, min(len(before), len(after)))
    low, high = np.quantile(means[1] / means[0], [edge, 1.0 - edge])
    return Interval(float(low), float(high))


def _expanded(edge: float, number: int) -> float:
    """The share of resamples to leave out at each end, so that the interval is as wide as Student's."""
    if number < 2:
        return edge
    quantile = student_quantile(1.0 - edge, number - 1)
    return NormalDist().cdf(-math.sqrt(number / (number - 1)) * quantile)


def student_quantile(probability: float, degrees: int) -> float:
    """The quantile of Student's distribution, within 0.01 from four degrees of freedom on.

    It is the expansion in inverse degrees (M. Abramowitz and I. Stegun, "Handbook of Mathematical Functions",
    1964, 26.7.5).
    """
    x = NormalDist().inv_cdf(probability)
    terms = (
        (x**3 + x) / 4,
        (5 * x**5 + 16 * x**3 + 3 * x) / 96,
        (3 * x**7 + 19 * x**5 + 17 * x**3 - 15 * x) / 384,
        (79 * x**9 + 776 * x**7 + 1482 * x**5 - 1920 * x**3 - 945 * x) / 92160,
    )
    return x + sum(term / math.pow(degrees, power) for power, term in enumerate(terms, 1))
