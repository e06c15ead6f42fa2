"""The loops of host code around a call."""

from __future__ import annotations

import ast

from advisor.program.syntax.module import ModuleSyntax


def host_loops(module: ModuleSyntax, node: ast.AST) -> list[ast.For | ast.While]:
    """The loops of the enclosing function around a node, innermost first.

    Comprehensions do not count, nor do loops over items that are written out, of which there are few.
    """
    return [*module.once(_loops_around, node)]


def _loops_around(module: ModuleSyntax, node: ast.AST) -> list[ast.For | ast.While]:
    found: list[ast.For | ast.While] = []
    child, parent = node, module.parents.get(node)
    while parent is not None and not isinstance(
        parent, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef
    ):
        written_out = isinstance(parent, ast.For) and isinstance(parent.iter, ast.List | ast.Tuple)
        if isinstance(parent, ast.For | ast.While) and child in parent.body and not written_out:
            found.append(parent)
        child, parent = parent, module.parents.get(parent)
    return found
