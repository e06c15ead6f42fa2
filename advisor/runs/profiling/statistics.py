"""Statistics of measured times."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from advisor.model.history.fingerprint import Timing

# The same times give the same interval.
_SEED = 7


def timing_of(times: Sequence[float], most_kept: int) -> Timing:
    """The statistics of times in any unit; raises ValueError for none. At most `most_kept` are kept, evenly
    spread over the order in which they were measured.
    """
    if not times:
        raise ValueError("there is no time")
    values = np.asarray(times, dtype=np.float64)
    chosen = values
    if len(values) > most_kept:
        chosen = values[np.linspace(0, len(values) - 1, most_kept).round().astype(int)]
    return Timing(
        iterations=len(values),
        mean=float(values.mean()),
        median=float(np.median(values)),
        deviation=float(values.std(ddof=1)) if len(values) > 1 else 0.0,
        least=float(values.min()),
        most=float(values.max()),
        samples=tuple(chosen.tolist()),
    )


def mean_interval(times: Sequence[float], resamples: int, confidence: float) -> tuple[float, float]:
    """The ends of the confidence interval of the mean, by percentile bootstrap (B. Efron and R. Tibshirani,
    "An Introduction to the Bootstrap", 1993, chapter 13). Raises ValueError for no times.
    """
    if not len(times):
        raise ValueError("there is no time")
    values = np.asarray(times, dtype=np.float64)
    random = np.random.default_rng(_SEED)
    means = values[random.integers(0, len(values), (resamples, len(values)))].mean(axis=1)
    low, high = np.quantile(means, [(1.0 - confidence) / 2.0, (1.0 + confidence) / 2.0])
    return float(low), float(high)


def variation(times: Sequence[float]) -> float | None:
    """The coefficient of variation, None for fewer than two times or a mean of zero."""
    if len(times) < 2:
        return None
    values = np.asarray(times, dtype=np.float64)
    mean = float(values.mean())
    return float(values.std(ddof=1)) / mean if mean > 0.0 else None
