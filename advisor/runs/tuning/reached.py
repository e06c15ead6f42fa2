"""What an expression rests on: the expressions that its names stand for, through functions and modules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import libcst as cst

from advisor.fixes.support.edits.source_module import SourceModule


def assigned(module: SourceModule, function: cst.FunctionDef | None, name: str) -> cst.BaseExpression | None:
    """What a name stands for where it is assigned exactly once, the function looked at before the module."""
    if function is not None:
        if name in _parameter_names(function):
            return None
        local = module.bindings(name, function)
        if local:
            return _value(local)
    return _value(module.bindings(name, None))


def _value(bound: list[cst.CSTNode]) -> cst.BaseExpression | None:
    if len(bound) != 1:
        return None
    node = bound[0]
    if isinstance(node, cst.Assign) and len(node.targets) == 1:
        return node.value if isinstance(node.targets[0].target, cst.Name) else None
    return node.value if isinstance(node, cst.AnnAssign) and isinstance(node.target, cst.Name) else None


def _parameter_names(function: cst.FunctionDef) -> set[str]:
    params = function.params
    stars = [one for one in (params.star_arg, params.star_kwarg) if isinstance(one, cst.Param)]
    given = [*params.posonly_params, *params.params, *params.kwonly_params, *stars]
    return {one.name.value for one in given}


def reached_expressions(
    module: SourceModule, function: cst.FunctionDef | None, start: Iterable[cst.BaseExpression]
) -> list[cst.BaseExpression]:
    """The expressions themselves, and those that their names stand for, and so on."""
    waiting, seen = list(start), set()
    found = []
    while waiting:
        expression = waiting.pop()
        found.append(expression)
        for name in module.nodes_in(cst.Name, expression):
            if name.value in seen:
                continue
            seen.add(name.value)
            value = assigned(module, function, name.value)
            if value is not None:
                waiting.append(value)
    return found


def integers_in(module: SourceModule, expressions: Iterable[cst.BaseExpression]) -> Iterator[cst.Integer]:
    """The integers that are written in expressions."""
    for expression in expressions:
        yield from module.nodes_in(cst.Integer, expression)


def resolved(
    module: SourceModule, function: cst.FunctionDef | None, expression: cst.BaseExpression
) -> cst.BaseExpression:
    """What a name stands for in the end, or the expression itself."""
    seen = set()
    while isinstance(expression, cst.Name) and expression.value not in seen:
        seen.add(expression.value)
        value = assigned(module, function, expression.value)
        if value is None:
            break
        expression = value
    return expression


def slot_name(module: SourceModule, integer: cst.Integer, fallback: str) -> str:
    """How a number is called: the name it is assigned to, with its index in a tuple; else the fallback."""
    index = ""
    above = module.parent(integer)
    if isinstance(above, cst.Element):
        tuple_node = module.parent(above)
        if isinstance(tuple_node, cst.Tuple):
            index = f"[{tuple_node.elements.index(above)}]"
            above = module.parent(tuple_node)
    target = None
    if isinstance(above, cst.Assign) and len(above.targets) == 1:
        target = above.targets[0].target
    elif isinstance(above, cst.AnnAssign):
        target = above.target
    return f"{target.value}{index}" if isinstance(target, cst.Name) else fallback
