"""Which copies of the NumPy arrays of a launch could be left out.

Numba copies each of them to the device before the launch and back behind it. An array that the kernel only
reads comes back as it was; of one that it only stores to, nothing that is copied there is looked at.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from advisor.facts.array_traffic import ArrayTraffic
from advisor.facts.declarations import Declaration
from advisor.facts.host_scope import HostScope
from advisor.facts.module import stored_names
from advisor.facts.tree_nodes import below
from advisor.facts.workspace import Workspace


def needless_copy(
    call: ast.Call, kernel: Declaration | None, scope: HostScope, loops: Sequence[ast.For | ast.While]
) -> str | None:
    """A sentence about copies of a launch that could be left out, None where none is seen to."""
    given = [one for one in call.args if scope.is_host_array(one)]
    for loop in loops:
        kept = [ast.unparse(one) for one in given if _outlives_turn(one, loop)]
        if kept:
            return f"The loop does it in every turn: {', '.join(kept)}"
    again = [ast.unparse(one) for one in given if _is_launched_again(one, call, scope)]
    if again:
        return f"Another launch does it as well: {', '.join(again)}"
    return _one_way_only(call, kernel, given, scope.workspace) if kernel is not None else None


def _outlives_turn(argument: ast.expr, loop: ast.For | ast.While) -> bool:
    """Whether an array is the same in every turn of a loop: a name or attribute that it does not bind."""
    if isinstance(argument, ast.Name):
        return argument.id not in stored_names(loop)
    written = ast.unparse(argument)
    return isinstance(argument, ast.Attribute) and not any(
        isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store) and ast.unparse(one) == written
        for one in below(loop)
    )


def _is_launched_again(argument: ast.expr, call: ast.Call, scope: HostScope) -> bool:
    """Whether another launch of the same function body gets the same array."""
    function = scope.function
    if function is None or not isinstance(argument, ast.Name):
        return False
    if len(scope.bound(scope.module, function, argument.id)) != 1:
        return False
    return any(
        other is not call
        and isinstance(other.func, ast.Subscript)
        and isinstance(other.func.slice, ast.Tuple)
        and any(isinstance(one, ast.Name) and one.id == argument.id for one in other.args)
        for other in scope.module.inside(function, ast.Call)
    )


def _one_way_only(
    call: ast.Call, kernel: Declaration, given: Sequence[ast.expr], workspace: Workspace
) -> str | None:
    if any(isinstance(one, ast.Starred) for one in call.args):
        return None
    traffic = ArrayTraffic(workspace)
    # Of a record some fields may be stored while the others go back as they came.
    records = any(map(_names_field, below(kernel.node)))
    unread: list[str] = []
    unchanged: list[str] = []
    for parameter, argument in zip(kernel.parameters, call.args, strict=False):
        if argument in given:
            read, stored = traffic.of(kernel.module, kernel.node, parameter)
            kept = [] if read or records else unread
            (unchanged if not stored else kept).append(ast.unparse(argument))
    parts = [
        f"does not {verb} {', '.join(names)}"
        for verb, names in (("change", unchanged), ("read", unread))
        if names
    ]
    return f"The kernel {' and '.join(parts)}" if parts else None


def _names_field(node: ast.AST) -> bool:
    key = node.slice if isinstance(node, ast.Subscript) else None
    return isinstance(key, ast.Constant) and isinstance(key.value, str)
