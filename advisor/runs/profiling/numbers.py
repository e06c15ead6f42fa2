"""How often is measured and when it is enough: the numbers of `knowledge/profiling.toml`."""

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
class ProfilingNumbers:
    """The numbers by which is measured; `half_width` and `share` are ratios."""

    warm_ups: int
    least: int
    most: int
    seconds: float
    step: int
    confidence: float
    resamples: int
    half_width: float
    share: float
    overhead_pairs: int
    most_kept: int
    most_events: int
    nvml_interval_ms: float
    most_nvml_samples: int
    counted_launches: int
    counting_seconds: float


@cache
def profiling_numbers() -> ProfilingNumbers:
    """The numbers as they are shipped."""
    data = tomllib.loads((knowledge_folder() / "profiling.toml").read_text("utf-8"))
    return ProfilingNumbers(
        **data["iterations"],
        **data["interval"],
        overhead_pairs=data["overhead"]["pairs"],
        **data["samples"],
        nvml_interval_ms=data["nvml"]["interval_ms"],
        most_nvml_samples=data["nvml"]["most_kept"],
        counted_launches=data["counters"]["most_launches"],
        counting_seconds=data["counters"]["seconds"],
    )
