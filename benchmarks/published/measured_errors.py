"""How far predicted times lie from measured ones: the factors of knowledge/machine/prediction_error.toml.

Of the absolute values of the errors' logarithms in the open half the quantile of the share that is asked for
is taken; how much of the half that was set aside, and of what was added later, lies within it says what it is
worth.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Time:
    """The measured and the predicted time of one kernel, in ms."""

    half: str
    measured: float
    predicted: float

    @property
    def error(self) -> float:
        """The logarithm of how many times as long it took as predicted."""
        return math.log(self.measured / self.predicted)


@dataclass(frozen=True)
class Within:
    """A factor that holds a share of the open errors; of each other group how many there are and it holds."""

    factor: float
    open: int
    others: tuple[tuple[int, int], ...]


def quantile(values: Sequence[float], share: float) -> float:
    """The value that a share of the values does not exceed, between two of them in proportion."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def within(open_errors: Sequence[float], *others: Sequence[float], share: float) -> Within:
    """The factor for logarithms of errors."""
    most = quantile([abs(error) for error in open_errors], share)
    counts = tuple((len(errors), sum(abs(error) <= most for error in errors)) for errors in others)
    return Within(math.exp(most), len(open_errors), counts)


def milliseconds(value: float, unit: str, work: float | None) -> float | None:
    """A measured time in ms; that of a rate from the bytes or operations that it counts.

    None for a rate without, and for cycles.
    """
    if unit in _MILLISECONDS:
        return value * _MILLISECONDS[unit]
    return None if work is None or unit not in _PER_SECOND else work / (value * _PER_SECOND[unit]) * 1e3


_MILLISECONDS = {"ms": 1.0, "us": 1e-3}
_PER_SECOND = {"GB/s": 1e9, "GiB/s": 2.0**30, "GFLOP/s": 1e9}
