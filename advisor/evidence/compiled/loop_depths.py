"""How many loops stand around the lines of a function."""

from __future__ import annotations

import ast
from functools import lru_cache


@lru_cache(maxsize=256)
def loop_depths(source: str) -> dict[int, int]:
    """The loops around each line (the first is 1) that stands in one; a loop's head stands outside of it.

    Empty for a text that does not parse.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return {}
    found: dict[int, int] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.For | ast.While):
            # A `while` asks its condition in each iteration.
            begin = node.lineno if isinstance(node, ast.While) else node.body[0].lineno
            for line in range(begin, (node.body[-1].end_lineno or begin) + 1):
                found[line] = found.get(line, 0) + 1
    return found
