"""The numbers of a run in words: what its metrics mean, and their values."""

from __future__ import annotations

from collections.abc import Mapping

from advisor.config import Config
from advisor.records import Value
from advisor.rulebook import rulebook_for
from advisor.rules.units import format_value


def run_numbers(metrics: Mapping[str, Value], entity: str = "run") -> list[tuple[str, str]]:
    """The meaning and the value of each metric that the vocabulary knows."""
    rulebook = rulebook_for(Config())
    known = ((rulebook.metric(entity, name), value) for name, value in metrics.items())
    return [(metric.doc, format_value(value, metric.unit)) for metric, value in known if metric is not None]
