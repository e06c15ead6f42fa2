"""Device arrays that a launch is given, at the place where the host code makes them."""

from __future__ import annotations

from collections.abc import Iterable

import libcst as cst

from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.kernel.thread_axes import cuda_attribute
from advisor.fixes.support.launches.launch_sites import LaunchSite

# What the order of an array in memory does not show in.
_ORDERLESS = frozenset({"shape", "size", "ndim", "dtype", "itemsize", "nbytes"})


def creation_of(site: LaunchSite, position: int, sites: Iterable[LaunchSite]) -> cst.Call | None:
    """The call, such as `cuda.to_device(x)`, that makes the array at a position of a launch's arguments.

    None where the array has another origin, where its name is bound more than once, and where it is used for
    more than these launches at this position, its shape, and a copy to the host.
    """
    arguments = site.arguments
    name = arguments[position] if arguments is not None and position < len(arguments) else None
    if not isinstance(name, cst.Name):
        return None
    module, function = site.module, site.function()
    bound = module.bindings(name.value, function)
    line = bound[0] if len(bound) == 1 else None
    if not isinstance(line, cst.Assign) or len(line.targets) != 1:
        return None
    if not isinstance(line.targets[0].target, cst.Name) or not isinstance(line.value, cst.Call):
        return None
    allowed: list[cst.BaseExpression] = [line.targets[0].target]
    for one in sites:
        given = one.arguments
        if one.module is module and given is not None:
            allowed += given[position : position + 1]
    uses = names_of(module, name.value, function if function is not None else module.module)
    known = all(any(use is one for one in allowed) or _is_orderless(module, use) for use in uses)
    return line.value if known else None


def names_of(module: SourceModule, name: str, scope: cst.CSTNode) -> list[cst.Name]:
    """The places in a scope where a name stands for a variable: no attribute and no keyword."""
    found = []
    # LibCST gives no place to a module that would hold all of it.
    inside = module.nodes(cst.Name) if scope is module.module else module.nodes_in(cst.Name, scope)
    for use in inside:
        above = module.parent(use)
        keyword = isinstance(above, cst.Arg) and above.keyword is use
        attribute = isinstance(above, cst.Attribute) and above.attr is use
        if use.value == name and not keyword and not attribute:
            found.append(use)
    return found


def _is_orderless(module: SourceModule, use: cst.Name) -> bool:
    above = module.parent(use)
    if not isinstance(above, cst.Attribute) or above.value is not use:
        return False
    if above.attr.value in _ORDERLESS:
        return True
    call = module.parent(above)
    copied = isinstance(call, cst.Call) and call.func is above and not call.args
    return above.attr.value == "copy_to_host" and copied


def is_copy(module: SourceModule, call: cst.Call) -> bool:
    """Whether a call is `cuda.to_device(x)`, on a stream or not."""
    if cuda_attribute(module, call.func) != "to_device" or not call.args or call.args[0].keyword:
        return False
    rest = [one.keyword.value if one.keyword else "" for one in call.args[1:]]
    return not call.args[0].star and rest in ([], ["stream"])


def is_allocation(module: SourceModule, call: cst.Call) -> bool:
    """Whether a call is `cuda.device_array(shape, dtype)` without strides and order."""
    if cuda_attribute(module, call.func) != "device_array" or not call.args:
        return False
    if any(one.star for one in call.args):
        return False
    positional = [one for one in call.args if one.keyword is None]
    named = {one.keyword.value for one in call.args if one.keyword is not None}
    return len(positional) <= 2 and named <= {"shape", "dtype", "stream"}
