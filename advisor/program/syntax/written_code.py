"""Code as it is written, to find what is written alike."""

from __future__ import annotations

import ast
from collections.abc import Hashable


def as_written(node: ast.AST) -> Hashable:
    """A key that is equal for code that is written alike, but for spaces and brackets that change nothing.

    Unlike the text of `ast.dump` it serves integers of any length: Python refuses to write out the digits of
    large ones.
    """
    if isinstance(node, ast.Constant):
        value = node.value
        return type(value), repr(value) if isinstance(value, float | complex) else value
    return (type(node), *(_part(getattr(node, name, None)) for name in node._fields))


def _part(value: object) -> Hashable:
    if isinstance(value, ast.AST):
        return as_written(value)
    return tuple(map(_part, value)) if isinstance(value, list) else value
