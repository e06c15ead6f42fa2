"""Arithmetic on a report's numbers, as the tables of knowledge/imports write it; nothing else."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import cache

from advisor.model.text.syntax_trees import expression_tree

_CALLS = {"min": min, "max": max}


@cache
def parsed(text: str) -> ast.expr:
    """The tree of a formula. Raises ValueError for what is no arithmetic."""
    try:
        tree = expression_tree(text)
    except SyntaxError as error:
        raise ValueError(f"`{text}` is no formula: {error.msg}") from None
    for node in ast.walk(tree):
        _check(node, text)
    return tree


def _check(node: ast.AST, text: str) -> None:
    allowed = (ast.Name, ast.Load, ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Call)
    number = isinstance(node, ast.Constant) and isinstance(node.value, int | float)
    if not number and not isinstance(node, allowed):
        raise ValueError(f"`{text}` holds {type(node).__name__}, which no formula may.")
    if isinstance(node, ast.Call) and not (isinstance(node.func, ast.Name) and node.func.id in _CALLS):
        raise ValueError(f"`{text}` calls something else than min and max.")


def names_in(text: str) -> set[str]:
    """The names that a formula speaks of."""
    return {node.id for node in ast.walk(parsed(text)) if isinstance(node, ast.Name)} - set(_CALLS)


def evaluate(text: str, values: Mapping[str, float]) -> float | None:
    """The value of a formula, None for a division by zero."""
    try:
        return _value(parsed(text), values)
    except ZeroDivisionError:
        return None


def _value(node: ast.expr, values: Mapping[str, float]) -> float:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return float(node.value)
    if isinstance(node, ast.Name):
        return values[node.id]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return _CALLS[node.func.id](*(_value(one, values) for one in node.args))
    if isinstance(node, ast.BinOp):
        left, right = _value(node.left, values), _value(node.right, values)
        if isinstance(node.op, ast.Add):
            return left + right
        if isinstance(node.op, ast.Sub):
            return left - right
        return left * right if isinstance(node.op, ast.Mult) else left / right
    raise ValueError(f"{type(node).__name__} is no arithmetic.")
