"""Launches as a fix looks at them: the expressions of grid and block, and the arguments."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from advisor.fixes.known_facts import Row
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.kernel.assigned_names import value_written
from advisor.program.names.scope_names import parameter_names
from advisor.program.syntax.calls import last_name
from advisor.program.syntax.module import FunctionNode

# What is asked of a kernel without launching it here.
_CONFIGURED = ("forall", "configure", "specialize", "overloads", "py_func")


@dataclass(frozen=True)
class LaunchSite:
    """One launch `kernel[grid, block, …](arguments)`; `row` is what is known of it (block_x, …).

    `configuration` are the expressions in the brackets.
    """

    module: SourceModule
    row: Row
    subscript: ast.Subscript
    call: ast.Call
    configuration: list[ast.expr]

    @property
    def grid(self) -> ast.expr:
        """The expression of the grid."""
        return self.configuration[0]

    @property
    def block(self) -> ast.expr:
        """The expression of the block."""
        return self.configuration[1]

    @property
    def arguments(self) -> list[ast.expr] | None:
        """The arguments in order, None where some are given by keyword or star."""
        starred = any(isinstance(one, ast.Starred) for one in self.call.args)
        return None if starred or self.call.keywords else self.call.args

    def function(self) -> FunctionNode | None:
        """The function that the launch stands in, None at module level."""
        return self.module.scope_of(self.subscript)

    def defined(self, expression: ast.expr) -> ast.expr:
        """What a name in the launch stands for, where it is assigned exactly once; else the expression.

        The function of the launch is looked at before the module.
        """
        return named_value(self.module, self.function(), expression)


def launch_site(module: SourceModule, row: Row) -> LaunchSite | None:
    """The launch at a row's place, None where grid, block and arguments do not stand there together."""
    begin = module.offset(row.span.line, row.span.column - 1)
    end = module.offset(row.span.end_line, row.span.end_column - 1)
    subscript = module.node_at(ast.Subscript, begin, end)
    if subscript is None:
        whole = module.node_at(ast.Call, begin, end)
        subscript = whole.func if whole is not None and isinstance(whole.func, ast.Subscript) else None
    call = module.parent(subscript) if subscript is not None else None
    if subscript is None or not isinstance(call, ast.Call) or call.func is not subscript:
        return None
    parts = subscript.slice.elts if isinstance(subscript.slice, ast.Tuple) else []
    if len(parts) < 2 or any(isinstance(one, ast.Slice | ast.Starred) for one in parts):
        return None
    return LaunchSite(module, row, subscript, call, parts)


def named_value(module: SourceModule, function: FunctionNode | None, expression: ast.expr) -> ast.expr:
    """What a name of a function, or of the module for None, stands for in the end, else the expression.

    A name stands for a value that it is given once; the function is looked at before the module.
    """
    seen = set()
    while isinstance(expression, ast.Name) and expression.id not in seen:
        seen.add(expression.id)
        found = assigned_once(module, function, expression.id)
        if found is None:
            break
        expression = found
    return expression


def assigned_once(module: SourceModule, function: FunctionNode | None, name: str) -> ast.expr | None:
    """What a name of a function, of one around it or of the module is given once; None for anything else."""
    while function is not None:
        if name in parameter_names(function):
            return None
        bound = module.bindings(name, function)
        if bound:
            return value_written(module, bound[0], name) if len(bound) == 1 else None
        function = module.scope_of(function)
    bound = module.bindings(name, None)
    once = len(bound) == 1 and name not in module.syntax.bound_by_functions
    return value_written(module, bound[0], name) if once else None


def may_launch(module: SourceModule, subscript: ast.Subscript, function: FunctionNode) -> bool:
    """Whether `name[…]` may be a launch of a kernel's function: False where the name stands for other
    functions there, as where two functions of a file define a kernel of the same name each.
    """
    name = subscript.value
    if not isinstance(name, ast.Name):
        return True
    scope, bound = module.scope_of(subscript), list[ast.AST]()
    while scope is not None and not bound:
        if name.id in parameter_names(scope):
            return True
        bound = module.bindings(name.id, scope)
        scope = module.scope_of(scope)
    bound = bound or module.bindings(name.id, None)
    return function in bound or not bound or not all(isinstance(one, FunctionNode) for one in bound)


def are_all_launches(module: SourceModule, kernel: FunctionNode, sites: list[LaunchSite]) -> bool:
    """Whether launches are all of a kernel of a module, as far as its file and theirs show, and of no other
    kernel: each names it, and nothing else configures it, asks for its code or calls it.
    """
    modules = {module, *(site.module for site in sites)}
    named = all(last_name(site.subscript.value) == kernel.name for site in sites)
    return named and not any(_is_used_otherwise(one, kernel, sites) for one in modules)


def _is_used_otherwise(module: SourceModule, kernel: FunctionNode, sites: list[LaunchSite]) -> bool:
    seen = {site.subscript for site in sites if site.module is module}
    configured = any(
        node not in seen and last_name(node.value) == kernel.name and may_launch(module, node, kernel)
        for node in module.nodes(ast.Subscript)
    )
    asked = (last_name(node.value) for node in module.nodes(ast.Attribute) if node.attr in _CONFIGURED)
    return configured or kernel.name in module.called_names or kernel.name in asked


def block_of(site: LaunchSite) -> tuple[int, int] | None:
    """The block's sizes along x and y where both are known and it has no depth, else None."""
    x, y, z = site.row.block
    return None if x is None or y is None or z not in (None, 1) else (x, y)
