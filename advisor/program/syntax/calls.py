"""What calls name: the function, and what is given by keyword."""

from __future__ import annotations

import ast


def last_name(node: ast.AST) -> str:
    """The last part of a dotted name, empty for anything else."""
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def called_name(node: ast.AST) -> str:
    """The last part of the name of the function that a call calls, empty for anything else."""
    return last_name(node.func) if isinstance(node, ast.Call) else ""


def keyword_value(call: ast.Call, name: str) -> ast.expr | None:
    """What a call is given under a keyword, None where that is not written."""
    return next((keyword.value for keyword in call.keywords if keyword.arg == name), None)
