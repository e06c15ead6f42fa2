"""Arithmetic of forms and of whole numbers that are known."""

from __future__ import annotations

import ast

from advisor.evidence.source.kernel_walk.affine_forms import Form


def polynomial(operator: ast.operator, left: Form, right: Form) -> Form:
    """The form of a sum, difference or product."""
    if isinstance(operator, ast.Add):
        return left + right
    return left - right if isinstance(operator, ast.Sub) else left * right


def whole_number(operator: ast.operator, left: int | None, right: int | None) -> int | None:
    """The number that an operation gives, None where it is not known or another operation."""
    if left is None or right is None:
        return None
    if isinstance(operator, ast.Add):
        return left + right
    if isinstance(operator, ast.Sub):
        return left - right
    if isinstance(operator, ast.Mult):
        return left * right
    if isinstance(operator, ast.FloorDiv) and right:
        return left // right
    return None
