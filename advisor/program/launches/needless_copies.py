"""Which copies of the NumPy arrays of a launch could be left out.

Numba copies each of them to the device before the launch and back behind it. An array that the kernel cannot
write comes back as it was. Of one that it does not read and stores every element of, nothing that is copied
there is looked at; where it stores some elements only, the others come back as they went there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from advisor.program.arrays.host_arrays import HostScope
from advisor.program.effects.array_effects import ArrayEffects
from advisor.program.effects.overwritten_arrays import OverwrittenArrays
from advisor.program.kernels.declarations import Declaration
from advisor.program.launches.grid_rounding import divides_up
from advisor.program.syntax.module import ModuleSyntax


@dataclass(frozen=True)
class NeedlessCopies:
    """The NumPy arrays of a launch, as written there, of which a copy could be left out.

    `each_iteration` are the same in all iterations of a loop around the launch, `again` are copied by another
    launch as well; the kernel writes no element of the `unchanged`, and reads none of the `unread`, all of
    which it writes.
    """

    each_iteration: tuple[str, ...] = ()
    again: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()


def needless_copies(
    call: ast.Call,
    kernel: Declaration | None,
    scope: HostScope,
    loops: Sequence[ast.For | ast.While],
    effects: ArrayEffects,
) -> NeedlessCopies:
    """The copies of a launch that could be left out, by the first reason found: a loop, another launch, or
    what the kernel does with the arrays.
    """
    given = [argument for argument in call.args if scope.is_host_array(argument)]
    for loop in loops:
        kept = _written(argument for argument in given if _outlives_iteration(argument, loop, scope.module))
        if kept:
            return NeedlessCopies(each_iteration=kept)
    again = _written(argument for argument in given if _is_launched_again(argument, call, scope))
    if again:
        return NeedlessCopies(again=again)
    return _one_way_only(call, kernel, given, scope, effects) if kernel is not None else NeedlessCopies()


def _written(arguments: Iterable[ast.expr]) -> tuple[str, ...]:
    return tuple(ast.unparse(argument) for argument in arguments)


def _outlives_iteration(argument: ast.expr, loop: ast.For | ast.While, module: ModuleSyntax) -> bool:
    """Whether an array is the same in all iterations of a loop: a name or attribute that it does not bind."""
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
) -> NeedlessCopies:
    if any(isinstance(one, ast.Starred) for one in call.args):
        return NeedlessCopies()
    overwritten = _overwritten(call, kernel, scope)
    unread: list[ast.expr] = []
    unchanged: list[ast.expr] = []
    for parameter, argument in zip(kernel.parameters, call.args, strict=False):
        if argument not in given:
            continue
        done = effects.of(kernel.module, kernel.node, parameter)
        if not done.writes:
            unchanged.append(argument)
        elif not done.reads and parameter in overwritten:
            unread.append(argument)
    return NeedlessCopies(unchanged=_written(unchanged), unread=_written(unread))


def _overwritten(call: ast.Call, kernel: Declaration, scope: HostScope) -> frozenset[str]:
    """The parameters of which a launch with a thread for each element stores every element."""
    configuration = call.func.slice if isinstance(call.func, ast.Subscript) else None
    grid = configuration.elts[0] if isinstance(configuration, ast.Tuple) else None
    threads_for_all = grid is not None and divides_up(grid, scope)
    return OverwrittenArrays(kernel.module, kernel.node).names(threads_for_all)
