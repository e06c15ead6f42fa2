"""Arguments of one call that may be the same array, as they are written."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Sequence

from advisor.program.effects.array_flow import QUESTIONS


def same_arguments(arguments: Sequence[ast.expr]) -> tuple[bool, ...]:
    """Of each argument whether another one is made of the same name or attribute: `k(a, a[1:])`."""
    roots = [_root(one) for one in arguments]
    counts = Counter(roots)
    return tuple(root is not None and counts[root] > 1 for root in roots)


def _root(node: ast.expr) -> str | None:
    """The name or attribute that an array, or a part or another shape of it, is written with."""
    while True:
        if isinstance(node, ast.Subscript):
            node = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            node = node.func.value
        elif isinstance(node, ast.Attribute) and node.attr == "T":
            node = node.value
        else:
            break
    if isinstance(node, ast.Attribute):
        return None if node.attr in QUESTIONS else ast.unparse(node)
    return node.id if isinstance(node, ast.Name) else None
