"""Which copies of the NumPy arrays of a launch could be left out.

Numba copies each of them to the device before the launch and back behind it. An array that the kernel cannot
write comes back as it was. Of one that it does not read and stores every element of, nothing that is copied
there is looked at; where it stores some elements only, the others come back as they went there.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from advisor.program.arrays.host_arrays import HostScope
from advisor.program.effects.array_effects import ArrayEffects
from advisor.program.effects.overwritten_arrays import OverwrittenArrays
from advisor.program.kernels.declarations import Declaration
from advisor.program.launches.grid_rounding import divides_up
from advisor.program.syntax.module import ModuleSyntax


def needless_copy(
    call: ast.Call,
    kernel: Declaration | None,
    scope: HostScope,
    loops: Sequence[ast.For | ast.While],
    effects: ArrayEffects,
) -> str | None:
    """A sentence about copies of a launch that could be left out, None where none is seen to."""
    given = [one for one in call.args if scope.is_host_array(one)]
    for loop in loops:
        kept = [ast.unparse(one) for one in given if _outlives_turn(one, loop, scope.module)]
        if kept:
            return f"The loop does it in every turn: {', '.join(kept)}"
    again = [ast.unparse(one) for one in given if _is_launched_again(one, call, scope)]
    if again:
        return f"Another launch does it as well: {', '.join(again)}"
    return _one_way_only(call, kernel, given, scope, effects) if kernel is not None else None


def _outlives_turn(argument: ast.expr, loop: ast.For | ast.While, module: ModuleSyntax) -> bool:
    """Whether an array is the same in every turn of a loop: a name or attribute that it does not bind."""
    if isinstance(argument, ast.Name):
        return not module.stores(argument.id, loop)
    written = ast.unparse(argument)
    return isinstance(argument, ast.Attribute) and not any(
        isinstance(one.ctx, ast.Store) and ast.unparse(one) == written
        for one in module.inside(loop, ast.Attribute)
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
    call: ast.Call, kernel: Declaration, given: Sequence[ast.expr], scope: HostScope, effects: ArrayEffects
) -> str | None:
    if any(isinstance(one, ast.Starred) for one in call.args):
        return None
    overwritten = _overwritten(call, kernel, scope)
    unread: list[str] = []
    unchanged: list[str] = []
    for parameter, argument in zip(kernel.parameters, call.args, strict=False):
        if argument not in given:
            continue
        done = effects.of(kernel.module, kernel.node, parameter)
        if not done.writes:
            unchanged.append(ast.unparse(argument))
        elif not done.reads and parameter in overwritten:
            unread.append(ast.unparse(argument))
    parts = [
        f"does not {verb} {', '.join(names)}"
        for verb, names in (("change", unchanged), ("read", unread))
        if names
    ]
    return f"The kernel {' and '.join(parts)}" if parts else None


def _overwritten(call: ast.Call, kernel: Declaration, scope: HostScope) -> frozenset[str]:
    """The parameters of which a launch with a thread for each element stores every element."""
    configuration = call.func.slice if isinstance(call.func, ast.Subscript) else None
    grid = configuration.elts[0] if isinstance(configuration, ast.Tuple) else None
    threads_for_all = grid is not None and divides_up(grid, scope)
    return OverwrittenArrays(kernel.module, kernel.node).names(threads_for_all)
