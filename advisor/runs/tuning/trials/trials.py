"""A tried configuration and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from advisor.runs.tuning.slots.numbers_in_source import Configuration

Outcome: TypeAlias = Literal["equal", "results differ", "failed"]


@dataclass(frozen=True)
class Trial:
    """One configuration: its launch, what was predicted, whether its results are those of the present one.

    `predicted_ms` is the kernel's predicted time in ms and `occupancy` its theoretical occupancy from 0 to 1;
    both None where it failed. `registers` are those of a thread. `others` holds the predicted times of the
    workload's other kernels. `reason` says why results differ or why it failed; `deviation` is the largest of
    floats that differ, relative to their array's largest magnitude.
    """

    configuration: Configuration
    outcome: Outcome
    block: tuple[int, ...] = ()
    grid: tuple[int, ...] = ()
    registers: int | None = None
    occupancy: float | None = None
    limiter: str = ""
    predicted_ms: float | None = None
    spilled_bytes: int = 0
    shared_bytes: int = 0
    reason: str = ""
    deviation: float | None = None
    others: Mapping[str, float] = field(default_factory=dict)

    @property
    def may_be_offered(self) -> bool:
        """Whether it ran, with the same results."""
        return self.outcome == "equal" and self.predicted_ms is not None


def as_data(trial: Trial) -> dict[str, Any]:
    """The trial as plain data for a store."""
    fields = {**vars(trial), "configuration": dict(trial.configuration.values), "others": dict(trial.others)}
    return {**fields, "block": list(trial.block), "grid": list(trial.grid)}


def from_data(data: Mapping[str, Any]) -> Trial:
    """The trial of plain data; raises TypeError, ValueError or KeyError for what is none."""
    values = tuple((str(name), int(value)) for name, value in data["configuration"].items())
    rest = {name: value for name, value in data.items() if name != "configuration"}
    rest["block"] = tuple(int(one) for one in data["block"])
    rest["grid"] = tuple(int(one) for one in data["grid"])
    return Trial(configuration=Configuration(values), **rest)
