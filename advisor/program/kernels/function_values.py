"""The function of the workspace that an expression stands for: a name, a method, one of another module."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from advisor.program.names.scope_bindings import scope_bindings
from advisor.program.names.visible_names import scopes_around
from advisor.program.names.workspace import Workspace
from advisor.program.syntax.module import FunctionNode, ModuleSyntax, Scope

_DEPTH = 4


def function_of(
    node: ast.expr, module: ModuleSyntax, workspace: Workspace, depth: int = _DEPTH
) -> tuple[ModuleSyntax, FunctionNode] | None:
    """The function and its module; None for parameters, computed values and what several things may be."""
    if depth == 0:
        return None
    if isinstance(node, ast.Attribute) and node.attr == "py_func":
        # A dispatcher of Numba keeps the function that it compiles there.
        return function_of(node.value, module, workspace, depth)
    if isinstance(node, ast.Name):
        return _named(node, module, workspace, depth)
    if isinstance(node, ast.Attribute):
        return _method(node, module) or _of_place(module.dotted(node), module, workspace)
    return None


def scopes_of(node: ast.AST, module: ModuleSyntax) -> Iterator[Scope]:
    """The functions and classes whose names a node sees, innermost first.

    Of a decorator or a default these are the ones around its function.
    """
    inside = False
    for scope in scopes_around(module, node):
        # The body of a class is no scope of the functions in it.
        if isinstance(scope, ast.Lambda | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            if not (inside and isinstance(scope, ast.ClassDef)):
                yield scope
            inside = True


def enclosing_method(node: ast.expr, module: ModuleSyntax) -> tuple[ModuleSyntax, FunctionNode] | None:
    """The method behind `self.method`."""
    if not (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"):
        return None
    owner = module.class_around(node)
    methods = owner.body if owner is not None else []
    found = [one for one in methods if isinstance(one, ast.FunctionDef) and one.name == node.attr]
    return (module, found[-1]) if found else None


def arguments_given(function: FunctionNode | ast.Lambda | None, call: ast.Call) -> dict[str, ast.expr]:
    """What a call gives each parameter, as far as that can be told without knowing the values."""
    if function is None:
        return {}
    names = [one.arg for one in [*function.args.posonlyargs, *function.args.args]]
    if names[:1] in (["self"], ["cls"]):
        names = names[1:]
    given: dict[str, ast.expr] = {}
    for name, argument in zip(names, call.args, strict=False):
        if isinstance(argument, ast.Starred):
            break
        given[name] = argument
    given.update({one.arg: one.value for one in call.keywords if one.arg})
    return given


def _named(
    node: ast.Name, module: ModuleSyntax, workspace: Workspace, depth: int
) -> tuple[ModuleSyntax, FunctionNode] | None:
    inner = True
    for scope in scopes_of(node, module):
        own = [one for one in module.functions_by_name.get(node.id, ()) if module.scope_of(one) is scope]
        if own:
            return module, _last_before(own, node if inner else None)
        bindings = [] if isinstance(scope, ast.ClassDef) else scope_bindings(module, scope).names.get(node.id)
        if bindings:
            value = bindings[0].value if len(bindings) == 1 and bindings[0].part is None else None
            if bindings[0].imported is not None:
                return _of_place(node.id, module, workspace)
            return None if value is None else function_of(value, module, workspace, depth - 1)
        inner = False
    own = [one for one in module.functions_by_name.get(node.id, ()) if module.scope_of(one) is None]
    if own:
        return module, _last_before(own, node if inner else None)
    values = [one for one in module.assigned.get(node.id, ()) if not _holds(one, node, module)]
    if len(values) == 1 and isinstance(values[0], ast.Name | ast.Attribute):
        return function_of(values[0], module, workspace, depth - 1)
    return None if values else _of_place(node.id, module, workspace)


def _holds(value: ast.expr, node: ast.AST, module: ModuleSyntax) -> bool:
    """Whether a node stands in a value, as in `f = cuda.jit(f)`: there the name means what it did before."""
    parent: ast.AST | None = node
    while parent is not None and parent is not value:
        parent = module.parents.get(parent)
    return parent is value


def _last_before(functions: list[FunctionNode], node: ast.AST | None) -> FunctionNode:
    """The last of a name's definitions, or the last above a node that runs with them in one scope."""
    line = getattr(node, "lineno", None)
    above = [one for one in functions if line is not None and one.lineno < line]
    return (above or functions)[-1]


def _method(node: ast.Attribute, module: ModuleSyntax) -> tuple[ModuleSyntax, FunctionNode] | None:
    """A method as a plain function: by its class, or a static one by an object of the class around."""
    if not isinstance(node.value, ast.Name):
        return None
    owner: ast.AST | None
    by_object = node.value.id in ("self", "cls")
    if by_object:
        owner = module.class_around(node)
    else:
        owner = module.top_level.get(node.value.id)
    if not isinstance(owner, ast.ClassDef):
        return None
    for item in owner.body:
        if isinstance(item, ast.FunctionDef) and item.name == node.attr:
            return (module, item) if not by_object or _is_static(item) else None
    return None


def _is_static(method: ast.FunctionDef) -> bool:
    return any(isinstance(one, ast.Name) and one.id == "staticmethod" for one in method.decorator_list)


def _of_place(
    dotted: str | None, module: ModuleSyntax, workspace: Workspace
) -> tuple[ModuleSyntax, FunctionNode] | None:
    """A function of another module, by the name that it has there."""
    if dotted is None:
        return None
    imported = module.imports.get(dotted)
    if imported is not None and imported.name is not None:
        # The name may be bound again, as in `f = cuda.jit(f)`.
        target = workspace.find(imported, module)
        place = workspace.definition(imported.name, target) if target is not None else None
    else:
        place = workspace.member(dotted, module) if "." in dotted else workspace.definition(dotted, module)
    found = place[0].top_level.get(place[1]) if place else None
    if place is None or not isinstance(found, ast.FunctionDef | ast.AsyncFunctionDef):
        return None
    return place[0], found
