"""A kernel's launches with the axes x and y of grid and block exchanged."""

from __future__ import annotations

import libcst as cst

from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.kernel.thread_axes import exchanged_pair, is_pair
from advisor.fixes.support.launches.launch_sites import LaunchSite, may_launch
from advisor.model.findings import Edit


def block_of(site: LaunchSite) -> tuple[int, int] | None:
    """The block's sizes along x and y where both are known and it has no depth, else None."""
    values = site.row.values
    x, y, z = (values.get(f"block_{axis}") for axis in "xyz")
    if not isinstance(x, float) or not isinstance(y, float) or (z if z is not None else 1) != 1:
        return None
    return int(x), int(y)


def exchanged_launch(site: LaunchSite) -> list[Edit] | None:
    """The edits of one launch; None where grid or block is not known to be two-dimensional.

    A square block stays. A name is exchanged in the launch itself, since others may use what it stands for.
    """
    block = block_of(site)
    if block is None:
        return None
    grid_edits = _exchanged(site, site.grid, sure=False)
    block_edits: list[Edit] | None = []
    if block[0] != block[1]:
        block_edits = _exchanged(site, site.block, sure=block[1] > 1)
    if grid_edits is None or block_edits is None:
        return None
    return [*grid_edits, *block_edits]


def _exchanged(site: LaunchSite, expression: cst.BaseExpression, sure: bool) -> list[Edit] | None:
    module = site.module
    if isinstance(expression, cst.Tuple | cst.List):
        return exchanged_pair(module, expression)
    if isinstance(expression, cst.Name) and (sure or _stands_for_pair(site, expression)):
        name = expression.value
        return [module.replaced(expression, f"({name}[1], {name}[0])")]
    return None


def _stands_for_pair(site: LaunchSite, name: cst.Name) -> bool:
    if is_pair(site.defined(name)):
        return True
    function = site.function()
    if function is None:
        return _all_pairs(site.module.bindings(name.value, None))
    if any(one.name.value == name.value for one in site.module.nodes_in(cst.Param, function.params)):
        return False
    return _all_pairs(site.module.bindings(name.value, function))


def _all_pairs(bound: list[cst.CSTNode]) -> bool:
    """Whether each binding of a name is the assignment of a pair to that name alone."""
    return bool(bound) and all(
        isinstance(one, cst.Assign) and isinstance(one.targets[0].target, cst.Name) and is_pair(one.value)
        for one in bound
    )


def unseen_launches(module: SourceModule, kernel: cst.FunctionDef, sites: list[LaunchSite]) -> bool:
    """Whether a file configures a kernel, `kernel[…]`, at a place that is not among the launches."""
    seen = {site.module.range_of(site.subscript) for site in sites if site.module is module}
    for node in module.nodes(cst.Subscript):
        name = node.value.attr if isinstance(node.value, cst.Attribute) else node.value
        named = isinstance(name, cst.Name) and name.value == kernel.name.value
        if named and module.range_of(node) not in seen and may_launch(module, node, kernel):
            return True
    return False


def launched_by_name(site: LaunchSite, kernel: str) -> bool:
    """Whether a launch names the kernel itself, so that it launches no other."""
    value = site.subscript.value
    name = value.attr if isinstance(value, cst.Attribute) else value
    return isinstance(name, cst.Name) and name.value == kernel
