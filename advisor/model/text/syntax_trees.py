"""Python text as syntax trees, also for several threads at once, and how deep they may nest."""

from __future__ import annotations

import ast
import symtable
import sys
import warnings
from threading import Lock

# How many nodes may stand above each other. Trees are followed by recursion, in up to nine calls for each
# level; a statement that is nested deeper is not read, as one with a syntax error is not.
MOST_LEVELS = 400
TOO_DEEP = f"nested more than {MOST_LEVELS} levels deep"
sys.setrecursionlimit(max(sys.getrecursionlimit(), 1000 + 9 * MOST_LEVELS))

# Before 3.11.8, Python 3.11 counts the depth of all trees that it builds in one place: where a collection of
# garbage lets another thread begin a tree meanwhile, building fails with SystemError (python/cpython#106905).
# In every version what warnings do is one setting for all threads.
one_tree_at_a_time = Lock()


def syntax_tree(text: str | bytes) -> ast.Module:
    """The syntax tree of a module, which warns of nothing. Raises what `ast.parse` raises."""
    with one_tree_at_a_time, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)


def parses(data: bytes) -> bool:
    """Whether the bytes of a module parse, in two thirds of the time that a tree takes.

    A few that parse but mean nothing, as a parameter that is `global` does, give False too.
    """
    try:
        with one_tree_at_a_time, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            symtable.symtable(data, "", "exec")  # type: ignore[arg-type]  # bytes are taken too
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def expression_tree(text: str) -> ast.expr:
    """The syntax tree of a text that is one expression. Raises what `ast.parse` raises."""
    with one_tree_at_a_time, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text, mode="eval").body


def too_deep(tree: ast.Module) -> ast.stmt | None:
    """The innermost statement around the deepest node of a tree with more than MOST_LEVELS, else None."""
    above: dict[ast.AST, ast.AST] = {}
    level: list[ast.AST] = [tree]
    levels = 0
    while level:
        levels, deepest = levels + 1, level
        level = []
        for node in deepest:
            for value in node.__dict__.values():
                for part in value if value.__class__ is list else (value,):
                    # Contexts and operators are one node wherever they stand.
                    if isinstance(part, ast.AST) and part._fields:
                        above[part] = node
                        level.append(part)
    if levels <= MOST_LEVELS:
        return None
    node = deepest[0]
    while not isinstance(node, ast.stmt):
        node = above[node]
    return node
