"""Definitions put into the expressions that use them."""

from __future__ import annotations

from collections.abc import Mapping

from advisor.model.text.source_text import Span
from advisor.rules.checking.vocabulary import hint_for
from advisor.rules.language.expressions import (
    Expression,
    Macro,
    Operation,
    Quantified,
    Reference,
    Truth,
    macros_in,
)
from advisor.rules.language.problems import Complaints

LARGEST = 5_000
# Each level takes a few calls, and Python's own stack bears less than a thousand.
DEEPEST = 100
Extent = tuple[int, int]
Definitions = dict[str, tuple[str, Expression]]


def expanded_extent(expression: Expression, definitions: Definitions, lets: Mapping[str, Extent]) -> Extent:
    """The number of terms and of levels with definitions and `lets` put in; nothing is put in for that.

    Of what is too deep only as much is counted as shows it.
    """
    known: dict[str, Extent] = {}

    def of(one: Expression, calling: tuple[str, ...], level: int) -> Extent:
        if level > DEEPEST:
            return 1, DEEPEST + 1
        if isinstance(one, Macro):
            if one.name not in definitions or one.name in calling:
                return 1, 1
            if one.name not in known:
                size, depth = of(definitions[one.name][1], (*calling, one.name), level + 1)
                known[one.name] = size, depth + 1
            return known[one.name]
        if isinstance(one, Reference) and len(one.parts) == 1:
            return lets.get(one.parts[0], (1, 1))
        parts = one.operands if isinstance(one, Operation) else ()
        if isinstance(one, Quantified):
            parts = (one.condition,)
        extents = [of(part, calling, level + 1) for part in parts]
        return 1 + sum(size for size, _ in extents), 1 + max((depth for _, depth in extents), default=0)

    return of(expression, (), 1)


def expand_within_bounds(
    expression: Expression,
    definitions: Definitions,
    complaints: Complaints,
    owner: str,
    lets: Mapping[str, Extent] | None = None,
) -> Expression | None:
    """The expression with every definition put in, None when it is too large or too deep for that.

    None too where it calls a definition that is circular or calls none that exists, which was noted there.
    `owner` is whose expression it is, for the message.
    """
    if _calls_what_is_broken(expression, definitions):
        return None
    size, depth = expanded_extent(expression, definitions, lets or {})
    if size > LARGEST:
        complaints.add("E317", expression.span, owner=owner, size=size, limit=LARGEST)
    elif depth > DEEPEST:
        complaints.add("E111", expression.span, limit=DEEPEST)
    else:
        return expand(expression, definitions, complaints)
    return None


def _calls_what_is_broken(expression: Expression, definitions: Definitions) -> bool:
    """Whether a definition that an expression calls, through others or not, is circular or calls no other."""
    done: set[str] = set()
    # Names with whether all that they call was looked at.
    waiting = [(name, False) for name in macros_in(expression) if name in definitions]
    open_now: set[str] = set()
    while waiting:
        name, finished = waiting.pop()
        if finished:
            open_now.discard(name)
            done.add(name)
            continue
        if name in open_now:
            return True
        if name in done:
            continue
        open_now.add(name)
        waiting.append((name, True))
        for called in macros_in(definitions[name][1]):
            if called not in definitions or called in open_now:
                return True
            if called not in done:
                waiting.append((called, False))
    return False


def expand(
    expression: Expression,
    definitions: Definitions,
    complaints: Complaints,
) -> Expression:
    """The expression with every definition put in; unknown ones are noted."""
    if isinstance(expression, Macro):
        if expression.name not in definitions:
            hint = hint_for(expression.name, definitions)
            complaints.add("E211", expression.span, name=expression.name, hint=hint)
            return Truth(False, expression.span)
        variable, body = definitions[expression.name]
        put_in = substitute(body, variable, expression.argument, expression.span)
        return expand(put_in, definitions, complaints)
    if isinstance(expression, Operation):
        operands = tuple(expand(operand, definitions, complaints) for operand in expression.operands)
        return Operation(expression.operator, operands, expression.span)
    if isinstance(expression, Quantified):
        condition = expand(expression.condition, definitions, complaints)
        return Quantified(
            expression.quantifier,
            expression.entity,
            expression.variable,
            expression.owner,
            condition,
            expression.span,
        )
    return expression


def substitute(expression: Expression, variable: str, argument: str, span: Span) -> Expression:
    """The expression with another name for a variable, all of it at the place `span`."""
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
            tuple(substitute(o, variable, argument, span) for o in expression.operands),
            span,
        )
    if isinstance(expression, Quantified):
        owner = argument if expression.owner == variable else expression.owner
        condition = substitute(expression.condition, variable, argument, span)
        return Quantified(
            expression.quantifier, expression.entity, expression.variable, owner, condition, span
        )
    return expression
