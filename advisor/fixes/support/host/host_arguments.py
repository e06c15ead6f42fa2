"""Where the array of a launch argument comes from on the host, so that it may be made in another form."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.host.argument_arrays import is_host_array
from advisor.fixes.support.kernel.thread_axes import cuda_attribute
from advisor.fixes.support.launches.launch_sites import LaunchSite
from advisor.program.syntax.calls import called_name
from advisor.program.syntax.module import FunctionNode

# What the order of an array in memory does not show in.
_ORDERLESS = frozenset({"shape", "size", "ndim", "dtype", "itemsize", "nbytes"})


@dataclass(frozen=True)
class HostArgument:
    """An array that a launch passes: `argument` is the expression in the launch, `array` the one of the host
    array. `copy` is the call of `to_device`, and `assignment` the statement that names the copy."""

    site: LaunchSite
    argument: ast.expr
    array: ast.expr
    copy: ast.Call | None = None
    assignment: ast.Assign | None = None


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
    line = _only_assignment(site, own[0]) if own else None
    if line is None or not isinstance(line.value, ast.Call):
        return None
    given = _given(sites, position)
    known = all(one in given or _is_orderless(site.module, one) for one in _reads(site, own[0]))
    return line.value if known else None


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


def single_assignment(module: SourceModule, name: str, function: FunctionNode | None) -> ast.Assign | None:
    """The statement `name = …` that alone binds a name of a function, or of the module for None."""
    bound = module.bindings(name, function)
    line = bound[0] if len(bound) == 1 else None
    if not isinstance(line, ast.Assign) or [type(one) for one in line.targets] != [ast.Name]:
        return None
    elsewhere = module.syntax.definitions(function or module.tree).bound_by_others(name)
    return None if elsewhere else line


def _given(sites: Iterable[LaunchSite], position: int) -> list[ast.expr]:
    """The arguments at a position of those launches that have one there."""
    return [one.arguments[position] for one in sites if one.arguments and position < len(one.arguments)]


def _source(
    site: LaunchSite, argument: ast.expr, arguments: Sequence[ast.expr], position: int
) -> HostArgument | None:
    if (copied := _copied(argument)) is not None:
        return HostArgument(site, argument, copied.args[0], copied)
    if not isinstance(argument, ast.Name):
        return None
    line = _only_assignment(site, argument)
    copied = _copied(line.value) if line is not None else None
    if line is not None and copied is not None:
        if any(one not in arguments for one in _reads(site, argument)):
            return None
        return HostArgument(site, argument, copied.args[0], copied, line)
    return HostArgument(site, argument, argument) if is_host_array(site, position) else None


def _copied(node: ast.expr) -> ast.Call | None:
    """A call of `to_device` that is told nothing but what it copies."""
    if not isinstance(node, ast.Call) or len(node.args) != 1 or node.keywords:
        return None
    return None if isinstance(node.args[0], ast.Starred) or called_name(node) != "to_device" else node


def _only_assignment(site: LaunchSite, argument: ast.expr) -> ast.Assign | None:
    if not isinstance(argument, ast.Name):
        return None
    return single_assignment(site.module, argument.id, site.function())


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
