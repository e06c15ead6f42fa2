"""What binds names otherwise than an assignment of one value: loops, conditions, copied variables."""

from __future__ import annotations

import ast
from collections.abc import Callable

from advisor.program.names.scope_names import rebound_names
from advisor.program.syntax.module import FunctionNode, ModuleSyntax, assignments
from advisor.program.syntax.tree_nodes import below

_COPY = "globals().update(locals())"


def branches(value: ast.expr, is_open: Callable[[ast.expr], bool]) -> list[ast.expr]:
    """The values that a conditional expression has where its test is open; any other by itself."""
    if not isinstance(value, ast.IfExp) or not is_open(value.test):
        return [value]
    return [*branches(value.body, is_open), *branches(value.orelse, is_open)]


def items_of_loop(name: str, module: ModuleSyntax, scope: FunctionNode) -> list[ast.expr]:
    """The written values of a name that nothing but one loop over them binds in a function; none else."""
    loops = [one for one in module.inside(scope, ast.For) if name in _names_in(one.target)]
    stores = [
        one for one in module.inside(scope, ast.Name) if one.id == name and isinstance(one.ctx, ast.Store)
    ]
    if not len(loops) == 1 == len(stores):
        return []
    items, target = _items(loops[0], module, scope), loops[0].target
    if not isinstance(target, ast.Tuple):
        return items
    return [part for one in items if (part := _part(one, target, name)) is not None]


def copying_functions(module: ModuleSyntax, _: ast.Module) -> list[FunctionNode]:
    """The functions whose own statements copy all their variables into the module."""
    if "globals()" not in module.source.text:
        return []
    return [
        one
        for one in module.functions
        if any(isinstance(it, ast.Expr) and ast.unparse(it.value) == _COPY for it in one.body)
    ]


def _items(loop: ast.For, module: ModuleSyntax, scope: FunctionNode) -> list[ast.expr]:
    """The written values that a loop runs over, also through one name for all of them."""
    items = loop.iter
    if isinstance(items, ast.Name):
        if items.id in rebound_names(scope) or items.id in module.rebound:
            return []
        bound = assignments(scope.body).get(items.id) or module.assigned.get(items.id, [])
        items = bound[0] if len(bound) == 1 else items
    return items.elts if isinstance(items, ast.Tuple | ast.List) else []


def _names_in(target: ast.expr) -> set[str]:
    return {one.id for one in below(target) if isinstance(one, ast.Name)}


def _part(value: ast.expr, target: ast.Tuple, name: str) -> ast.expr | None:
    """The member of a written tuple that a name among targets is bound to."""
    if not isinstance(value, ast.Tuple | ast.List) or len(value.elts) != len(target.elts):
        return None
    pairs = zip(target.elts, value.elts, strict=True)
    return next((part for one, part in pairs if isinstance(one, ast.Name) and one.id == name), None)
