"""What stands in a syntax tree for statements that could not be read: calls that may do anything."""

from __future__ import annotations

import ast

from advisor.model.text.source_text import SourceText
from advisor.program.syntax.tree_nodes import below, below_in_scope

# No module binds this name, so that nothing is known of what is called by it.
_UNREAD = "__unread__"
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def note_unread(tree: ast.Module, source: SourceText) -> None:
    """Make each `0` on an unread line of a function a call that gets all its parameters and variables."""
    for node in below(tree):
        if isinstance(node, _Function):
            _note(node, source.unread)


def _note(function: _Function, unread: frozenset[int]) -> None:
    gaps = [
        node
        for node in below_in_scope(function)
        if isinstance(node, ast.Expr)
        and node.lineno in unread
        and isinstance(node.value, ast.Constant)
        and node.value.value == 0
    ]
    if not gaps:
        return
    arguments = function.args
    names = {one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    names |= {
        node.id for node in below(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    for gap in gaps:
        called = [ast.copy_location(ast.Name(name, ast.Load()), gap) for name in (_UNREAD, *sorted(names))]
        gap.value = ast.copy_location(ast.Call(called[0], [*called[1:]], []), gap)
