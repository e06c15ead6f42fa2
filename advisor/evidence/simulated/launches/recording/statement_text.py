"""The statements of a Python file by their lines, and hashes by which a record knows them again."""

from __future__ import annotations

import ast
import hashlib
from dataclasses import dataclass
from functools import lru_cache

from advisor.model.text.source_text import Span
from advisor.model.text.syntax_trees import syntax_tree


@dataclass(frozen=True)
class Statement:
    """Where a statement stands, one that holds others as far as the line before the first of these; and a
    hash of its text.
    """

    span: Span
    text_hash: str


@lru_cache(maxsize=64)
def statements(text: str) -> dict[int, Statement]:
    """The innermost statement at each line that has one; none where the text cannot be read."""
    try:
        tree = syntax_tree(text)
    except (SyntaxError, ValueError, RecursionError):
        return {}
    lines = text.splitlines()
    found: dict[int, Statement] = {}
    for node in ast.walk(tree):  # a statement before those that it holds
        if isinstance(node, ast.stmt):
            first, last = node.lineno, _last_line(node)
            own = [line.strip() for line in lines[first - 1 : last]]
            column, end = lines[first - 1].index(own[0]) + 1, len(lines[last - 1].rstrip()) + 1
            digest = hashlib.sha256("\n".join(own).encode()).hexdigest()[:16]
            one = Statement(Span(first, column, last, end), digest)
            found.update(dict.fromkeys(range(first, last + 1), one))
    return found


def _last_line(node: ast.stmt) -> int:
    inside = [one.lineno for one in ast.walk(node) if isinstance(one, ast.stmt) and one is not node]
    whole = node.end_lineno or node.lineno
    return max(node.lineno, min(inside) - 1) if inside else whole
