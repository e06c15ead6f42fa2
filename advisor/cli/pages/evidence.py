"""Which evidence can tell a metric, and the least evidence with which a rule can fire."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from advisor.records import SOURCES, Source
from advisor.rules.model import Expression, Operation, Quantified, Reference, Rule, metrics_in

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_ALL = "*"
# The levels as numbers: 0 needs nothing, the last is a metric that no level is known to tell.
_NOTHING, _NO_LEVEL = 0, len(SOURCES) + 1


@dataclass(frozen=True, slots=True)
class MetricEvidence:
    """The levels of evidence: what each is, and by entity and level the metrics that it can tell."""

    levels: Mapping[str, str]
    metrics: Mapping[str, Mapping[str, list[str]]]

    def sources_of(self, name: str) -> tuple[Source, ...]:
        """The levels that can tell the metric entity.name, the least first; () when none is known."""
        entity, _, metric = name.rpartition(".")
        by_level = self.metrics.get(entity, {})
        return tuple(source for source in SOURCES if {metric, _ALL} & set(by_level.get(source, ())))


@cache
def metric_evidence() -> MetricEvidence:
    """What `metric_evidence.toml` beside this module says."""
    content = tomllib.loads(Path(__file__).with_name("metric_evidence.toml").read_text("utf-8"))
    return MetricEvidence(content["levels"], content["metrics"])


def least_evidence(rule: Rule) -> Source | None:
    """The least level with which the rule's condition can be true; None when no level is known to do."""
    level = _level(rule.when, dict(rule.variables), dict(rule.lets))
    return SOURCES[max(level, 1) - 1] if level < _NO_LEVEL else None


def _level(expression: Expression, variables: Mapping[str, str], lets: Mapping[str, Expression]) -> int:
    if isinstance(expression, Reference) and len(expression.parts) == 1:
        value = lets.get(expression.parts[0])
        return _NOTHING if value is None else _level(value, variables, lets)
    if isinstance(expression, Reference):
        (name,) = metrics_in(expression, dict(variables))
        sources = metric_evidence().sources_of(name)
        return SOURCES.index(sources[0]) + 1 if sources else _NO_LEVEL
    if isinstance(expression, Quantified):
        inner = {**variables, expression.variable: expression.entity}
        return _level(expression.condition, inner, lets)
    if isinstance(expression, Operation):
        levels = [_level(operand, variables, lets) for operand in expression.operands]
        if expression.operator == "missing":
            return _NOTHING
        return min(levels) if expression.operator in ("or", "otherwise") else max(levels)
    return _NOTHING
