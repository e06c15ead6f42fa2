"""The names that code reads, in each form that may stand for a function of some module."""

from __future__ import annotations

import ast
from collections.abc import Iterator

# Read where code asks for things by names that it puts together: each name may be meant.
ANY_NAME = "?"
_BY_TEXT = frozenset({"globals", "locals", "vars", "eval", "exec", "__dict__", "getmembers"})
# Code that reads any name has one of these words.
WORDS_FOR_ANY_NAME = _BY_TEXT | {"getattr"}


def names_read_at(node: ast.AST) -> Iterator[str]:
    """The names that one node reads by itself: a variable, an attribute, an import, a text that is a name."""
    match node:
        case ast.Name(id=name, ctx=ast.Load()) | ast.Attribute(attr=name):
            yield ANY_NAME if name in _BY_TEXT else name
        case ast.alias(name=name):
            yield from name.split(".")
        case ast.Constant(value=str(text)) if text.isidentifier():
            yield text
        case ast.Call(func=ast.Name(id="getattr"), args=[_, name, *_]) if not isinstance(name, ast.Constant):
            yield ANY_NAME
