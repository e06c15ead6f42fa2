"""A kernel's launches with the axes x and y of grid and block exchanged."""

from __future__ import annotations

import ast

from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.kernel.thread_axes import exchanged_pair, is_pair
from advisor.fixes.support.launches.launch_sites import LaunchSite, may_launch
from advisor.model.findings import Edit
from advisor.program.names.scope_names import parameter_names
from advisor.program.syntax.calls import last_name
from advisor.program.syntax.module import FunctionNode


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


def _exchanged(site: LaunchSite, expression: ast.expr, sure: bool) -> list[Edit] | None:
    module = site.module
    if isinstance(expression, ast.Tuple | ast.List):
        return exchanged_pair(module, expression)
    if isinstance(expression, ast.Name) and (sure or _stands_for_pair(site, expression)):
        name = expression.id
        return [module.replaced(expression, f"({name}[1], {name}[0])")]
    return None


def _stands_for_pair(site: LaunchSite, name: ast.Name) -> bool:
    if is_pair(site.defined(name)):
        return True
    function = site.function()
    if function is not None and name.id in parameter_names(function):
        return False
    return _all_pairs(site.module.bindings(name.id, function))


def _all_pairs(bound: list[ast.AST]) -> bool:
    """Whether each binding of a name is the assignment of a pair to that name alone."""
    return bool(bound) and all(
        isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name) and is_pair(one.value)
        for one in bound
    )


def unseen_launches(module: SourceModule, kernel: FunctionNode, sites: list[LaunchSite]) -> bool:
    """Whether a file configures a kernel, `kernel[…]`, at a place that is not among the launches."""
    seen = {site.subscript for site in sites if site.module is module}
    return any(
        node not in seen and last_name(node.value) == kernel.name and may_launch(module, node, kernel)
        for node in module.nodes(ast.Subscript)
    )


def launched_by_name(site: LaunchSite, kernel: str) -> bool:
    """Whether a launch names the kernel itself, so that it launches no other."""
    return last_name(site.subscript.value) == kernel
