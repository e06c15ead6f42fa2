"""Remainders that are written as what is left of a number without the multiple of a divisor."""

from __future__ import annotations

import ast

from advisor.program.index_relations.unit_functions import UnitFunction
from advisor.program.syntax.assigned_values import value_given
from advisor.program.syntax.calls import last_name
from advisor.program.syntax.written_code import as_written

# Conversions that cut a quotient down to a whole number.
_WHOLE = frozenset({"int", "int32", "int64", "floor", "trunc"})


def divisor_of_rest(node: ast.BinOp, function: UnitFunction) -> ast.expr | None:
    """The n of `i - (i // n) * n`, which is `i % n`, also with a name for the quotient; None for any other
    operation.
    """
    product = node.right
    if not (
        isinstance(node.op, ast.Sub) and isinstance(product, ast.BinOp) and isinstance(product.op, ast.Mult)
    ):
        return None
    for one, divisor in ((product.left, product.right), (product.right, product.left)):
        quotient = _quotient(one, function)
        if (
            quotient is not None
            and _is_same(quotient.left, node.left, function)
            and _is_same(quotient.right, divisor, function)
        ):
            return divisor
    return None


def _quotient(node: ast.expr, function: UnitFunction, through_name: bool = True) -> ast.BinOp | None:
    """The division that a whole number is the result of."""
    is_whole = False
    while isinstance(node, ast.Call) and len(node.args) == 1 and last_name(node.func) in _WHOLE:
        node, is_whole = node.args[0], True
    if isinstance(node, ast.Name) and through_name:
        definitions = list(function.reaching.reaching(node.id, node) or ())
        only = definitions[0] if len(definitions) == 1 else None
        given = value_given(only, node.id) if isinstance(only, ast.AST) else None
        return None if given is None else _quotient(given, function, through_name=False)
    if not isinstance(node, ast.BinOp):
        return None
    return node if isinstance(node.op, ast.FloorDiv) or (is_whole and isinstance(node.op, ast.Div)) else None


def _is_same(one: ast.expr, other: ast.expr, function: UnitFunction) -> bool:
    """Whether two expressions are written alike, of names that are bound by the same where they stand."""
    if as_written(one) != as_written(other):
        return False
    reaching = function.reaching.reaching
    names = ([name for name in ast.walk(part) if isinstance(name, ast.Name)] for part in (one, other))
    return all(
        reaching(left.id, left) == reaching(right.id, right) for left, right in zip(*names, strict=True)
    )
