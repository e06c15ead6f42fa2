"""Exchanges the thread axes x and y in a kernel and in all of its launches."""

# /// fix
# title = "Exchange the thread axes x and y in the kernel and its launches"
# safety = "needs review"
# rules = ["transposed-index", "uncoalesced-access"]
# needs_kernel = true
# condition = """
# all launches of the kernel are seen here (another one must be changed as well), and the grid has at most \
# 65,535 blocks along each axis; sums of floats by atomics may differ in the last bits, as from run to run"""
#
# [parameters]
# # Fewer lanes than this along y would not fill a sector of 32 bytes with float32.
# lanes = 8
# # How often a loop is taken to run when accesses inside and outside of it are weighed and no run has shown
# # it.
# loop_repeats = 8
# ///

from __future__ import annotations

import ast
from collections.abc import Mapping

from advisor.fixes.known_facts import Row
from advisor.fixes.place import Place
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.kernel.thread_axes import (
    AXIS_FREE,
    GRID_CALLS,
    INDEX_NAMES,
    calls_are_axis_free,
    cuda_attribute,
    cuda_parts,
    grid_call,
)
from advisor.fixes.support.launches.launch_sites import (
    LaunchSite,
    are_all_launches,
    block_of,
)
from advisor.model.findings import Edit
from advisor.model.records import Value
from advisor.program.names.scope_names import parameter_names
from advisor.program.syntax.literals import written_integer
from advisor.program.syntax.module import FunctionNode

_OTHER = {"x": "y", "y": "x"}


def edits(place: Place) -> list[Edit] | None:
    """The edits of the kernel and of its launches; None where one of them cannot be read with certainty."""
    kernel, sites = place.kernel(), place.launches()
    if kernel is None or not sites or not _exchange_pays(place):
        return None
    module, function = kernel
    inside = _exchanged_kernel(module, function)
    if inside is None or not _complete(place, module, function, sites):
        return None
    found = place.in_file(module, inside)
    for site in sites:
        outside = _exchanged_launch(site)
        if outside is None:
            return None
        found += place.in_file(site.module, outside)
    return sorted(set(found))


def _complete(place: Place, module: SourceModule, kernel: FunctionNode, sites: list[LaunchSite]) -> bool:
    """Whether the launches are all of this kernel, and each has enough threads along y to be lanes."""
    least = float(place.parameters["lanes"])
    blocks = [block_of(site) for site in sites]
    deep = all(block is not None and block[1] >= least for block in blocks)
    return deep and are_all_launches(module, kernel, sites)


def _exchanged_launch(site: LaunchSite) -> list[Edit] | None:
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
        return _exchanged_pair(module, expression)
    if isinstance(expression, ast.Name) and (sure or _stands_for_pair(site, expression)):
        name = expression.id
        return [module.replaced(expression, f"({name}[1], {name}[0])")]
    return None


def _stands_for_pair(site: LaunchSite, name: ast.Name) -> bool:
    if _is_pair(site.defined(name)):
        return True
    function = site.function()
    if function is not None and name.id in parameter_names(function):
        return False
    return _all_pairs(site.module.bindings(name.id, function))


def _all_pairs(bound: list[ast.AST]) -> bool:
    """Whether each binding of a name is the assignment of a pair to that name alone."""
    return bool(bound) and all(
        isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name) and _is_pair(one.value)
        for one in bound
    )


def _exchanged_kernel(module: SourceModule, function: FunctionNode) -> list[Edit] | None:
    """The edits that exchange x and y in a kernel; None where another order of threads might show otherwise.

    That is so for warp intrinsics, indices along z, grids of one or three dimensions, functions that may look
    at thread indices themselves, and forms that are not known here.
    """
    if not calls_are_axis_free(module, function):
        return None
    found: list[Edit] = []
    for node, name in cuda_parts(module, function.body):
        if name in INDEX_NAMES:
            edit = _exchanged_index(module, node)
            if edit is None:
                return None
            found.append(edit)
        elif name in GRID_CALLS:
            pair = _exchanged_grid(module, node)
            if pair is None:
                return None
            found += pair
        elif name not in AXIS_FREE:
            return None
    return found or None


def _exchanged_index(module: SourceModule, node: ast.expr) -> Edit | None:
    above = module.parent(node)
    if cuda_attribute(module, node) is None or not isinstance(above, ast.Attribute):
        return None
    axis = _OTHER.get(above.attr)
    _, end = module.range_of(above)
    return Edit(end - len(above.attr), end, axis) if axis else None


def _exchanged_grid(module: SourceModule, node: ast.expr) -> list[Edit] | None:
    call = module.parent(node)
    if not isinstance(call, ast.Call) or not isinstance(node, ast.Attribute):
        return None
    if grid_call(module, call, node.attr) != 2:
        return None
    line = module.parent(call)
    if not isinstance(line, ast.Assign) or line.value is not call or len(line.targets) != 1:
        return None
    target = line.targets[0]
    return _exchanged_pair(module, target) if isinstance(target, ast.Tuple | ast.List) else None


def _exchanged_pair(module: SourceModule, pair: ast.Tuple | ast.List) -> list[Edit] | None:
    """The edits that exchange the first two elements of a tuple or list of two, or of three with 1 behind."""
    if any(isinstance(one, ast.Starred) for one in pair.elts) or not _is_pair(pair):
        return None
    first, second = pair.elts[:2]
    one, other = module.code_of(first), module.code_of(second)
    if one == other:
        return []
    return [module.replaced(first, other), module.replaced(second, one)]


def _is_pair(value: ast.AST) -> bool:
    """Whether an expression is a tuple or list of two elements, or of three whose last one is 1."""
    if not isinstance(value, ast.Tuple | ast.List):
        return False
    flat = all(written_integer(one) == 1 for one in value.elts[2:])
    return len(value.elts) in (2, 3) and flat


def _exchange_pays(place: Place) -> bool:
    """Whether an exchange improves the finding's access, and more of the kernel's than it makes slow.

    Accesses count by their requests where a run has shown them all, else by the depth of their loops.
    """
    found: dict[int, list[Row]] = {1: [], -1: []}
    for row in place.rows("access"):
        effect = _exchange_effect(row)
        if effect:
            found[effect].append(row)
    if not any(map(place.is_at, found[1])):
        return False
    counted = [*found[1], *found[-1]]
    shown = all(isinstance(row.values.get("requests"), float) for row in counted)
    weights = [sum(_weight(row, shown, place.parameters) for row in found[effect]) for effect in (1, -1)]
    return weights[0] > weights[1]


def _exchange_effect(row: Row) -> int:
    """1 for an access that lanes along y would meet in a row, -1 for one that they would meet in a column."""
    values = row.values
    if values.get("space") not in ("global", "shared"):
        return 0
    lane, other = values.get("lane_axis"), values.get("fast_axis_thread")
    dimensions = values.get("dimensions")
    if lane == "slow" and other is not None:
        return 1 if other or dimensions == 2 else 0
    if lane == "fast":
        return -1 if isinstance(dimensions, float) and dimensions > 1 else 0
    if lane == "none" and other == 0 and values.get("thread_independent") == 0:
        return -1
    return 0


def _weight(row: Row, shown: bool, parameters: Mapping[str, Value]) -> float:
    if shown:
        return float(row.values["requests"])
    repeats: float = float(parameters["loop_repeats"]) ** float(row.values.get("loop_depth", 0.0))
    return repeats
