"""How near simulated numbers come to those that a GPU gave: recordings of `benchmarks/record_device.py`."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

from advisor.model.data_files import knowledge_folder
from advisor.model.errors import UsageError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

Entry = Mapping[str, Any]
Key = tuple[Any, ...]
_FORMAT = 1
_FIRST, _IMPROVED = "_first", "_improved"


@dataclass(frozen=True)
class Aim:
    """How near a metric must come: within a share of the recorded value or an absolute difference."""

    metric: str
    share: float
    relative: float = 0.0
    absolute: float = 0.0

    def holds(self, recorded: float, simulated: float) -> bool:
        """Whether a simulated value is near enough."""
        return abs(simulated - recorded) <= max(self.absolute, self.relative * abs(recorded))


@dataclass(frozen=True)
class Deviation:
    """One kernel whose simulated value lies too far from the recorded one."""

    kernel: str
    metric: str
    recorded: float
    simulated: float


@dataclass(frozen=True)
class MetricAccuracy:
    """A metric over all kernels that both know: how many these are, and those that are too far off."""

    aim: Aim
    compared: int
    deviations: tuple[Deviation, ...]

    @property
    def is_reached(self) -> bool:
        """Whether enough kernels are near enough; with none to compare nothing is claimed, and it is."""
        return not self.compared or 1.0 - len(self.deviations) / self.compared >= self.aim.share


@dataclass(frozen=True)
class Accuracy:
    """The comparison of a recording with a simulation.

    `errors` are the relative errors of predicted times by kernel; `wrong_order` names workloads whose first
    and improved version come in another order; `missing` are recorded kernels that were not simulated.
    """

    metrics: tuple[MetricAccuracy, ...]
    errors: Mapping[str, float]
    wrong_order: tuple[str, ...]
    missing: tuple[str, ...]

    @property
    def median_error(self) -> float | None:
        """The median of the relative errors of predicted times, None without any."""
        return median(self.errors.values()) if self.errors else None

    def failures(self) -> list[str]:
        """A sentence for each aim that is missed."""
        found = []
        for one in self.metrics:
            if not one.is_reached:
                far = max(one.deviations, key=lambda each: abs(each.simulated - each.recorded))
                found.append(
                    f"{one.aim.metric}: {len(one.deviations)} of {one.compared} kernels are too far off, "
                    f"such as {far.kernel}: {far.simulated:.6g} simulated, {far.recorded:.6g} recorded."
                )
        if self.median_error is not None and self.median_error > _aims()[1]:
            found.append(f"The median error of predicted times is {self.median_error:.0%}.")
        found += [
            f"{name}: the faster version is predicted to be the slower one." for name in self.wrong_order
        ]
        return found + [f"{name} was recorded, but not simulated." for name in self.missing]


@cache
def _aims() -> tuple[tuple[Aim, ...], float]:
    """The aims of metrics, and the median error of times that is allowed."""
    data = tomllib.loads((knowledge_folder() / "profiling.toml").read_text("utf-8"))["accuracy"]
    return tuple(Aim(**one) for one in data["metrics"]), float(data["time"]["median_error"])


def read_recording(file: Path) -> dict[str, Any]:
    """The content of a recording; raises UsageError for a file of another format."""
    try:
        content: dict[str, Any] = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{file} is no recording: {error}.") from None
    if not isinstance(content, dict) or content.get("version") != _FORMAT or "entries" not in content:
        raise UsageError(f"{file} is no recording of format {_FORMAT}.")
    return content


def compare(recorded: Mapping[str, Any], simulated: Mapping[str, Any]) -> Accuracy:
    """How near the entries of a simulation come to those of a recording."""
    known, found = _by_key(recorded["entries"]), _by_key(simulated["entries"])
    both = [(key, known[key], found[key]) for key in known if key in found]
    errors = {
        _name(key): abs(ours - theirs) / theirs
        for key, entry, other in both
        if (theirs := _time(entry)) and (ours := _time(other)) is not None
    }
    return Accuracy(
        tuple(_metric(aim, both) for aim in _aims()[0]),
        errors,
        tuple(_wrong_order(both)),
        tuple(_name(key) for key in known if key not in found),
    )


def _by_key(entries: Sequence[Entry]) -> dict[Key, Entry]:
    """Entries by workload, kernel and shape."""
    return {
        (
            one["path"], one["workload"], one["kernel"], tuple(one["types"]), tuple(one["grid"] or ()),
            tuple(one["block"] or ()), one["dynamic_shared"],
        ): one
        for one in entries
    }  # fmt: skip


def _name(key: Key) -> str:
    path, workload, kernel = key[:3]
    grid, block = ("x".join(map(str, extent)) for extent in key[4:6])
    return f"{path}::{workload}: {kernel}, grid {grid}, block {block}"


def _time(entry: Entry) -> float | None:
    """The time of a launch in ms; of several measured ones the median, which outliers do not move."""
    timing = entry["timing"]
    return None if timing is None else float(timing["median"])


def _metric(aim: Aim, both: Sequence[tuple[Key, Entry, Entry]]) -> MetricAccuracy:
    pairs = [
        (key, entry["metrics"][aim.metric], other["metrics"][aim.metric])
        for key, entry, other in both
        if aim.metric in entry["metrics"] and aim.metric in other["metrics"]
    ]
    far = tuple(
        Deviation(_name(key), aim.metric, theirs, ours)
        for key, theirs, ours in pairs
        if not aim.holds(theirs, ours)
    )
    return MetricAccuracy(aim, len(pairs), far)


def _wrong_order(both: Sequence[tuple[Key, Entry, Entry]]) -> list[str]:
    """Workloads in which the first version and the improved one take times in another order than recorded."""
    sums: dict[tuple[str, str], dict[str, list[float]]] = {}
    for key, entry, other in both:
        version = next((one for one in (_FIRST, _IMPROVED) if key[2].endswith(one)), None)
        times = (_time(entry), _time(other))
        if version is None or times[0] is None or times[1] is None:
            continue
        added = sums.setdefault((key[0], key[1]), {}).setdefault(version, [0.0, 0.0])
        for at, time in enumerate(times):
            added[at] += (time or 0.0) * entry["launches"]
    found = []
    for (path, workload), versions in sums.items():
        if len(versions) == 2:
            (first, ours), (improved, better) = versions[_FIRST], versions[_IMPROVED]
            if (first > improved) != (ours > better):
                found.append(f"{path}::{workload}")
    return found
