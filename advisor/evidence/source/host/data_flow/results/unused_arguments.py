"""Arrays of whole numbers that a launch passes and its kernel never names: lists of places, as a rule."""

from __future__ import annotations

import ast

from advisor.program.arrays.host_arrays import HostScope
from advisor.program.arrays.host_evaluator import HostValues
from advisor.program.arrays.host_values import Array
from advisor.program.launches.launches import Launch
from advisor.program.syntax.tree_nodes import below

_WHOLE = ("int", "uint")


def unused_arguments(launch: Launch, values: HostValues) -> tuple[str, ...]:
    """The parameters of a kernel that it never names, for which a launch passes arrays of whole numbers."""
    kernel = launch.kernel
    if kernel is None or launch.in_helper:
        return ()
    arguments = launch.node.args
    if launch.node.keywords or any(isinstance(one, ast.Starred) for one in arguments):
        return ()
    named = {one.id for part in kernel.node.body for one in below(part) if isinstance(one, ast.Name)}
    left = [(name, one) for name, one in zip(kernel.parameters, arguments, strict=False) if name not in named]
    if not left or not named & set(kernel.parameters):
        return ()
    scope = HostScope(launch.module, launch.module.function_around(launch.node), values)
    return tuple(name for name, argument in left if _holds_whole_numbers(argument, scope))


def _holds_whole_numbers(argument: ast.expr, scope: HostScope) -> bool:
    value = scope.value(argument)
    return isinstance(value, Array) and value.dims is not None and (value.dtype or "").startswith(_WHOLE)
