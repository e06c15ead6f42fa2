"""What the methods of a class assign to the attributes of its objects."""

from __future__ import annotations

import ast

from advisor.program.syntax.module import FunctionNode, ModuleSyntax


def enclosing_class(module: ModuleSyntax, function: FunctionNode | None) -> ast.ClassDef | None:
    """The class that a method belongs to, None for a function outside of classes."""
    parent = module.parents.get(function) if function is not None else None
    return parent if isinstance(parent, ast.ClassDef) else None


def values_of_attribute(
    module: ModuleSyntax, owner: ast.ClassDef, name: str
) -> list[tuple[FunctionNode | None, ast.expr]]:
    """Each value that a method of `owner` assigns to `self.name`, with the method."""
    return module.once(_assigned, owner).get(name, [])


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
