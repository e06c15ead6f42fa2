"""Results that nothing uses: new arrays on the device that a launch fills, and that no other place names."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from advisor.evidence.source.host.data_flow.results.lost_results import asks_for_its_shape
from advisor.evidence.source.kernel_walk.walk import WalkedKernels
from advisor.program.kernels.declarations import cuda_member
from advisor.program.launches.launches import Launch
from advisor.program.launches.timing_loops import CLOCKS
from advisor.program.names.scope_bindings import bound_at
from advisor.program.syntax.module import ModuleSyntax
from advisor.program.syntax.tree_nodes import below

_NEW = frozenset({"device_array", "device_array_like"})
_NEW_OF_CUPY = frozenset(
    f"cupy.{name}{like}" for name in ("empty", "zeros", "ones", "full") for like in ("", "_like")
)


def unused_results(launch: Launch, walked: WalkedKernels) -> tuple[str, ...]:
    """The arrays that a function makes on the device for a launch to fill, and does not use for anything.

    A function that measures the time of its launches needs no results, and neither does one that gives
    nothing back.
    """
    module, function = launch.module, launch.module.function_around(launch.node)
    if launch.kernel is None or launch.in_helper or function is None:
        return ()
    calls = [one for one in below(function) if isinstance(one, ast.Call)]
    if any(module.dotted(one.func) in CLOCKS for one in calls) or not _gives_back(function, calls):
        return ()
    effects, kernel = walked.resolver.array_effects, launch.kernel
    found = []
    for parameter, argument in _pairs(kernel.parameters, launch.node.args):
        done = effects.of(kernel.module, kernel.node, parameter)
        only_filled = done.writes and not (done.reads or done.keeps)
        if isinstance(argument, ast.Name) and only_filled and _is_named_here_only(argument, launch, walked):
            found.append(argument.id)
    return tuple(dict.fromkeys(found))


def _pairs(parameters: tuple[str, ...], arguments: list[ast.expr]) -> Iterator[tuple[str, ast.expr]]:
    """Parameters with their arguments, those before and behind what is unpacked."""
    spread = [number for number, one in enumerate(arguments) if isinstance(one, ast.Starred)]
    if not spread:
        yield from zip(parameters, arguments, strict=False)
        return
    yield from zip(parameters, arguments[: spread[0]], strict=False)
    behind = arguments[spread[-1] + 1 :]
    if behind and len(behind) <= len(parameters):
        yield from zip(parameters[-len(behind) :], behind, strict=True)


def _gives_back(function: ast.AST, calls: list[ast.Call]) -> bool:
    returns = any(isinstance(one, ast.Return) and one.value is not None for one in below(function))
    return returns or any(
        isinstance(one.func, ast.Attribute) and one.func.attr == "copy_to_host" for one in calls
    )


def _is_named_here_only(argument: ast.Name, launch: Launch, walked: WalkedKernels) -> bool:
    module = launch.module
    scope = module.scope_of(argument)
    bound = bound_at(module, argument)
    if scope is None or len(bound) != 1 or bound[0] is None or bound[0].value is None:
        return False
    if module.scope_of(bound[0].node) is not scope or not _is_new(bound[0].value, module, walked):
        return False
    others = [one for one in module.loads(argument.id, scope) if one not in launch.node.args]
    return all(asks_for_its_shape(one, module) for one in others)


def _is_new(value: ast.AST, module: ModuleSyntax, walked: WalkedKernels) -> bool:
    """Whether an expression makes an array on the device, or several, one for each name."""
    if isinstance(value, ast.GeneratorExp | ast.ListComp):
        value = value.elt
    if not isinstance(value, ast.Call):
        return False
    dotted = walked.resolver.workspace.library_name(module.dotted(value.func) or "", module)
    return dotted in _NEW_OF_CUPY or cuda_member(dotted) in _NEW
