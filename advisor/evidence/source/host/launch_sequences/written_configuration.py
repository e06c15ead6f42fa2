"""The grid and block of a launch as its function writes them, to tell launches of one configuration."""

from __future__ import annotations

import ast

from advisor.program.names.scope_bindings import Definition, reaching, scope_bindings
from advisor.program.syntax.module import ModuleSyntax
from advisor.program.syntax.tree_nodes import below

_GRID_AND_BLOCK = 2


def written_configuration(module: ModuleSyntax, call: ast.Call) -> str | None:
    """Grid and block as they stand in the brackets of a launch, followed by which values its function has
    given the names in them there; None for a launch without brackets of its own, or with a number too long
    for Python to write out.

    Two launches of a function have the same one where both can only be changed in one place, or alike.
    """
    if not isinstance(call.func, ast.Subscript):
        return None
    brackets = call.func.slice
    parts = brackets.elts[:_GRID_AND_BLOCK] if isinstance(brackets, ast.Tuple) else [brackets]
    scope = module.scope_of(call)
    if isinstance(scope, ast.Lambda):
        return None
    names = {one.id: one for part in parts for one in below(part) if isinstance(one, ast.Name)}
    values = [_values(module, scope, names[name]) for name in sorted(names)]
    try:
        written = ", ".join(map(ast.unparse, parts))
    except ValueError:
        return None
    return " ".join([written, *filter(None, values)])


def _values(module: ModuleSyntax, scope: Definition | None, name: ast.Name) -> str:
    """Which of a scope's bindings of a name hold at it, by their order: lines move; empty for outer names."""
    bindings = scope_bindings(module, scope).names.get(name.id, [])
    live = reaching(module, scope, name.id, name)
    numbers = [at for at, one in enumerate(bindings) if one in live]
    return f"{name.id}:{','.join(map(str, numbers))}" if bindings else ""
