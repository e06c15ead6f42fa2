"""Python text as syntax trees, also where several threads ask for them at once."""

from __future__ import annotations

import ast
import symtable
import warnings
from threading import Lock

# Before 3.11.8, Python 3.11 counts the depth of all trees that it builds in one place: where a collection of
# garbage lets another thread begin a tree meanwhile, building fails with SystemError (python/cpython#106905).
# In every version what warnings do is one setting for all threads.
one_tree_at_a_time = Lock()


def syntax_tree(text: str) -> ast.Module:
    """The syntax tree of a text, which warns of nothing. Raises what `ast.parse` raises."""
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
