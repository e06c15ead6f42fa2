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

import ast

from advisor.evidence.source.kernel_walk.affine_forms import Form, atom, position_along
from advisor.evidence.source.kernel_walk.kernel_facts import Scalar
from advisor.fixes.place import Place
from advisor.fixes.support.edits.cuda_name import cuda_text
from advisor.fixes.support.host.argument_arrays import argument_array
from advisor.fixes.support.host.host_loops import inside
from advisor.fixes.support.kernel.assigned_names import around, only_computes
from advisor.fixes.support.kernel.kernel_body import KernelBody
from advisor.fixes.support.kernel.thread_axes import INDEX_NAMES, cuda_attribute
from advisor.fixes.support.kernel.walked_kernel import value_at
from advisor.fixes.support.launches.launch_sites import LaunchSite
from advisor.fixes.support.values.independent_iterations import values_come_first
from advisor.model.findings import Edit
from advisor.program.syntax.calls import range_bounds
from advisor.program.syntax.literals import written_integer

# The threads of a grid of one axis.
_GRID_SIZE: Form = atom("bdim.x") * atom("gdim.x")
# Builtins that do nothing but compute.
_PURE = ("range", "len", "min", "max", "int")


def edits(place: Place) -> list[Edit] | None:
    """The edit of the launch's grid; None where the kernel's results may depend on the number of blocks, or
    where the grid has a thread for each element already.
    """
    kernel = place.kernel()
    site = next((one for one in place.launches() or () if place.is_at(one.row)), None)
    if kernel is None or site is None or not _is_constant(site, site.grid):
        return None
    body = KernelBody(*kernel)
    if not any_grid_will_do(body) or _is_enough(site, body):
        return None
    cuda = cuda_text(site.module)
    if cuda is None:
        return None
    blocks = int(float(place.parameters["blocks_per_multiprocessor"]))
    count = f"{blocks} * {cuda}.get_current_device().MULTIPROCESSOR_COUNT"
    return place.in_file(site.module, [site.module.replaced(site.grid, count)])


def _is_constant(site: LaunchSite, grid: ast.expr) -> bool:
    """Whether a grid is a whole number of the source, so that it has one axis."""
    value = site.defined(grid)
    if isinstance(value, ast.BinOp):
        whole = isinstance(value.op, ast.Add | ast.Sub | ast.Mult | ast.FloorDiv)
        return whole and _is_constant(site, value.left) and _is_constant(site, value.right)
    return written_integer(value) is not None


def _is_enough(site: LaunchSite, body: KernelBody) -> bool:
    """Whether the launch is known to have a thread for each iteration of all loops."""
    blocks, threads = (site.row.values.get(part) for part in ("blocks", "block_threads"))
    if not isinstance(blocks, float) or not isinstance(threads, float):
        return False
    sizes = {
        f"{name}.shape[{axis}]": size
        for position, name in enumerate(body.parameters)
        for axis, size in enumerate(argument_array(site, position).shape or ())
        if size is not None
    }
    bounds = [range_bounds(loop) or [] for loop in body.nodes(ast.For) if _strides(body, loop)]
    ends = [value_at(body.module, body.function, one[1]) for one in bounds]
    forms = [one.form for one in ends if isinstance(one, Scalar)]
    if len(forms) < len(ends) or any(not one.atoms() <= sizes.keys() for one in forms):
        return False
    return all(one.evaluate(sizes.__getitem__) <= blocks * threads for one in forms)


def any_grid_will_do(body: KernelBody) -> bool:
    """Whether a kernel asks for a thread's place only in the heads of loops
    `range(cuda.grid(1), n, cuda.gridsize(1))`, and does all its work in such loops.
    """
    module = body.module
    loops = [loop for loop in body.nodes(ast.For) if _strides(body, loop)]
    if not loops or any(True for _ in body.nodes((ast.While, ast.Return))):
        return False
    asked = (*INDEX_NAMES, "grid", "gridsize", "laneid", "shared", "warpsize")
    for node in body.nodes(ast.Attribute):
        name = cuda_attribute(module, node) or ""
        if name in asked and not _in_head(body, node, loops):
            return False
        if name.startswith(("sync", "shfl", "ballot", "vote", "match_", "activemask", "cg")):
            return False
    elements: list[ast.Subscript | ast.Attribute]
    elements = [*body.nodes(ast.Subscript), *body.nodes(ast.Attribute)]
    if not all(isinstance(one.ctx, ast.Load) or _in_loop(body, one, loops) for one in elements):
        return False
    if any(_outside(body, call, loops) for call in body.nodes(ast.Call)):
        return False
    return all(_iterations_stand_alone(body, loop) for loop in loops)


def _iterations_stand_alone(body: KernelBody, loop: ast.For) -> bool:
    """Whether no iteration hands a value to the next one of its thread, or keeps it from being run."""
    breaks = body.module.nodes_in(ast.Break, loop)
    ends = [one for one in breaks if not any(isinstance(x, ast.For) for x in around(body.module, one, loop))]
    index = loop.target.id if isinstance(loop.target, ast.Name) else ""
    return not ends and not loop.orelse and values_come_first(body, loop.body, index)


def _strides(body: KernelBody, loop: ast.For) -> bool:
    bounds = range_bounds(loop) or []
    if loop not in body.statements or len(bounds) != 3:
        return False
    start, step = (value_at(body.module, body.function, one) for one in bounds[::2])
    forms = [one.form for one in (start, step) if isinstance(one, Scalar)]
    return forms == [position_along("x"), _GRID_SIZE] and only_computes(body.module, bounds[1], elements=True)


def _in_loop(body: KernelBody, node: ast.AST, loops: list[ast.For]) -> bool:
    return any(loop in around(body.module, node, body.function) for loop in loops)


def _in_head(body: KernelBody, node: ast.AST, loops: list[ast.For]) -> bool:
    """Whether a node stands in the head of one of the loops, or in the value of a name that only does."""

    def is_in_head(one: ast.AST) -> bool:
        return any(inside(body.module, one, loop.iter) for loop in loops)

    line = body.module.statement_of(node)
    target = line.targets[0] if isinstance(line, ast.Assign) and len(line.targets) == 1 else None
    uses = [
        one for one in body.nodes(ast.Name) if one.id == getattr(target, "id", None) and one is not target
    ]
    return is_in_head(node) or (isinstance(target, ast.Name) and all(map(is_in_head, uses)))


def _outside(body: KernelBody, call: ast.Call, loops: list[ast.For]) -> bool:
    """Whether a call outside of the loops, such as an atomic addition, may do something for each thread."""
    if _in_loop(body, call, loops):
        return False
    name = cuda_attribute(body.module, call.func)
    return name not in ("grid", "gridsize") and body.module.code_of(call.func) not in _PURE
