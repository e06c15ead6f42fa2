"""Which evidence can tell a metric, and the least evidence with which a rule can fire."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeAlias

from advisor.model.records import SOURCES, Source
from advisor.rules.language.expressions import Expression, Operation, Quantified, Reference, metrics_in
from advisor.rules.model import Rule, Rulebook

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

# The levels as numbers: 0 needs nothing, the last is a metric that no level is known to tell.
_NOTHING, _NO_LEVEL = 0, len(SOURCES) + 1
Told: TypeAlias = "Callable[[str], tuple[Source, ...]]"


@cache
def evidence_levels() -> Mapping[str, str]:
    """The levels of evidence, the least first, and what each is, from the file beside this module."""
    levels: dict[str, str] = tomllib.loads(
        Path(__file__).with_name("evidence_levels.toml").read_text("utf-8")
    )
    return levels


def sources_of(name: str, rulebook: Rulebook, told: Told | None = None) -> tuple[Source, ...]:
    """The levels that can tell the metric entity.name, as its declaration or `told` says, the least first.

    Of a computed one the least that suffices for it; () when none is known.
    """
    entity, _, metric = name.rpartition(".")
    declared = rulebook.metric(entity, metric)
    if declared is None:
        return ()
    if told is not None and (known := told(name)):
        return known
    if declared.computed is None:
        return declared.provided_by if told is None else ()
    computed = declared.computed
    level = _Reach(rulebook, {}, told).level(computed.expression, {computed.variable: entity})
    return () if level == _NO_LEVEL else (SOURCES[max(level, 1) - 1],)


def least_evidence(rule: Rule, rulebook: Rulebook, told: Told | None = None) -> Source | None:
    """The least level with which the rule's condition can be true; None when no level is known to do.

    `told` says which levels tell a metric that is not computed, where it is not its declaration that counts.
    """
    level = _Reach(rulebook, dict(rule.lets), told).level(rule.when, dict(rule.variables))
    return None if level == _NO_LEVEL else SOURCES[max(level, 1) - 1]


@dataclass(frozen=True, slots=True)
class _Reach:
    """The levels that expressions need, with the values of their lets."""

    rulebook: Rulebook
    lets: Mapping[str, Expression]
    told: Told | None = None

    def level(self, expression: Expression, variables: dict[str, str]) -> int:
        """The level as a number: 1 for the first, 0 for none, `_NO_LEVEL` where none is known to suffice."""
        if isinstance(expression, Reference):
            return self._of_name(expression, variables)
        if isinstance(expression, Quantified):
            return self.level(expression.condition, {**variables, expression.variable: expression.entity})
        if isinstance(expression, Operation) and expression.operator != "missing":
            levels = [self.level(operand, variables) for operand in expression.operands]
            return min(levels) if expression.operator in ("or", "otherwise") else max(levels)
        return _NOTHING

    def _of_name(self, reference: Reference, variables: dict[str, str]) -> int:
        if len(reference.parts) == 1:
            value = self.lets.get(reference.parts[0])
            return _NOTHING if value is None else self.level(value, variables)
        (name,) = metrics_in(reference, variables)
        sources = sources_of(name, self.rulebook, self.told)
        return SOURCES.index(sources[0]) + 1 if sources else _NO_LEVEL
