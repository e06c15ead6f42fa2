"""Launches a kernel of grid-stride loops with blocks for all multiprocessors of the device."""

# /// fix
# title = "Launch as many blocks as keep the device busy"
# phase = 1
# safety = "needs review"
# rules = ["grid-too-small"]
# needs_kernel = true
# condition = """
# the current device is known at the launch; functions that the kernel calls do not ask for the size of the \
# grid, and floating-point sums by atomic additions may come in another order, as those of different threads \
# always do"""
#
# [parameters]
# # A few for each multiprocessor, so that they end at about the same time.
# blocks_per_multiprocessor = 4
# ///

from __future__ import annotations

import libcst as cst

from advisor.fixes.place import Place
from advisor.fixes.support.host.argument_arrays import argument_array
from advisor.fixes.support.kernel.assigned_names import around, names_in, only_computes, value_of
from advisor.fixes.support.kernel.kernel_body import KernelBody
from advisor.fixes.support.kernel.thread_axes import INDEX_NAMES, cuda_attribute, cuda_names, grid_call
from advisor.fixes.support.launches.launch_sites import LaunchSite
from advisor.fixes.support.values.independent_iterations import values_come_first
from advisor.model.findings import Edit


def edits(place: Place) -> list[Edit] | None:
    """The edit of the launch's grid; None where the kernel's results may depend on the number of blocks, or
    where the grid has a thread for each element already.
    """
    kernel = place.kernel()
    site = _site(place)
    if kernel is None or site is None or not _is_constant(site, site.grid):
        return None
    body = KernelBody(*kernel)
    if not any_grid_will_do(body) or _is_enough(site, body):
        return None
    known = [name for name in ("cuda", *sorted(cuda_names(site.module))) if _is_imported(site, name)]
    if not known:
        return None
    blocks = int(float(place.parameters["blocks_per_multiprocessor"]))
    count = f"{blocks} * {known[0]}.get_current_device().MULTIPROCESSOR_COUNT"
    return place.in_file(site.module, [site.module.replaced(site.grid, count)])


def _site(place: Place) -> LaunchSite | None:
    """The launch that the finding stands at."""
    for site in place.launches() or ():
        if (site.row.path, site.row.span) == (place.finding.path, place.span):
            return site
    return None


def _is_constant(site: LaunchSite, grid: cst.BaseExpression) -> bool:
    """Whether a grid is a whole number of the source, so that it has one axis."""
    value = site.defined(grid)
    if isinstance(value, cst.BinaryOperation):
        whole = isinstance(value.operator, cst.Add | cst.Subtract | cst.Multiply | cst.FloorDivide)
        return whole and _is_constant(site, value.left) and _is_constant(site, value.right)
    return isinstance(value, cst.Integer)


def _is_imported(site: LaunchSite, name: str) -> bool:
    first = name.split(".", 1)[0]
    function = site.function()
    local = site.module.bindings(first, function) if function is not None else []
    return not local and any(
        isinstance(one, cst.Import | cst.ImportFrom) for one in site.module.bindings(first, None)
    )


def _is_enough(site: LaunchSite, body: KernelBody) -> bool:
    """Whether the launch is known to have a thread for each iteration of all loops."""
    threads = 1.0
    for part in ("blocks", "block_threads"):
        count = site.row.values.get(part)
        if not isinstance(count, float):
            return False
        threads *= count
    ends = [_extent(site, body, loop) for loop in body.nodes(cst.For) if _strides(body, loop)]
    return all(end is not None and end <= threads for end in ends)


def _extent(site: LaunchSite, body: KernelBody, loop: cst.For) -> int | None:
    """The end of a loop up to a size of an array whose shape the host code fixes at the launch."""
    size = _size_asked(body, _meant(body, loop.iter.args[1].value))  # type: ignore[attr-defined]
    if size is None or size[0] not in body.parameters:
        return None
    shape = argument_array(site, body.parameters.index(size[0])).shape
    return shape[size[1]] if shape is not None and size[1] < len(shape) else None


