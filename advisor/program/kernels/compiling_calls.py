"""Calls that compile functions, as the caller of a wrapper would write them, with each option by itself."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from advisor.program.names.scope_bindings import values_at
from advisor.program.syntax.module import ModuleSyntax


def is_mapping(call: ast.Call, module: ModuleSyntax) -> bool:
    """Whether a call hands the items of a list to a function one by one, as Python's own `map` does."""
    plain = isinstance(call.func, ast.Name) and call.func.id == "map" and len(call.args) == 2
    return plain and "map" not in module.bound_anywhere and not isinstance(call.args[1], ast.Starred)


def spelled_out(call: ast.Call, module: ModuleSyntax) -> ast.Call:
    """A call with the options of a written dictionary (`**options`) one by one; others stay as they are."""
    if all(one.arg for one in call.keywords):
        return call
    keywords: list[ast.keyword] = []
    for one in call.keywords:
        options = None if one.arg else _options_in(one.value, module)
        keywords += [one] if options is None else [ast.keyword(*pair) for pair in options.items()]
    return ast.copy_location(ast.Call(call.func, call.args, keywords), call)


def _options_in(node: ast.expr, module: ModuleSyntax) -> dict[str, ast.expr] | None:
    """The values that a dictionary has by texts, None where the source does not tell or may change it."""
    if isinstance(node, ast.Name):
        values = values_at(module, node)
        # Whoever else has the dictionary may change it.
        if not all(
            isinstance(module.parents.get(one), ast.keyword) for one in module.loads(node.id, module.tree)
        ):
            return None
        return (
            _options_in(values[0], module)
            if len(values) == 1 and isinstance(values[0], ast.Dict | ast.Call)
            else None
        )
    if isinstance(node, ast.Call) and module.dotted(node.func) == "dict" and not node.args:
        return (
            {one.arg: one.value for one in node.keywords if one.arg}
            if all(one.arg for one in node.keywords)
            else None
        )
    if not isinstance(node, ast.Dict):
        return None
    found: dict[str, ast.expr] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
            return None
        found[key.value] = value
    return found


def is_for_device(node: ast.expr, module: ModuleSyntax) -> bool:
    """Whether a call of `cuda.jit`, or of what it returns, asks for a device function."""
    parent = module.parents.get(node)
    while isinstance(parent, ast.Call) and parent.func is node:
        for keyword in parent.keywords:
            if keyword.arg == "device" and isinstance(keyword.value, ast.Constant):
                return bool(keyword.value.value)
        node, parent = parent, module.parents.get(parent)
    return False


def written_outside(call: ast.Call, given: Mapping[str, ast.expr], function: ast.expr | None) -> ast.Call:
    """A call inside of a wrapper as its caller would write it: with literals and what the caller gives."""

    def outside(value: ast.expr) -> ast.expr | None:
        if isinstance(value, ast.Name):
            return given.get(value.id)
        return value if isinstance(value, ast.Constant) else None

    keywords = [
        ast.keyword(one.arg, value)
        for one in call.keywords
        if one.value is not function and (value := outside(one.value)) is not None
    ]
    arguments = [
        value for one in call.args[:1] if one is not function and (value := outside(one)) is not None
    ]
    return ast.copy_location(ast.Call(call.func, arguments, keywords), call)


def without_arguments(call: ast.Call) -> ast.Call:
    """A call of a wrapper, whose own arguments are no options of `cuda.jit`."""
    return ast.copy_location(ast.Call(call.func, [], []), call)
