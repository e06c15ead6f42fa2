"""Where the array of a launch argument comes from on the host, so that it may be copied in another form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import libcst as cst

from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.host.argument_arrays import is_host_array
from advisor.fixes.support.launches.launch_sites import LaunchSite


@dataclass(frozen=True)
class HostArgument:
    """An array that a launch passes: `argument` is the expression in the launch, `array` the one of the host
    array. `copy` is the call of `to_device`, and `assignment` the statement that names the copy."""

    site: LaunchSite
    argument: cst.BaseExpression
    array: cst.BaseExpression
    copy: cst.Call | None = None
    assignment: cst.Assign | None = None


def host_arguments(sites: Sequence[LaunchSite], position: int) -> list[HostArgument] | None:
    """The argument at a position (from 0) of each launch; None where one is not made for these launches only,
    by `to_device` or as a NumPy array that the launch itself copies."""
    given = [one.arguments for one in sites]
    arguments = [one[position] for one in given if one is not None and position < len(one)]
    if len(arguments) != len(sites):
        return None
    found = []
    for site, argument in zip(sites, arguments, strict=True):
        source = _source(site, argument, arguments, position)
        if source is None:
            return None
        found.append(source)
    return found


def _source(
    site: LaunchSite, argument: cst.BaseExpression, arguments: Sequence[cst.BaseExpression], position: int
) -> HostArgument | None:
    array = _copied(site.module, argument)
    if array is not None and isinstance(argument, cst.Call):
        return HostArgument(site, argument, array, argument)
    if not isinstance(argument, cst.Name):
        return None
    function = site.function()
    bindings = site.module.bindings(argument.value, function)
    if len(bindings) == 1 and isinstance(bindings[0], cst.Assign) and len(bindings[0].targets) == 1:
        assignment = bindings[0]
        array = _copied(site.module, assignment.value)
        if array is not None and isinstance(assignment.value, cst.Call):
            target = assignment.targets[0].target
            known = {id(one) for one in (target, *arguments)}
            if any(id(one) not in known for one in uses(site.module, argument.value, function)):
                return None
            return HostArgument(site, argument, array, assignment.value, assignment)
    return HostArgument(site, argument, argument) if is_host_array(site, position) else None


def _copied(module: SourceModule, node: cst.BaseExpression) -> cst.BaseExpression | None:
    """What a call of `to_device` copies, where that is all it is told."""
    if not isinstance(node, cst.Call) or len(node.args) != 1 or node.args[0].keyword or node.args[0].star:
        return None
    return node.args[0].value if module.written(node.func).rpartition(".")[2] == "to_device" else None


def uses(module: SourceModule, name: str, function: cst.FunctionDef | None) -> Iterator[cst.Name]:
    """The places where a variable's name stands in a function, or in the whole file for None."""
    for node in module.nodes_in(cst.Name, function) if function else module.nodes(cst.Name):
        above = module.parent(node)
        attribute = isinstance(above, cst.Attribute) and above.attr is node
        if (
            node.value == name
            and not attribute
            and not (isinstance(above, cst.Arg) and above.keyword is node)
        ):
            yield node
