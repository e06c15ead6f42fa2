"""What is missing in a rule: a place in its source, an unknown example, a number, a description."""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.rules.language.expressions import Operation, Quantified
from advisor.rules.lint.asked import Asked
from advisor.rules.lint.remarks import Remark, of_rule
from advisor.rules.model import Rule, Rulebook
from advisor.rules.units import COUNT

_FIELD = re.compile(r"\{([^{}]*)\}")


def look(asked: Asked) -> Iterator[Remark]:
    """The remarks about the contents of rules."""
    book, known = asked.book, asked.ids
    for rule in asked.rules:
        if not rule.doc.strip():
            yield of_rule("L116", rule)
        if not any(source.at or source.url for source in rule.sources):
            yield of_rule("L108", rule)
        if rule.metrics_used and not any(example.verdict == "unknown" for example in rule.examples):
            yield of_rule("L109", rule, metric=rule.metrics_used[0])
        yield from _silent_on_numbers(rule, book)
        for name in rule.see:
            if name not in known:
                yield of_rule("L114", rule, name=name, hint=asked.hint(name))
        yield from _every(rule)


def _silent_on_numbers(rule: Rule, book: Rulebook) -> Iterator[Remark]:
    numbers = [
        name
        for name in rule.metrics_used
        if (metric := book.metrics.get(_key(name))) is not None
        and metric.unit.is_number
        and (metric.unit != COUNT or not _asks_for_one(rule))
    ]
    said = " ".join((rule.say, *(one.text for one in rule.sentences)))
    if numbers and not any("." in field or field in _own_names(rule) for field in _FIELD.findall(said)):
        variables = {entity: variable for variable, entity in rule.variables}
        entity, _, metric_name = numbers[0].partition(".")
        yield of_rule("L115", rule, example=f"{variables.get(entity, entity)}.{metric_name}")


def _asks_for_one(rule: Rule) -> bool:
    """Whether a rule's counts are compared with nothing but 0 and 1, which asks whether there are any."""
    return all(param.value in (0.0, 1.0) for param in rule.params)


def _own_names(rule: Rule) -> set[str]:
    return {param.name for param in rule.params} | {name for name, _ in rule.lets}


def _key(name: str) -> tuple[str, str]:
    entity, _, metric = name.partition(".")
    return entity, metric


def _every(rule: Rule) -> Iterator[Remark]:
    waiting = list(rule.conditions)
    asked: set[str] = set()
    every: list[Quantified] = []
    while waiting:
        expression = waiting.pop()
        if isinstance(expression, Quantified):
            (every if expression.quantifier == "every" else []).append(expression)
            if expression.quantifier in ("some", "number"):
                asked.add(expression.entity)
            waiting.append(expression.condition)
        elif isinstance(expression, Operation):
            waiting += expression.operands
    for one in every:
        if one.entity not in asked:
            yield of_rule("L113", rule, one.span, entity=one.entity)
