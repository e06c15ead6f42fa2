"""How many rules speak of each metric, which says what somebody who writes a rule is likely to want."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from advisor.rules.language.expressions import Expression, Operation, Quantified, Reference
from advisor.rules.model import Rule, Rulebook


def uses_of_metrics(book: Rulebook) -> Counter[str]:
    """The number of rules in whose conditions and definitions each name of a metric stands."""
    return Counter(name for rule in book.rules for name in _names(rule))


def _names(rule: Rule) -> set[str]:
    conditions = [rule.when, *(one.condition for one in rule.unless), *(value for _, value in rule.lets)]
    return {name for condition in conditions for name in _last_parts(condition)}


def _last_parts(expression: Expression) -> Iterator[str]:
    if isinstance(expression, Reference):
        yield expression.parts[-1]
    elif isinstance(expression, Operation):
        for operand in expression.operands:
            yield from _last_parts(operand)
    elif isinstance(expression, Quantified):
        yield from _last_parts(expression.condition)
