"""Copies on the device that launches of the same loop change, so that each iteration needs its own."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from advisor.evidence.source.host.overwritten_arrays import overwritten
from advisor.evidence.source.kernel_walk.walk import WalkedKernels
from advisor.program.launches.host_loops import host_loops
from advisor.program.launches.launches import Launch
from advisor.program.syntax.module import ModuleSyntax, names_in


@dataclass(frozen=True)
class _Use:
    """What a launch may do with the elements of a copy; `sets` where it reads none and stores the same ones
    each time.
    """

    writes: bool
    sets: bool


def changes_on_device(
    call: ast.Call, module: ModuleSyntax, launches: Sequence[Launch], walked: WalkedKernels
) -> bool:
    """Whether launches in the loop around a copy to the device may leave in it what a later iteration meets:
    they write to it, and do not just set the same elements before any of them is read. A kernel of which
    the source is not seen changes nothing here.
    """
    loops = host_loops(module, call)
    arrays = _arrays(call, module)
    if not loops or not arrays:
        return False
    inside = [one for one in launches if one.module is module and loops[0] in host_loops(module, one.node)]
    inside.sort(key=lambda one: (one.node.lineno, one.node.col_offset))
    uses = [use for one in inside for use in _uses(one, arrays, loops[0], walked)]
    if not any(use.writes for use in uses):
        return False
    return not uses[0].sets or any(use.writes and not use.sets for use in uses)


def _arrays(call: ast.Call, module: ModuleSyntax) -> frozenset[str]:
    """How the code writes the array on the device: names that it is bound to, or the call itself."""
    if isinstance(call.func, ast.Attribute) and call.func.attr == "copy_to_device":
        return frozenset({ast.unparse(call.func.value)})
    into = [one.value for one in call.keywords if one.arg == "to"]
    parent = module.parents.get(call)
    bound = parent.targets if isinstance(parent, ast.Assign) else []
    return frozenset(map(ast.unparse, (call, *into, *bound)))


def _uses(
    launch: Launch, arrays: frozenset[str], loop: ast.For | ast.While, walked: WalkedKernels
) -> Iterator[_Use]:
    changed = launch.module.changed_names(loop) - arrays
    for kernel in launch.kernels:
        for parameter, argument in zip(kernel.parameters, launch.arguments, strict=False):
            if not _is_of(argument, arrays):
                continue
            done = walked.resolver.array_effects.of(kernel.module, kernel.node, parameter)
            whole = not (done.reads or done.keeps) and parameter in overwritten(walked.facts(kernel), True)
            same = not (names_in(launch.node.func) | names_in(argument)) & changed
            yield _Use(done.writes, whole and same)


def _is_of(argument: ast.expr, arrays: frozenset[str]) -> bool:
    """Whether an argument is one of some arrays, a part of it or what a method of it gives."""
    while ast.unparse(argument) not in arrays:
        if isinstance(argument, ast.Call) and isinstance(argument.func, ast.Attribute):
            argument = argument.func
        if not isinstance(argument, ast.Subscript | ast.Attribute):
            return False
        argument = argument.value
    return True
