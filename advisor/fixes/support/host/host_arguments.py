"""Where the array of a launch argument comes from on the host, so that it may be made in another form."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeGuard

from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.host.argument_arrays import is_host_array
from advisor.fixes.support.kernel.assigned_names import value_of
from advisor.fixes.support.kernel.thread_axes import cuda_attribute
from advisor.fixes.support.launches.launch_sites import LaunchSite
from advisor.program.effects.array_flow import QUESTIONS
from advisor.program.syntax.calls import called_name

# What the order of an array in memory does not show in.
_ORDERLESS = QUESTIONS - {"strides"}


@dataclass(frozen=True)
class HostArgument:
    """An array that a launch passes: `argument` is the expression in the launch, `array` the one of the host
    array. `copy` is the call of `to_device`, and `assignment` the statement that names the copy."""

    site: LaunchSite
    argument: ast.expr
    array: ast.expr
    copy: ast.Call | None = None
    assignment: ast.stmt | None = None


def host_arguments(sites: Sequence[LaunchSite], position: int) -> list[HostArgument] | None:
    """The argument at a position (from 0) of each launch; None where one is not made for these launches only,
    by `to_device` or as a NumPy array that the launch itself copies."""
    arguments = _given(sites, position)
    if len(arguments) != len(sites):
        return None
    found = []
    for site, argument in zip(sites, arguments, strict=True):
        source = _source(site, argument, arguments, position)
        if source is None:
            return None
        found.append(source)
    return found


def creation_of(site: LaunchSite, position: int, sites: Iterable[LaunchSite]) -> ast.Call | None:
    """The call, such as `cuda.to_device(x)`, that makes the array at a position of a launch's arguments.

    None where the array has another origin, where its name is bound more than once, and where it is used for
    more than these launches at this position, its shape, and a copy to the host.
    """
    own = _given([site], position)
    call = _made(site, own[0]) if own else None
    given = _given(sites, position)
    known = call is not None and all(
        one in given or _is_orderless(site.module, one) for one in _reads(site, own[0])
    )
    return call if known else None


def is_copy(module: SourceModule, call: ast.Call) -> bool:
    """Whether a call is `cuda.to_device(x)`, on a stream or not."""
    if cuda_attribute(module, call.func) != "to_device" or len(call.args) != 1:
        return False
    return not isinstance(call.args[0], ast.Starred) and all(one.arg == "stream" for one in call.keywords)


def is_allocation(module: SourceModule, call: ast.Call) -> bool:
    """Whether a call is `cuda.device_array(shape, dtype)` without strides and order."""
    if cuda_attribute(module, call.func) != "device_array" or not (call.args or call.keywords):
        return False
    starred = any(isinstance(one, ast.Starred) for one in call.args)
    named = all(one.arg in ("shape", "dtype", "stream") for one in call.keywords)
    return not starred and len(call.args) <= 2 and named


def names_of(module: SourceModule, name: str, scope: ast.AST | list[ast.stmt] | None) -> list[ast.Name]:
    """The places in a part of a file, or in all of it for None, where the name of a variable stands."""
    return [one for one in module.nodes_in(ast.Name, scope or module.tree) if one.id == name]


def _given(sites: Iterable[LaunchSite], position: int) -> list[ast.expr]:
    """The arguments at a position of those launches that have one there."""
    return [one.arguments[position] for one in sites if one.arguments and position < len(one.arguments)]


def _source(
    site: LaunchSite, argument: ast.expr, arguments: Sequence[ast.expr], position: int
) -> HostArgument | None:
    if _is_plain_copy(argument):
        return HostArgument(site, argument, argument.args[0], argument)
    if not isinstance(argument, ast.Name):
        return None
    made = _made(site, argument)
    if not _is_plain_copy(made):
        return HostArgument(site, argument, argument) if is_host_array(site, position) else None
    if any(one not in arguments for one in _reads(site, argument)):
        return None
    return HostArgument(site, argument, made.args[0], made, site.module.statement_of(made))


def _is_plain_copy(node: ast.expr | None) -> TypeGuard[ast.Call]:
    """Whether an expression is a call of `to_device` that is told nothing but what it copies."""
    if not isinstance(node, ast.Call) or len(node.args) != 1 or node.keywords:
        return False
    return not isinstance(node.args[0], ast.Starred) and called_name(node) == "to_device"


def _made(site: LaunchSite, argument: ast.expr) -> ast.Call | None:
    """The call whose result alone is given to the name that an argument is."""
    name = argument.id if isinstance(argument, ast.Name) else ""
    value = value_of(site.module, site.function(), name)
    return value if isinstance(value, ast.Call) else None


def _reads(site: LaunchSite, argument: ast.expr) -> list[ast.Name]:
    """The places where the name of an argument is read in the function of a launch, or in its file."""
    names = names_of(site.module, argument.id, site.function()) if isinstance(argument, ast.Name) else []
    return [one for one in names if isinstance(one.ctx, ast.Load)]


def _is_orderless(module: SourceModule, use: ast.Name) -> bool:
    above = module.parent(use)
    if not isinstance(above, ast.Attribute):
        return False
    if above.attr in _ORDERLESS:
        return True
    call = module.parent(above)
    copied = isinstance(call, ast.Call) and call.func is above and not call.args and not call.keywords
    return above.attr == "copy_to_host" and copied
