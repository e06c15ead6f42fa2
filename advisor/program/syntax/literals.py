"""The numbers that expressions are as they are written."""

from __future__ import annotations

import ast


def written_integer(node: ast.AST | None) -> int | None:
    """The value of an integer as it is written, without a sign; None for anything else, True and False."""
    return node.value if isinstance(node, ast.Constant) and type(node.value) is int else None


def signed_integer(node: ast.AST | None) -> int | None:
    """The value of an integer as it is written, with minus signs; None for anything else, True and False."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = signed_integer(node.operand)
        return None if inner is None else -inner
    return written_integer(node)
