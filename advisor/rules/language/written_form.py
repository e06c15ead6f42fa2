"""Expressions as they are written in rule files."""

from __future__ import annotations

import math

from advisor.rules.language.expressions import (
    Expression,
    Macro,
    Number,
    Operation,
    Quantified,
    Reference,
    Text,
    Truth,
)
from advisor.rules.units import PERCENT, PLAIN, RATIO, Unit

_PLAINLY = 1e15
_PLAIN = {"and", "or", "=", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "otherwise"}


def written(expression: Expression) -> str:
    """The text of an expression, with the brackets that it had."""
    if isinstance(expression, Number):
        return _number(expression)
    if isinstance(expression, Text):
        return _text(expression.value)
    if isinstance(expression, Truth):
        return "true" if expression.value else "false"
    if isinstance(expression, Reference):
        return ".".join(expression.parts)
    if isinstance(expression, Macro):
        return f"{expression.name}({expression.argument})"
    if isinstance(expression, Quantified):
        return _quantified(expression)
    return _operation(expression)


def _number(number: Number) -> str:
    """A number in its own unit that is read as the same number again."""
    if number.unit == RATIO:
        return f"{_digits(number.value, PERCENT)}%"
    digits = _digits(number.value, number.unit)
    return digits if number.unit == PLAIN else f"{digits} {number.unit}"


def _digits(value: float, unit: Unit) -> str:
    """The shortest digits that the unit brings back to exactly this value."""
    about = value / unit.scale
    for near in (about, math.nextafter(about, math.inf), math.nextafter(about, -math.inf)):
        if near == int(near) and abs(near) < _PLAINLY and unit.in_base(near) == value:
            return str(int(near))
        for digits in range(1, 18):
            shown = f"{near:.{digits}g}"
            if unit.in_base(float(shown)) == value:
                return shown
    return repr(about)


def _text(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _quantified(expression: Quantified) -> str:
    inside = f"({written(expression.condition)})"
    rows = f"{expression.entity} {expression.variable} of {expression.owner}"
    if expression.quantifier == "number":
        return f"number of {rows} with {inside}"
    return f"{expression.quantifier} {rows} has {inside}"


def _operation(expression: Operation) -> str:
    operator = expression.operator
    parts = [written(operand) for operand in expression.operands]
    if operator in _PLAIN:
        return f" {operator} ".join(parts)
    if operator == "group":
        return f"({parts[0]})"
    if operator in ("not", "neg"):
        return f"not {parts[0]}" if operator == "not" else f"-{parts[0]}"
    if operator in ("known", "missing"):
        return f"{parts[0]} is {operator}"
    if operator == "between":
        return f"{parts[0]} between {parts[1]} and {parts[2]}"
    if operator == "one_of":
        return f"{parts[0]} in ({', '.join(parts[1:])})"
    if operator == "like":
        return f"{parts[0]} like {parts[1]}"
    return f"{operator}({', '.join(parts)})"