def _size_asked(body: KernelBody, end: cst.BaseExpression) -> tuple[str, int] | None:
    """The array and the axis of `array.shape[axis]` or `len(array)`."""
    if isinstance(end, cst.Call) and body.module.written(end.func) == "len":
        array, axis = end.args[0].value, 0
    elif isinstance(end, cst.Subscript) and isinstance(end.value, cst.Attribute):
        index = end.slice[0].slice
        number = index.value if isinstance(index, cst.Index) else None
        if end.value.attr.value != "shape" or not isinstance(number, cst.Integer):
            return None
        array, axis = end.value.value, number.evaluated_value
    else:
        return None
    return (array.value, axis) if isinstance(array, cst.Name) else None


def any_grid_will_do(body: KernelBody) -> bool:
    """Whether a kernel asks for a thread's place only in the heads of loops
    `range(cuda.grid(1), n, cuda.gridsize(1))`, and does all its work in such loops.
    """
    module = body.module
    loops = [loop for loop in body.nodes(cst.For) if _strides(body, loop)]
    if not loops or any(True for kind in (cst.While, cst.Return) for _ in body.nodes(kind)):
        return False
    asked = (*INDEX_NAMES, "grid", "gridsize", "laneid", "shared", "warpsize")
    for node in body.nodes(cst.Attribute):
        name = cuda_attribute(module, node) or ""
        if name in asked and not _in_head(body, node, loops):
            return False
        if name.startswith(("sync", "shfl", "ballot", "vote", "match_", "activemask", "cg")):
            return False
    targets: list[cst.AssignTarget | cst.AugAssign] = [*body.nodes(cst.AssignTarget)]
    targets += body.nodes(cst.AugAssign)
    for target in targets:
        stored = isinstance(target.target, cst.Subscript | cst.Attribute)
        if stored and not any(loop in around(module, target, body.function) for loop in loops):
            return False
    if any(_outside(body, call, loops) for call in body.nodes(cst.Call)):
        return False
    return all(_iterations_stand_alone(body, loop) for loop in loops)


def _iterations_stand_alone(body: KernelBody, loop: cst.For) -> bool:
    """Whether no iteration hands a value to the next one of its thread, or keeps it from being run."""
    ends = [one for one in body.module.nodes_in(cst.Break, loop) if not _in_inner_loop(body, one, loop)]
    index = loop.target.value if isinstance(loop.target, cst.Name) else ""
    return not ends and loop.orelse is None and values_come_first(body, loop.body.body, index)


def _in_inner_loop(body: KernelBody, node: cst.CSTNode, loop: cst.For) -> bool:
    return any(isinstance(one, cst.For) for one in around(body.module, node, loop))


def _strides(body: KernelBody, loop: cst.For) -> bool:
    if loop not in body.statements or not isinstance(loop.iter, cst.Call) or len(loop.iter.args) != 3:
        return False
    first, end, step = (one.value for one in loop.iter.args)
    return (
        body.module.written(loop.iter.func) == "range"
        and grid_call(body.module, _meant(body, first)) == 1
        and grid_call(body.module, _meant(body, step), "gridsize") == 1
        and only_computes(body.module, end, elements=True)
    )


def _meant(body: KernelBody, node: cst.BaseExpression) -> cst.BaseExpression:
    value = value_of(body.module, body.function, node.value) if isinstance(node, cst.Name) else None
    return value if value is not None else node


def _in_head(body: KernelBody, node: cst.CSTNode, loops: list[cst.For]) -> bool:
    """Whether a call stands in the head of one of the loops, or is the value of a name that only does."""
    heads = [body.module.range_of(loop.iter) for loop in loops]

    def inside(one: cst.CSTNode) -> bool:
        begin, end = body.module.range_of(one)
        return any(first <= begin and end <= last for first, last in heads)

    if inside(node):
        return True
    call = body.module.parent(node)
    line = body.module.parent(call) if call is not None else None
    target = line.targets[0].target if isinstance(line, cst.Assign) and len(line.targets) == 1 else None
    if not isinstance(target, cst.Name):
        return False
    uses = [one for one in names_in(body.module, body.function) if one.value == target.value]
    return all(inside(one) for one in uses if one is not target)


def _outside(body: KernelBody, call: cst.Call, loops: list[cst.For]) -> bool:
    """Whether a call outside of the loops, such as an atomic addition, may do something for each thread."""
    if any(loop in around(body.module, call, body.function) for loop in loops):
        return False
    written = body.module.written(call.func)
    name = cuda_attribute(body.module, call.func)
    return name not in ("grid", "gridsize") and written not in ("range", "len", "min", "max", "int")
