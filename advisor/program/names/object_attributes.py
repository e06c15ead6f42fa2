"""What the methods of a class assign to the attributes of its objects."""

from __future__ import annotations

import ast

from advisor.program.syntax.module import FunctionNode, ModuleSyntax
from advisor.program.syntax.tree_nodes import below

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def enclosing_class(module: ModuleSyntax, function: FunctionNode | None) -> ast.ClassDef | None:
    """The class that a method belongs to, None for a function outside of classes."""
    parent = module.parents.get(function) if function is not None else None
    return parent if isinstance(parent, ast.ClassDef) else None


def values_of_attribute(
    module: ModuleSyntax, owner: ast.ClassDef, name: str
) -> list[tuple[FunctionNode | None, ast.expr]]:
    """Each value that a method of `owner` assigns to `self.name`, with the method."""
    return module.once(_assigned, owner).get(name, [])


def stored_before(module: ModuleSyntax, node: ast.Attribute) -> ast.expr | None:
    """The value that the function around stores to the attribute `self.name` that it reads at `node`, on each
    way to it and with nothing between that may store another one; None where there is none for certain.

    Only an assignment in the statements that hold the one around `node`, before it, is on each way.
    """
    owner = module.class_around(node)
    if owner is None or not isinstance(node.value, ast.Name) or node.value.id != "self":
        return None
    if any(isinstance(one, ast.FunctionDef) and one.name == node.attr for one in owner.body):
        return None
    inner: ast.AST = node
    outer = module.parents.get(inner)
    while outer is not None and not isinstance(inner, _FUNCTIONS):
        before = _statements_before(inner, outer)
        for statement in reversed(before):
            found = _stored_by(statement, node.attr)
            if found is not None:
                return found
            if _may_store(statement, node.attr):
                return None
        again = isinstance(outer, ast.For | ast.AsyncFor | ast.While)
        behind = isinstance(outer, ast.Try) and inner not in outer.body
        if (again or behind) and _may_store(outer, node.attr):
            return None
        inner, outer = outer, module.parents.get(outer)
    return None


def _statements_before(inner: ast.AST, outer: ast.AST) -> list[ast.stmt]:
    """The statements of the list of `outer` that holds `inner` which stand before it."""
    for name in ("body", "orelse", "finalbody"):
        listed = getattr(outer, name, None)
        if isinstance(listed, list) and inner in listed:
            return listed[: listed.index(inner)]
    return []


def _stored_by(statement: ast.stmt, name: str) -> ast.expr | None:
    """What a plain assignment stores to `self.name`, calls in the value looked at no further."""
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return None
    return dict(_targets(statement.targets[0], statement.value)).get(name)


def _may_store(around: ast.AST, name: str) -> bool:
    """Whether code may store to `self.name`: by a store of its own, or by what has the object."""
    for node in below(around):
        if isinstance(node, ast.Attribute) and node.attr == name and not isinstance(node.ctx, ast.Load):
            return True
        if isinstance(node, ast.Await | ast.Yield | ast.YieldFrom):
            return True
        if isinstance(node, ast.Call):
            given = [*node.args, *(keyword.value for keyword in node.keywords)]
            own = isinstance(node.func, ast.Attribute) and _is_own(node.func.value)
            if own or any(map(_is_own, given)):
                return True
    return False


def _is_own(node: ast.AST) -> bool:
    return (isinstance(node, ast.Name) and node.id == "self") or (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"
    )


def _assigned(
    module: ModuleSyntax, owner: ast.ClassDef
) -> dict[str, list[tuple[FunctionNode | None, ast.expr]]]:
    found: dict[str, list[tuple[FunctionNode | None, ast.expr]]] = {}
    for method in owner.body:
        if not isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        for statement in module.inside(method, ast.Assign):
            for target in statement.targets:
                for attribute, value in _targets(target, statement.value):
                    found.setdefault(attribute, []).append((method, value))
    return found


def _targets(target: ast.expr, value: ast.expr) -> list[tuple[str, ast.expr]]:
    """The attributes of `self` in a target, each with its part of the value."""
    if isinstance(target, ast.Attribute):
        own = isinstance(target.value, ast.Name) and target.value.id == "self"
        return [(target.attr, value)] if own else []
    if not isinstance(target, ast.Tuple):
        return []
    found = []
    for position, inner in enumerate(target.elts):
        part = ast.Subscript(value=value, slice=ast.Constant(value=position), ctx=ast.Load())
        ast.copy_location(part, value)
        found += _targets(inner, part)
    return found
