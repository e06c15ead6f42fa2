"""What the calls in a module give for a parameter of one of its functions."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from advisor.program.names.visible_names import visible
from advisor.program.syntax.calls import keyword_value
from advisor.program.syntax.module import FunctionNode, ModuleSyntax
from advisor.program.syntax.tree_nodes import below, dotted_root


def values_given(
    module: ModuleSyntax, function: FunctionNode, parameter: str
) -> list[tuple[FunctionNode | None, ast.expr | None]]:
    """For each call by the function's name the calling function and the argument, None where it gives none.

    Calls of the function by itself are left out.
    """
    calls = module.calls_by_name.get(function.name, ())
    return list(_given(calls, module, function, parameter, 0))


def values_given_to_method(
    module: ModuleSyntax, method: FunctionNode, owner: ast.ClassDef, parameter: str
) -> list[tuple[FunctionNode | None, ast.expr | None]]:
    """For each call of a class, or of a method whose name no other function has, the calling function and the
    argument, None where it gives none.

    What a module imports is no object of the class. Nothing where a call unpacks its arguments.
    """
    decorators = {one.id for one in method.decorator_list if isinstance(one, ast.Name)}
    if len(method.decorator_list) > len(decorators & {"staticmethod", "classmethod"}):
        return []
    bound = 0 if "staticmethod" in decorators else 1
    if method.name == "__init__":
        calls = module.calls_by_name.get(owner.name, [])
    elif len(module.functions_by_name.get(method.name, ())) == 1:
        calls = module.once(_calls_of_attributes, module.tree).get(method.name, [])
    else:
        return []
    unpacked = (isinstance(one, ast.Starred) for call in calls for one in call.args)
    if any(unpacked) or any(one.arg is None for call in calls for one in call.keywords):
        return []
    return list(_given(calls, module, method, parameter, bound))


def is_own_object(method: FunctionNode, parameter: str) -> bool:
    """Whether a parameter of a method is the object that it is called of."""
    return not method.decorator_list and [one.arg for one in method.args.args[:1]] == [parameter]


def _given(
    calls: Iterable[ast.Call], module: ModuleSyntax, function: FunctionNode, parameter: str, bound: int
) -> Iterator[tuple[FunctionNode | None, ast.expr | None]]:
    """What calls from elsewhere give a parameter; the first `bound` ones are given by no argument."""
    names = [one.arg for one in function.args.args]
    position = names.index(parameter) - bound if parameter in names else None
    for call in calls:
        named = keyword_value(call, parameter)
        placed = position is not None and 0 <= position < len(call.args)
        given = named or (call.args[position] if placed and position is not None else None)
        caller = module.function_around(call)
        if caller is not function:
            yield caller, given


def _calls_of_attributes(module: ModuleSyntax, _: ast.Module) -> dict[str, list[ast.Call]]:
    """The calls of attributes of anything that the module does not import, by the attribute."""
    found: dict[str, list[ast.Call]] = {}
    for call in module.calls:
        root = dotted_root(call.func) if isinstance(call.func, ast.Attribute) else None
        if isinstance(call.func, ast.Attribute) and (root is None or root.id not in module.imports):
            found.setdefault(call.func.attr, []).append(call)
    return found


def values_of_parameter(module: ModuleSyntax, name: ast.Name) -> list[ast.expr]:
    """What the calls in a module, and the default, give for the parameter that a name stands for; nothing
    where it stands for something else. Other modules may give other values.
    """
    seen = visible(module, name.id, name)
    function = seen.scope if seen is not None else None
    if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
        return []
    given = function.args
    named = [one.arg for one in given.args]
    if name.id not in named or given.posonlyargs:
        return []
    defaults = dict(zip(reversed(named), reversed(given.defaults), strict=False))
    found = [defaults[name.id]] if name.id in defaults else []
    return found + [one for _, one in values_given(module, function, name.id) if one is not None]


def values_in_script(
    module: ModuleSyntax, function: FunctionNode | None, parameter: str, *, is_main: bool = False
) -> list[tuple[FunctionNode | None, ast.expr | None]]:
    """What each call gives for a parameter, with the calling function; nothing where calls may be unseen:
    where the module does not come to a call of the function as it is loaded, or does anything else with it.

    `is_main` takes the module for the program that is started: what it does by its name counts as well.
    """
    if function is None or parameter not in {argument.arg for argument in function.args.args}:
        return []
    return values_given(module, function, parameter) if _is_reached(module, function, is_main, ()) else []


def _is_reached(
    module: ModuleSyntax, function: FunctionNode, is_main: bool, asked: tuple[FunctionNode, ...]
) -> bool:
    """Whether the statements of a module come to a call of a function, by other functions that they come to,
    and do nothing else with any of these.
    """
    if function in asked or function.name in module.once(_used_otherwise, module.tree):
        return False
    for call in module.calls_by_name.get(function.name, ()):
        caller = module.function_around(call)
        if caller is None and (is_main or _as_loaded(call, module)):
            return True
        if caller is not None and _is_reached(module, caller, is_main, (*asked, function)):
            return True
    return False


def _used_otherwise(module: ModuleSyntax, tree: ast.Module) -> frozenset[str]:
    """The names that a module does anything else with than to call them."""
    called = {call.func for call in module.calls}
    others = (one for one in module.inside(tree, ast.Name) if one not in called)
    return frozenset(one.id for one in others if not _is_local(one, module))


def _is_local(name: ast.Name, module: ModuleSyntax) -> bool:
    """Whether a name that the module has as well stands for a parameter or local name of a function."""
    seen = visible(module, name.id, name) if name.id in module.top_level else None
    return seen is not None and isinstance(seen.scope, ast.FunctionDef | ast.AsyncFunctionDef)


def _as_loaded(call: ast.Call, module: ModuleSyntax) -> bool:
    """Whether a call of the module's own statements stands under no question for the module's name."""
    node: ast.AST | None = call
    while node is not None and not isinstance(node, ast.Module):
        if isinstance(node, ast.If) and _asks_for_name(node.test):
            return False
        node = module.parents.get(node)
    return node is not None


def _asks_for_name(test: ast.expr) -> bool:
    return any(isinstance(inner, ast.Name) and inner.id == "__name__" for inner in below(test))
