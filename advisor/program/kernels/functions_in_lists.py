"""The functions that an item of a list may stand for: of one that a loop goes through, or by its index."""

from __future__ import annotations

import ast

from advisor.program.kernels.function_values import function_of
from advisor.program.names.scope_bindings import scope_bindings, values_at
from advisor.program.names.workspace import Workspace
from advisor.program.syntax.bound_names import target_names
from advisor.program.syntax.module import FunctionNode, ModuleSyntax
from advisor.program.syntax.tree_nodes import below

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
_LOOPS = (ast.For, ast.AsyncFor)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_LITERALS = (ast.List, ast.Tuple, ast.Dict, ast.Set)
_SAME_ITEMS = frozenset({"list", "tuple", "sorted", "reversed", "iter"})
# Names that are bound to names, loops in loops.
_DEPTH = 4


def functions_of(
    node: ast.expr, module: ModuleSyntax, workspace: Workspace
) -> list[tuple[ModuleSyntax, FunctionNode]]:
    """The functions that an expression may stand for, each with its module: one, or those of a list."""
    items = _items(node, module, _DEPTH)
    each = [function_of(item, module, workspace) for item in ([node] if items is None else items)]
    return list({one[1]: one for one in each if one is not None}.values())


def place_in_target(target: ast.expr, name: str) -> tuple[int, ...] | None:
    """The way through nested tuples to a name that is bound, None where it is not bound there."""
    if isinstance(target, ast.Name):
        return () if target.id == name else None
    if isinstance(target, ast.Tuple | ast.List):
        for number, one in enumerate(target.elts):
            inner = place_in_target(one, name)
            if inner is not None:
                return (number, *inner)
    return None


def may_be_item_of_functions(node: ast.expr, module: ModuleSyntax) -> bool:
    """Whether an expression may be a function out of a list, at first sight."""
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
        return node.value.id in module.once(_lists_with_functions, module.tree)
    return isinstance(node, ast.Name) and node.id in module.once(_names_in_loops, module.tree)


def _items(node: ast.expr, module: ModuleSyntax, depth: int) -> list[ast.expr] | None:
    """The expressions of which a name in a loop or an item of a list is one, None for anything else."""
    if isinstance(node, ast.Subscript):
        return _at(_elements(node.value, module, depth, by_key=True), node.slice)
    loop = _loop_that_binds(node, module) if isinstance(node, ast.Name) else None
    if loop is None or not isinstance(node, ast.Name):
        return None
    found = _elements(loop.iter, module, depth)
    for number in place_in_target(loop.target, node.id) or ():
        found = [one for each in found for one in _at([each], None, number)]
    return found


def _at(elements: list[ast.expr], key: ast.expr | None, number: int | None = None) -> list[ast.expr]:
    """The elements at a literal index; of single tuples the part with a number."""
    if number is not None:
        parts = elements[0].elts if isinstance(elements[0], ast.Tuple | ast.List) else []
        return parts[number : number + 1]
    index = key.value if isinstance(key, ast.Constant) else None
    if isinstance(index, int) and 0 <= index < len(elements):
        return [elements[index]]
    return elements


def _loop_that_binds(
    name: ast.Name, module: ModuleSyntax
) -> ast.For | ast.AsyncFor | ast.comprehension | None:
    """The innermost loop around a name that gives it its value."""
    inner: ast.AST = name
    parent = module.parents.get(name)
    while parent is not None and not isinstance(parent, ast.Lambda):
        if isinstance(parent, _COMPREHENSIONS):
            for one in parent.generators:
                if one is not inner and place_in_target(one.target, name.id) is not None:
                    return one
        elif isinstance(parent, _LOOPS) and inner is not parent.iter:
            bound_again = len(module.stores(name.id, parent)) > 1 or any(
                one.name == name.id for one in module.inside(parent, ast.FunctionDef)
            )
            if not bound_again and place_in_target(parent.target, name.id) is not None:
                return parent
        elif isinstance(parent, _FUNCTIONS) and name.id in scope_bindings(module, parent).names:
            return None
        inner, parent = parent, module.parents.get(parent)
    return None


def _elements(values: ast.expr, module: ModuleSyntax, depth: int, *, by_key: bool = False) -> list[ast.expr]:
    """The expressions that stand in a list, tuple or set, or are the keys, by key the values, of a dict."""
    if depth <= 0:
        return []
    if isinstance(values, ast.Tuple | ast.List | ast.Set):
        return values.elts
    if isinstance(values, ast.Dict):
        return values.values if by_key else [one for one in values.keys if one is not None]
    if isinstance(values, ast.Name):
        bound = values_at(module, values)
        value = bound[0] if len(bound) == 1 else None
        return [] if value is None else _elements(value, module, depth - 1, by_key=by_key)
    if isinstance(values, ast.Call):
        return _elements_of_call(values, module, depth)
    return []


def _elements_of_call(call: ast.Call, module: ModuleSyntax, depth: int) -> list[ast.expr]:
    """What a loop over `enumerate`, `zip` or the items of a dictionary goes through, pairs as tuples."""
    if isinstance(call.func, ast.Attribute) and not call.args:
        held = _elements(call.func.value, module, depth, by_key=True)
        if call.func.attr == "items":
            return [_pair(call, one) for one in held]
        return held if call.func.attr == "values" else []
    name = call.func.id if isinstance(call.func, ast.Name) else ""
    if not call.args:
        return []
    if name in _SAME_ITEMS:
        return _elements(call.args[0], module, depth)
    if name == "enumerate":
        return [_pair(call, one) for one in _elements(call.args[0], module, depth)]
    if name == "zip":
        # Of one that is not known the others may be.
        columns = [_elements(one, module, depth) for one in call.args]
        most = max(map(len, columns))
        rows = ([one[row] if row < len(one) else call for one in columns] for row in range(most))
        return [ast.copy_location(ast.Tuple(row, ast.Load()), call) for row in rows]
    return []


def _pair(call: ast.Call, value: ast.expr) -> ast.expr:
    """A pair of something unknown and a value."""
    return ast.copy_location(ast.Tuple([call, value], ast.Load()), call)


def _lists_with_functions(module: ModuleSyntax, tree: ast.Module) -> frozenset[str]:
    """The names bound to a list, a tuple or a dictionary in which the name of a function stands."""
    return frozenset(
        name
        for one in module.inside(tree, ast.Assign)
        if isinstance(one.value, _LITERALS) and _names_a_function(one.value, module)
        for target in one.targets
        for name in target_names(target)
    )


def _names_in_loops(module: ModuleSyntax, tree: ast.Module) -> frozenset[str]:
    """The targets of loops over what may hold a function."""
    loops: list[ast.For | ast.AsyncFor | ast.comprehension] = [
        *module.inside(tree, ast.For),
        *module.inside(tree, ast.AsyncFor),
        *module.inside(tree, ast.comprehension),
    ]
    return frozenset(
        name for loop in loops if _names_a_function(loop.iter, module) for name in target_names(loop.target)
    )


def _names_a_function(node: ast.expr, module: ModuleSyntax) -> bool:
    lists = module.once(_lists_with_functions, module.tree) if not isinstance(node, _LITERALS) else ()
    return any(
        isinstance(one, ast.Name)
        and (one.id in module.functions_by_name or one.id in module.imports or one.id in lists)
        for one in below(node)
    )
