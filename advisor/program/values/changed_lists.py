"""Lists and dictionaries with a name, whose elements may change: what their displays say need not hold where
they are used.
"""

from __future__ import annotations

import ast

from advisor.program.syntax.calls import last_name
from advisor.program.syntax.module import FunctionNode, ModuleSyntax
from advisor.program.values.constant_folding import DictValue

# Methods, and functions, that neither change a list or a dictionary nor give it on.
_LOOKING = frozenset({"index", "count", "copy", "keys"})
_READING = frozenset(
    {"len", "tuple", "list", "range", "min", "max", "sum", "sorted", "reversed", "enumerate", "zip", "print"}
    | {
        "set",
        "frozenset",
        "any",
        "all",
        "int",
        "float",
        "str",
        "repr",
        "isinstance",
        "array",
        "asarray",
        "prod",
    }
)
_LOOKED_AT = (
    ast.Compare, ast.BinOp, ast.UnaryOp, ast.If, ast.While, ast.Assert, ast.Expr, ast.FormattedValue,
    ast.Slice, ast.Starred, ast.Subscript,
)  # fmt: skip


class ListValue(tuple[object, ...]):
    """The elements that a list's display gives it."""

    __slots__ = ()


def holds_list(value: object) -> bool:
    """Whether a value is a list or a dictionary, or a tuple with one in it."""
    if isinstance(value, ListValue | DictValue):
        return True
    return isinstance(value, tuple) and any(map(holds_list, value))


def may_change(value: object, name: str, module: ModuleSyntax, function: FunctionNode | None) -> bool:
    """Whether a value with a name of a module, or of a function in it, is a list or a dictionary that code
    there may change.

    What hands it on, or gives it another name, may change it; names of other scopes count as the same.
    """
    if not holds_list(value):
        return False
    inner = [one for _, one in value.items] if isinstance(value, DictValue) else value
    nested = any(map(holds_list, inner)) if isinstance(inner, tuple | list) else False
    return is_changed(name, module, function, nested=nested)


def is_changed(name: str, module: ModuleSyntax, function: FunctionNode | None, *, nested: bool) -> bool:
    """Whether code of a module, or of a function in it, may change the list or dictionary of a name, or where
    it is `nested` one that it holds.
    """
    places = module.once(_changing_places, module.tree).get(name, ())
    return any(
        (nested or not in_element) and (function is None or function in module.scopes(node))
        for node, in_element in places
    )


def _changing_places(module: ModuleSyntax, tree: ast.Module) -> dict[str, list[tuple[ast.AST, bool]]]:
    """The places where a list of each name, or an attribute, may change; True where only a list in it may."""
    found: dict[str, list[tuple[ast.AST, bool]]] = {}
    named: list[ast.Name | ast.Attribute] = [*module.inside(tree, ast.Name)]
    for node in [*named, *module.inside(tree, ast.Attribute)]:
        if isinstance(node.ctx, ast.Load):
            in_element = _element_changed(node, module)
            if in_element is not None:
                name = node.id if isinstance(node, ast.Name) else node.attr
                found.setdefault(name, []).append((node, in_element))
    return found


def _element_changed(node: ast.expr, module: ModuleSyntax) -> bool | None:
    """Whether only an element of what stands here may change, None where nothing may."""
    parent, element = module.parents.get(node), False
    while isinstance(parent, ast.Subscript) and parent.value is node:
        if not isinstance(parent.ctx, ast.Load):
            return element
        node, element = parent, True
        parent = module.parents.get(node)
    if isinstance(parent, ast.keyword):
        parent = module.parents.get(parent)
    if isinstance(parent, ast.Tuple) and isinstance(module.parents.get(parent), ast.Subscript):
        return None  # an index, or the configuration of a launch
    if isinstance(parent, _LOOKED_AT):
        return None
    if isinstance(parent, ast.Attribute):
        if parent.attr == "get":
            return True
        return None if parent.attr in _LOOKING else element
    if isinstance(parent, ast.Call) and parent.func is not node and last_name(parent.func) in _READING:
        return None
    if isinstance(parent, ast.For | ast.AsyncFor | ast.comprehension):
        return True
    if isinstance(parent, ast.IfExp) and parent.test is node:
        return None
    return element
