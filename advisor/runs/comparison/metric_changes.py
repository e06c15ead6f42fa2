"""Which metrics of two runs or kernels differ by more than a little."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from advisor.model.records import Value
from advisor.rules import Rulebook
from advisor.rules.units import RATIO
from advisor.runs.comparison.numbers import comparing_numbers


@dataclass(frozen=True)
class MetricChange:
    """A metric with both values, in the unit of the vocabulary."""

    name: str
    before: Value
    after: Value


def metric_changes(
    before: Mapping[str, Value], after: Mapping[str, Value], entity: str, rulebook: Rulebook
) -> tuple[MetricChange, ...]:
    """The metrics that both sides know and that differ, the largest changes first.

    What is told as time or shape is left out; so are small changes, by the limits of the knowledge base.
    """
    numbers = comparing_numbers()
    found = []
    for name in before:
        metric = rulebook.metric(entity, name)
        if name not in after or metric is None or name in numbers.untold:
            continue
        size = _size(before[name], after[name], metric.unit == RATIO)
        if size > 0.0:
            found.append((size, MetricChange(name, before[name], after[name])))
    found.sort(key=lambda one: (-one[0], one[1].name))
    return tuple(change for _, change in found)


def _size(before: Value, after: Value, is_ratio: bool) -> float:
    """How large a change is, 0 for one that is not told; one of ratios is their difference, of others the
    logarithm to base ten of their quotient.
    """
    if isinstance(before, str | bool) or isinstance(after, str | bool):
        return float(before != after)
    limits = comparing_numbers().changes
    change = abs(after - before)
    if is_ratio:
        return change if change >= limits.least_share else 0.0
    if change <= limits.least_metric * max(abs(before), abs(after)):
        return 0.0
    return abs(math.log10(after / before)) if before > 0.0 and after > 0.0 else 1.0
