"""Launches as a fix looks at them: the expressions of grid and block, and the arguments."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst

from advisor.fixes.known_facts import Row
from advisor.fixes.support.edits.source_module import SourceModule


@dataclass(frozen=True)
class LaunchSite:
    """One launch `kernel[grid, block, …](arguments)`; `row` is what is known of it (block_x, …)."""

    module: SourceModule
    row: Row
    subscript: cst.Subscript
    call: cst.Call
    grid: cst.BaseExpression
    block: cst.BaseExpression

    @property
    def arguments(self) -> list[cst.BaseExpression] | None:
        """The arguments in order, None where some are given by keyword or star."""
        if any(argument.keyword or argument.star for argument in self.call.args):
            return None
        return [argument.value for argument in self.call.args]

    def function(self) -> cst.FunctionDef | None:
        """The function that the launch stands in, None at module level."""
        return self.module.function_around(self.module.range_of(self.subscript)[0])

    def defined(self, expression: cst.BaseExpression) -> cst.BaseExpression:
        """What a name in the launch stands for, where it is assigned exactly once; else the expression.

        The function of the launch is looked at before the module.
        """
        seen = set()
        while isinstance(expression, cst.Name) and expression.value not in seen:
            seen.add(expression.value)
            found = self._assigned(expression.value)
            if found is None:
                break
            expression = found
        return expression

    def _assigned(self, name: str) -> cst.BaseExpression | None:
        function = self.function()
        if function is not None:
            if any(one.name.value == name for one in _parameters(function)):
                return None
            local = self.module.bindings(name, function)
            if local:
                return given_value(local[0], name) if len(local) == 1 else None
        top = self.module.bindings(name, None)
        return given_value(top[0], name) if len(top) == 1 else None


def may_launch(module: SourceModule, subscript: cst.Subscript, function: cst.FunctionDef) -> bool:
    """Whether `name[…]` may be a launch of a kernel's function: False where the name stands for other
    functions there, as where two functions of a file define a kernel of the same name each.
    """
    name = subscript.value
    if not isinstance(name, cst.Name):
        return True
    bound = _bound_at(module, subscript, name.value)
    return function in bound or not bound or not all(isinstance(one, cst.FunctionDef) for one in bound)


def _bound_at(module: SourceModule, node: cst.CSTNode, name: str) -> list[cst.CSTNode]:
    """The nodes that bind a name in the innermost scope around a node that knows it."""
    above = module.parent(node)
    while above is not None:
        if isinstance(above, cst.FunctionDef):
            bound = module.bindings(name, above)
            given = [one for one in _parameters(above) if one.name.value == name]
            if bound or given:
                return [*bound, *given]
        above = module.parent(above)
    return module.bindings(name, None)


def given_value(line: cst.CSTNode, name: str) -> cst.BaseExpression | None:
    """What an assignment gives a name: its value, or its part of a tuple that is written there; else None."""
    if not isinstance(line, cst.Assign):
        return None
    for part in line.targets:
        if isinstance(part.target, cst.Name) and part.target.value == name:
            return line.value
        if isinstance(part.target, cst.Tuple) and isinstance(line.value, cst.Tuple):
            pairs = list(zip(part.target.elements, line.value.elements, strict=False))
            whole = len(pairs) == len(part.target.elements) == len(line.value.elements)
            for target, value in pairs:
                plain = isinstance(target, cst.Element) and isinstance(value, cst.Element)
                if whole and plain and isinstance(target.value, cst.Name) and target.value.value == name:
                    return value.value
    return None


def _parameters(function: cst.FunctionDef) -> list[cst.Param]:
    params = function.params
    stars = [one for one in (params.star_arg, params.star_kwarg) if isinstance(one, cst.Param)]
    return [*params.posonly_params, *params.params, *params.kwonly_params, *stars]


def launch_site(module: SourceModule, row: Row) -> LaunchSite | None:
    """The launch at a row's place, None where grid, block and arguments do not stand there together."""
    begin = module.offset(row.span.line, row.span.column - 1)
    end = module.offset(row.span.end_line, row.span.end_column - 1)
    subscript = module.node_at(cst.Subscript, begin, end)
    if subscript is None:
        whole = module.node_at(cst.Call, begin, end)
        inner = whole.func if whole is not None else None
        subscript = inner if isinstance(inner, cst.Subscript) else None
    if subscript is None or len(subscript.slice) < 2:
        return None
    call = module.parent(subscript)
    parts = [one.slice.value for one in subscript.slice if isinstance(one.slice, cst.Index)]
    if not isinstance(call, cst.Call) or call.func is not subscript or len(parts) != len(subscript.slice):
        return None
    if any(isinstance(one.slice, cst.Index) and one.slice.star for one in subscript.slice):
        return None
    return LaunchSite(module, row, subscript, call, parts[0], parts[1])
