"""The names in expressions: which variables they speak of, and values put in for params and lets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from advisor.rules.language.expressions import Expression, Number, Operation, Quantified, Reference


def heads(expression: Expression) -> set[str]:
    """The first parts of all names in an expression, and the owners of its quantifiers."""
    if isinstance(expression, Reference):
        return {expression.parts[0]}
    if isinstance(expression, Operation):
        return {name for operand in expression.operands for name in heads(operand)}
    return {expression.owner, *heads(expression.condition)} if isinstance(expression, Quantified) else set()


def with_todays_params(expression: Expression, former: Mapping[str, str]) -> Expression:
    """An expression in which params are called as today; `former` has their names by those of before."""
    if isinstance(expression, Reference) and len(expression.parts) == 1:
        name = expression.parts[0]
        return replace(expression, parts=(former.get(name, name),))
    if isinstance(expression, Operation):
        operands = tuple(with_todays_params(operand, former) for operand in expression.operands)
        return replace(expression, operands=operands)
    if isinstance(expression, Quantified):
        return replace(expression, condition=with_todays_params(expression.condition, former))
    return expression


def params_in(expression: Expression) -> set[str]:
    """The names of one part in an expression, which are those of params and lets."""
    if isinstance(expression, Reference):
        return set(expression.parts) if len(expression.parts) == 1 else set()
    if isinstance(expression, Operation):
        return {name for operand in expression.operands for name in params_in(operand)}
    return params_in(expression.condition) if isinstance(expression, Quantified) else set()


def with_values(
    expression: Expression, lets: Mapping[str, Expression], values: Mapping[str, Number]
) -> Expression:
    """An expression with the values of params, and in brackets what `let` names, put in."""
    if isinstance(expression, Reference) and len(expression.parts) == 1:
        name = expression.parts[0]
        if name in lets:
            return Operation("group", (with_values(lets[name], lets, values),), expression.span)
        return values[name]
    if isinstance(expression, Operation):
        operands = tuple(with_values(operand, lets, values) for operand in expression.operands)
        return replace(expression, operands=operands)
    if isinstance(expression, Quantified):
        return replace(expression, condition=with_values(expression.condition, lets, values))
    return expression
