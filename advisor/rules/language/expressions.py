"""The expressions of rules: what conditions, gains and computed metrics are made of.

Every node carries its span for errors.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from advisor.model.text.source_text import Span
from advisor.rules.units import Unit


@dataclass(frozen=True, slots=True)
class Number:
    """A number with its unit, in base units."""

    value: float
    unit: Unit
    span: Span


@dataclass(frozen=True, slots=True)
class Text:
    """A text in quotes."""

    value: str
    span: Span


@dataclass(frozen=True, slots=True)
class Truth:
    """`true` or `false`."""

    value: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Reference:
    """`k.run.total_latency_ms`: the parts of a dotted name; a single part names a param or a let."""

    parts: tuple[str, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Operation:
    """An operator or function with its operands. Operators: + - * / neg otherwise min max abs,
    < <= > >= = != between one_of like known and or not, group."""

    operator: str
    operands: tuple[Expression, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Macro:
    """`latency_share(k)`: a call of a definition."""

    name: str
    argument: str
    span: Span


@dataclass(frozen=True, slots=True)
class Quantified:
    """`some access b of k has (…)`; quantifier some, every, no or number."""

    quantifier: str
    entity: str
    variable: str
    owner: str
    condition: Expression
    span: Span


Expression: TypeAlias = Number | Text | Truth | Reference | Operation | Macro | Quantified


def metrics_in(expression: Expression, variables: dict[str, str]) -> list[str]:
    """The metrics an expression reads, as entity.name."""
    if isinstance(expression, Reference):
        if len(expression.parts) < 2:
            return []
        owner = (
            variables.get(expression.parts[0], expression.parts[0])
            if len(expression.parts) == 2
            else expression.parts[-2]
        )
        return [f"{owner}.{expression.parts[-1]}"]
    if isinstance(expression, Operation):
        return [name for operand in expression.operands for name in metrics_in(operand, variables)]
    if isinstance(expression, Quantified):
        return metrics_in(expression.condition, {**variables, expression.variable: expression.entity})
    return []


def macros_in(expression: Expression) -> list[str]:
    """The names of the definitions that an expression calls."""
    if isinstance(expression, Macro):
        return [expression.name]
    if isinstance(expression, Operation):
        return [name for operand in expression.operands for name in macros_in(operand)]
    return macros_in(expression.condition) if isinstance(expression, Quantified) else []


def references(expression: Expression) -> list[Reference]:
    """The names in an expression, those inside quantifiers left out."""
    if isinstance(expression, Reference):
        return [expression]
    if isinstance(expression, Operation):
        return [reference for operand in expression.operands for reference in references(operand)]
    return []


def quantifiers(expression: Expression) -> list[Quantified]:
    """The quantifiers in an expression, those inside others left out."""
    if isinstance(expression, Quantified):
        return [expression]
    if isinstance(expression, Operation):
        return [one for operand in expression.operands for one in quantifiers(operand)]
    return []
