"""The numbers and texts by which runs are judged: `knowledge/comparison.toml`."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from advisor.model.data_files import knowledge_folder
from advisor.model.settings.selectors import matches

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@dataclass(frozen=True)
class KernelLimits:
    """Limits of a kernel's time; times in ms, variations as ratios."""

    slow_ms: float
    high_variation: float
    outlier: float


@dataclass(frozen=True)
class ChangeLimits:
    """When a change counts; `alert` and `least_ratio` are later over earlier times."""

    alert: float
    least_ratio: float
    least_samples: int
    confidence: float
    resamples: int
    least_metric: float
    least_share: float
    most_metrics: int


@dataclass(frozen=True)
class ScalingLimits:
    """What a fit of times over sizes needs, and how far its exponent may lie from the expected one."""

    least_sizes: int
    least_spread: float
    tolerance: float
    expected: float
    steeper: str
    flatter: str


@dataclass(frozen=True)
class MonitorNumbers:
    """How `advisor monitor` looks; all but the interval are numbers of samples."""

    interval_s: float
    window: int
    judge_every: int
    keep_every: int


@dataclass(frozen=True)
class StepText:
    """A step of the recommended order, and the rules whose findings belong to it."""

    id: str
    title: str
    text: str
    rules: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    others: bool = False


@dataclass(frozen=True)
class ComparingNumbers:
    """All of it; `near` is the share of a budget, `effort` gives minutes, `untold` are metrics that say what
    times and shapes of launches say.
    """

    kernels: KernelLimits
    changes: ChangeLimits
    scaling: ScalingLimits
    near: float
    untold: frozenset[str]
    effort: Mapping[str, float]
    assumed_speedup: float
    steps: tuple[StepText, ...]
    monitor: MonitorNumbers

    def step_of(self, rule: str, category: str) -> str:
        """The id of the step that a rule's findings belong to."""
        named = (step.id for step in self.steps if rule in step.rules)
        grouped = (
            step.id for step in self.steps if any(matches(one, rule, category) for one in step.categories)
        )
        rest = (step.id for step in self.steps if step.others)
        return next((step for steps in (named, grouped, rest) for step in steps), self.steps[0].id)


@cache
def comparing_numbers() -> ComparingNumbers:
    """The numbers as they are shipped."""
    data = tomllib.loads((knowledge_folder() / "comparison.toml").read_text("utf-8"))
    steps = tuple(
        StepText(
            **{**step, "rules": tuple(step.get("rules", ())), "categories": tuple(step.get("categories", ()))}
        )
        for step in data["steps"]
    )
    changes = dict(data["changes"])
    untold = frozenset(changes.pop("untold"))
    return ComparingNumbers(
        KernelLimits(**data["kernels"]),
        ChangeLimits(**changes),
        ScalingLimits(**data["scaling"]),
        data["budgets"]["near"],
        untold,
        data["effort"],
        data["order"]["assumed_speedup"],
        steps,
        MonitorNumbers(**data["monitor"]),
    )
