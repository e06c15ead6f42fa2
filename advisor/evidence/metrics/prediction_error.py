"""How far a predicted time may lie from the time on a GPU, by how far such times lie from published ones.

The numbers are those of `knowledge/machine/prediction_error.toml`.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cache

from advisor.model.data_files import knowledge_folder

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@dataclass(frozen=True)
class PredictionError:
    """The share of published numbers that lie within a factor of the predicted ones, and the factors: of the
    time of one launch, and of the ratio of two versions of a kernel.
    """

    share: float
    time: float
    ratio: float


@dataclass(frozen=True)
class Interval:
    """Where so many of a hundred predictions have the measured number, as far as published ones tell."""

    low: float
    high: float

    @property
    def holds_one(self) -> bool:
        """Whether it leaves open on which side of 1 a ratio lies."""
        return self.low <= 1.0 <= self.high


@cache
def prediction_error() -> PredictionError:
    """The numbers as they are shipped."""
    path = knowledge_folder() / "machine" / "prediction_error.toml"
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    return PredictionError(data["share"], data["time"]["within"], data["ratio"]["within"])


def time_interval(time: float) -> Interval:
    """The interval of a predicted time, in its unit."""
    return _around(time, prediction_error().time)


def ratio_interval(ratio: float) -> Interval:
    """The interval of how many times as fast one version of a kernel is predicted to be as another."""
    return _around(ratio, prediction_error().ratio)


def _around(value: float, factor: float) -> Interval:
    return Interval(value / factor, value * factor)
