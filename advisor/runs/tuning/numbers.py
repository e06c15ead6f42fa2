"""What the search tries, how long, and what it calls a gain: the numbers of `knowledge/tuning.toml`."""

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
class TuningNumbers:
    """The numbers of a search.

    `seconds` is the limit of a whole search; `edit_gain` and `step_gain` are speed-ups (1.05 = 5 % faster);
    `tolerance` and `rounding` are relative to the largest magnitude of an array; `one_axis` and `two_axes`
    are threads.
    """

    seconds: float
    kept_output_bytes: int
    edit_gain: float
    step_gain: float
    tolerance: float
    rounding: float
    one_axis: tuple[int, ...]
    two_axes: tuple[tuple[int, int], ...]
    tile_factors: tuple[float, ...]
    register_limits: tuple[int, ...]


@cache
def tuning_numbers() -> TuningNumbers:
    """The numbers of the knowledge base."""
    data = tomllib.loads((knowledge_folder() / "tuning.toml").read_text("utf-8"))
    return TuningNumbers(
        seconds=float(data["limits"]["seconds"]),
        kept_output_bytes=int(data["limits"]["kept_output_bytes"]),
        edit_gain=float(data["gains"]["edit"]),
        step_gain=float(data["gains"]["step"]),
        tolerance=float(data["outputs"]["tolerance"]),
        rounding=float(data["outputs"]["rounding"]),
        one_axis=tuple(int(threads) for threads in data["block"]["one_axis"]),
        two_axes=tuple((int(x), int(y)) for x, y in data["block"]["two_axes"]),
        tile_factors=tuple(float(factor) for factor in data["tiles"]["factors"]),
        register_limits=tuple(int(limit) for limit in data["registers"]["limits"]),
    )
