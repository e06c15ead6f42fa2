"""Names that a function binds: its parameters, their defaults, and what its statements rebind."""

from __future__ import annotations

import ast

from advisor.program.syntax.module import FunctionNode
from advisor.program.syntax.tree_nodes import below


def parameters(scope: FunctionNode | ast.Lambda) -> list[ast.arg]:
    """Every parameter, `*args` and keyword-only ones too."""
    given = scope.args
    stars = [one for one in (given.vararg, given.kwarg) if one is not None]
    return [*given.posonlyargs, *given.args, *given.kwonlyargs, *stars]


def parameter_names(scope: FunctionNode | ast.Lambda) -> set[str]:
    """The names of every parameter, `*args` and keyword-only ones too."""
    return {one.arg for one in parameters(scope)}


def parameter_defaults(scope: FunctionNode) -> dict[str, ast.expr]:
    """The default of each parameter that has one."""
    arguments = scope.args
    positional = [*arguments.posonlyargs, *arguments.args]
    found = {a.arg: d for a, d in zip(reversed(positional), reversed(arguments.defaults), strict=False)}
    found.update(
        {a.arg: d for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d is not None}
    )
    return found


def rebound_names(scope: FunctionNode) -> set[str]:
    """Names of a function that loops, `+=`, `with` or `:=` bind, nested functions not looked into."""
    names: set[str] = set()
    stack: list[ast.AST] = list(scope.body)
    while stack:
        node = stack.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            names.update(n for inner in below(node) if isinstance(inner, ast.Nonlocal) for n in inner.names)
            continue
        if isinstance(node, ast.For | ast.AugAssign | ast.NamedExpr):
            names.update(n.id for n in below(node.target) if isinstance(n, ast.Name))
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            names.update(n.id for n in below(node.optional_vars) if isinstance(n, ast.Name))
        if isinstance(node, ast.For | ast.While):
            inside = (n for inner in node.body for n in below(inner) if isinstance(n, ast.Name))
            names.update(n.id for n in inside if isinstance(n.ctx, ast.Store))
        stack.extend(ast.iter_child_nodes(node))
    return names
