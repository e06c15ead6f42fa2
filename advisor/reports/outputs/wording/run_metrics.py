"""Metrics in words: what they mean, and their values with units."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from advisor.check.rulebook import rulebook_for
from advisor.model.records import Value
from advisor.model.settings.config import load_config
from advisor.rules import Rulebook
from advisor.rules.units import format_value


@cache
def _vocabulary() -> Rulebook:
    return rulebook_for(load_config(Path.cwd()), strict=False)


def run_numbers(metrics: Mapping[str, Value]) -> list[tuple[str, str]]:
    """The meaning and the value of each metric of a run that the vocabulary knows."""
    known = ((_vocabulary().metric("run", name), value) for name, value in metrics.items())
    return [(metric.doc, format_value(value, metric.unit)) for metric, value in known if metric is not None]


def metric_in_words(entity: str, name: str, value: Value) -> str:
    """A value as its metric's unit has it written."""
    metric = _vocabulary().metric(entity, name)
    if metric is None:
        return str(value)
    return format_value(value, metric.unit)
