"""Numbers whose unit is easily misread: shares written as plain numbers, and decimal sizes of memory."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.rules.language.expressions import Expression, Number, Operation, Quantified, Reference
from advisor.rules.lint.asked import Asked
from advisor.rules.lint.remarks import Remark, of_rule
from advisor.rules.model import Rule, Rulebook
from advisor.rules.units import PLAIN, RATIO, format_value

_DECIMAL = {"KB": "KiB", "MB": "MiB", "GB": "GiB"}
_ORDER = ("<", "<=", ">", ">=", "=", "!=", "between")


def look(asked: Asked) -> Iterator[Remark]:
    """The remarks about units."""
    book = asked.book
    for rule in asked.rules:
        for expression in rule.conditions:
            yield from _of(expression, rule, book)
        for param in rule.params:
            if param.unit.name in _DECIMAL:
                yield _decimal(rule, param.value, param.unit.name, None)


def _of(expression: Expression, rule: Rule, book: Rulebook) -> Iterator[Remark]:
    if isinstance(expression, Quantified):
        yield from _of(expression.condition, rule, book)
    if not isinstance(expression, Operation):
        return
    if expression.operator in _ORDER:
        metrics = [_metric(one, rule, book) for one in expression.operands]
        for operand in expression.operands:
            if isinstance(operand, Number) and operand.unit == PLAIN and 0 < operand.value < 1:
                named = [one for one in metrics if one is not None]
                if named:
                    percent = format_value(operand.value, RATIO)
                    number = f"{operand.value:g}"
                    fields = {"number": number, "metric": named[0], "percent": percent}
                    found = of_rule("L110", rule, operand.span, **fields)
                    yield Remark(found.code, found.path, found.span, found.sentence, found.help, percent)
    for operand in expression.operands:
        if isinstance(operand, Number) and operand.unit.name in _DECIMAL:
            yield _decimal(rule, operand.value, operand.unit.name, operand)
        yield from _of(operand, rule, book)


def _metric(expression: Expression, rule: Rule, book: Rulebook) -> str | None:
    """The name of a metric that is a ratio."""
    if not isinstance(expression, Reference) or len(expression.parts) < 2:
        return None
    variables = dict(rule.variables)
    first = expression.parts[0]
    entity = variables.get(first, first) if len(expression.parts) == 2 else expression.parts[-2]
    metric = book.metrics.get((entity, expression.parts[-1]))
    return metric.name if metric is not None and metric.unit.name == "ratio" else None


def _decimal(rule: Rule, value: float, unit: str, at: Number | None) -> Remark:
    scale = {"KB": 1e3, "MB": 1e6, "GB": 1e9}[unit]
    number = f"{value / scale:g}"
    span = at.span if at is not None else None
    return of_rule("L111", rule, span, value=f"{number} {unit}", binary=f"{number} {_DECIMAL[unit]}")
