"""Definitions put into the expressions that use them."""

from __future__ import annotations

from advisor.rules.model import (
    Expression,
    Macro,
    Operation,
    Quantified,
    Reference,
    Truth,
)
from advisor.rules.problems import Complaints
from advisor.rules.vocabulary import hint_for
from advisor.text import Span

LARGEST = 5_000


def expanded_size(expression: Expression, definitions: dict[str, tuple[str, Expression]]) -> int:
    """The number of terms of an expression with every definition put in; nothing is put in for that."""
    sizes: dict[str, int] = {}

    def of(one: Expression, calling: tuple[str, ...]) -> int:
        if isinstance(one, Macro):
            if one.name not in definitions or one.name in calling:
                return 1
            if one.name not in sizes:
                sizes[one.name] = of(definitions[one.name][1], (*calling, one.name))
            return sizes[one.name]
        if isinstance(one, Operation):
            return 1 + sum(of(operand, calling) for operand in one.operands)
        return 1 + of(one.condition, calling) if isinstance(one, Quantified) else 1

    return of(expression, ())


def expand(
    expression: Expression,
    definitions: dict[str, tuple[str, Expression]],
    complaints: Complaints,
    seen: tuple[str, ...] = (),
) -> Expression:
    """The expression with every definition put in; unknown and circular ones are noted."""
    if isinstance(expression, Macro):
        if expression.name not in definitions:
            hint = hint_for(expression.name, definitions)
            complaints.add("E211", expression.span, name=expression.name, hint=hint)
            return Truth(False, expression.span)
        if expression.name in seen:
            complaints.add("E212", expression.span, name=expression.name)
            return Truth(False, expression.span)
        variable, body = definitions[expression.name]
        put_in = _substitute(body, variable, expression.argument, expression.span)
        return expand(put_in, definitions, complaints, (*seen, expression.name))
    if isinstance(expression, Operation):
        operands = tuple(expand(operand, definitions, complaints, seen) for operand in expression.operands)
        return Operation(expression.operator, operands, expression.span)
    if isinstance(expression, Quantified):
        condition = expand(expression.condition, definitions, complaints, seen)
        return Quantified(
            expression.quantifier,
            expression.entity,
            expression.variable,
            expression.owner,
            condition,
            expression.span,
        )
    return expression


def _substitute(expression: Expression, variable: str, argument: str, span: Span) -> Expression:
    if isinstance(expression, Reference):
        head = argument if expression.parts[0] == variable else expression.parts[0]
        return Reference((head, *expression.parts[1:]), span)
    if isinstance(expression, Macro):
        return Macro(
            expression.name, argument if expression.argument == variable else expression.argument, span
        )
    if isinstance(expression, Operation):
        return Operation(
            expression.operator,
            tuple(_substitute(o, variable, argument, span) for o in expression.operands),
            span,
        )
    if isinstance(expression, Quantified):
        owner = argument if expression.owner == variable else expression.owner
        condition = _substitute(expression.condition, variable, argument, span)
        return Quantified(
            expression.quantifier, expression.entity, expression.variable, owner, condition, span
        )
    return expression
