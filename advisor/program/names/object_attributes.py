"""What the methods of a class assign to the attributes of its objects."""

from __future__ import annotations

import ast
from bisect import bisect_left
from typing import NamedTuple

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
        place = module.once(_places, outer).get(inner)
        last = None if place is None else place.block.last_before(place.position, node.attr)
        if last is not None:
            return _stored_by(last, node.attr)
        again = isinstance(outer, ast.For | ast.AsyncFor | ast.While)
        behind = isinstance(outer, ast.Try) and inner not in outer.body
        if (again or behind) and module.once(_stores_of, outer).may_be(node.attr):
            return None
        inner, outer = outer, module.parents.get(outer)
    return None


class _Stores(NamedTuple):
    """The attributes of `self` that code stores to, and whether it may store to any."""

    names: frozenset[str]
    any_name: bool

    def may_be(self, name: str) -> bool:
        return self.any_name or name in self.names


class _Block:
    """Statements in a row, with the places of those that may store to an attribute of `self`."""

    def __init__(self, module: ModuleSyntax, statements: list[ast.stmt]) -> None:
        self.statements = statements
        self._any: list[int] = []
        self._of: dict[str, list[int]] = {}
        for position, statement in enumerate(statements):
            found = module.once(_stores_of, statement)
            if found.any_name:
                self._any.append(position)
            for name in found.names:
                self._of.setdefault(name, []).append(position)

    def last_before(self, position: int, name: str) -> ast.stmt | None:
        """The last statement before a position that may store to an attribute."""
        lasts = [bisect_left(places, position) for places in (self._any, self._of.get(name, []))]
        found = [
            places[last - 1]
            for places, last in zip((self._any, self._of.get(name, [])), lasts, strict=True)
            if last
        ]
        return self.statements[max(found)] if found else None


class _Placed(NamedTuple):
    block: _Block
    position: int


def _places(module: ModuleSyntax, outer: ast.AST) -> dict[ast.AST, _Placed]:
    """The statements that `outer` holds, with their places among those around them."""
    found: dict[ast.AST, _Placed] = {}
    for name in ("body", "orelse", "finalbody"):
        listed = getattr(outer, name, None)
        if isinstance(listed, list) and listed:
            block = _Block(module, listed)
            found |= {one: _Placed(block, position) for position, one in enumerate(listed)}
    return found


def _stored_by(statement: ast.stmt, name: str) -> ast.expr | None:
    """What a plain assignment stores to `self.name`, calls in the value looked at no further."""
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return None
    return dict(_targets(statement.targets[0], statement.value)).get(name)


def _stores_of(_: ModuleSyntax, around: ast.AST) -> _Stores:
    """What code may store to attributes of `self`: by stores of its own, or by what has the object."""
    names = set()
    any_name = False
    for node in below(around):
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
            names.add(node.attr)
        elif isinstance(node, ast.Await | ast.Yield | ast.YieldFrom):
            any_name = True
        elif isinstance(node, ast.Call):
            given = [*node.args, *(keyword.value for keyword in node.keywords)]
            own = isinstance(node.func, ast.Attribute) and _is_own(node.func.value)
            any_name = any_name or own or any(map(_is_own, given))
    return _Stores(frozenset(names), any_name)


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
