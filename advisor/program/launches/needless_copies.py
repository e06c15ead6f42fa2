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
from advisor.program.kernels.declarations import Declaration
from advisor.program.launches.grid_rounding import divides_up
from advisor.program.names.scope_bindings import is_same_value
from advisor.program.syntax.module import FunctionNode, ModuleSyntax


@dataclass(frozen=True)
class NeedlessCopies:
    """The NumPy arrays of a launch, as written there, of which a copy could be left out.

    `each_iteration` are the same in all iterations of a loop around the launch, `again` are copied by another
    launch as well; the kernel writes no element of the `unchanged`. It writes some of the `unread` (parameter
    and array) and reads none: of those that it fills, by `threads_for_all` or in steps of the grid's width,
    the copy to the device could be left out.
    """

    each_iteration: tuple[str, ...] = ()
    again: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    unread: tuple[tuple[str, str], ...] = ()
    threads_for_all: bool = False


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
    return any(
        other is not call and is_same_value(scope.module, argument, name)
        for other, name in scope.module.once(_passed_names, function).get(argument.id, ())
    )


def _passed_names(module: ModuleSyntax, function: FunctionNode) -> dict[str, list[tuple[ast.Call, ast.Name]]]:
    """The names that launches in a function pass, with their places."""
    found: dict[str, list[tuple[ast.Call, ast.Name]]] = {}
    for call in module.inside(function, ast.Call):
        if isinstance(call.func, ast.Subscript) and isinstance(call.func.slice, ast.Tuple):
            for one in call.args:
                if isinstance(one, ast.Name):
                    found.setdefault(one.id, []).append((call, one))
    return found


def _one_way_only(
    call: ast.Call, kernel: Declaration, given: Sequence[ast.expr], scope: HostScope, effects: ArrayEffects
) -> NeedlessCopies:
    if any(isinstance(one, ast.Starred) for one in call.args):
        return NeedlessCopies()
    unread: list[tuple[str, str]] = []
    unchanged: list[ast.expr] = []
    for parameter, argument in zip(kernel.parameters, call.args, strict=False):
        if argument not in given:
            continue
        done = effects.of(kernel.module, kernel.node, parameter)
        if not done.writes:
            unchanged.append(argument)
        elif not done.reads:
            unread.append((parameter, ast.unparse(argument)))
    threads_for_all = bool(unread) and _has_threads_for_all(call, scope)
    return NeedlessCopies(
        unchanged=_written(unchanged), unread=tuple(unread), threads_for_all=threads_for_all
    )


def _has_threads_for_all(call: ast.Call, scope: HostScope) -> bool:
    """Whether the grid of a launch is a size in whole blocks."""
    configuration = call.func.slice if isinstance(call.func, ast.Subscript) else None
    parts = configuration.elts if isinstance(configuration, ast.Tuple) else []
    return bool(parts) and divides_up(parts[0], scope)
