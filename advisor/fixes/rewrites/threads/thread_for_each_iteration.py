"""Gives each iteration of the loop that a launch's few threads walk a thread of its own, along one more axis.

Lanes lie along the axis whose neighbours use neighbouring elements. A kernel whose only thread walks the loop
gets its first axis.
"""

# /// fix
# title = "Give each iteration of the threads' loop a thread of its own"
# phase = 1
# safety = "needs review"
# rules = ["grid-too-small", "block-too-small", "low-occupancy", "uncoalesced-access"]
# needs_kernel = true
# condition = """
# all launches of the kernel are those that were found; the loop has at least one iteration at each of them, \
# and the axis y of the grid at most 65,535 blocks; the arrays that are stored to overlap no other array, no \
# two threads store to one element, and indices are not negative; floating-point sums by atomic additions \
# may come in another order, as those of different threads always do"""
#
# [parameters]
# # Fewer leave most warp slots of a multiprocessor, and with them the time that loads take, unused.
# threads_per_multiprocessor = 256
# threads_along_the_loop = 128
# most_blocks_along_y = 65535
# ///

from __future__ import annotations

import ast

from advisor.fixes.place import Place
from advisor.fixes.support.edits.cuda_name import cuda_text
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.kernel.assigned_names import around
from advisor.fixes.support.kernel.kernel_body import KernelBody
from advisor.fixes.support.kernel.thread_loop import ThreadLoop, lanes_lie_along_the_loop, thread_loop
from advisor.fixes.support.launches.flat_launches import (
    bare,
    blocks_for,
    length_along_x,
    product_of,
    replaced_by_pair,
)
from advisor.fixes.support.launches.launch_axes import launched_by_name, unseen_launches
from advisor.fixes.support.launches.launch_sites import LaunchSite
from advisor.fixes.support.launches.sizes_at_launch import size_at_launch
from advisor.model.findings import Edit
from advisor.program.syntax.calls import called_name, last_name


def edits(place: Place) -> list[Edit] | None:
    """The edits of the kernel and of grid and block of all its launches; None where an iteration may need
    another one, where a launch has threads enough, or where it does not tell the length of the loop.
    """
    kernel, sites = place.kernel(), place.launches()
    if kernel is None or not sites or not _has_few_threads(place, sites):
        return None
    body = KernelBody(*kernel)
    name = body.function.name
    if not body.statements or not _are_all(body, name, sites):
        return None
    found = thread_loop(body)
    if found is None:
        return None
    along = lanes_lie_along_the_loop(body, found)
    inner = _kernel_edits(body, found, along)
    if inner is None or (place.finding.rule == "uncoalesced-access" and not along):
        return None
    edits = place.in_file(body.module, inner)
    for site in sites:
        launch = _launch_edits(place, site, body, found, along)
        if launch is None:
            return None
        edits += place.in_file(site.module, launch)
    return edits


def _has_few_threads(place: Place, sites: list[LaunchSite]) -> bool:
    """Whether no launch has as many threads as would keep each multiprocessor a little busy."""
    device, kernel = place.facts.device, place.kernel_row()
    count = device.values.get("sm_count") if device is not None else None
    if not isinstance(count, float) or kernel is None:
        return False
    limit = count * float(place.parameters["threads_per_multiprocessor"])
    for site in sites:
        values = site.row.values
        blocks = values.get("blocks", kernel.values.get("grid_blocks"))
        threads = values.get("block_threads", kernel.values.get("block_threads"))
        if not isinstance(blocks, float) or not isinstance(threads, float):
            return False
        if blocks * threads >= min(limit, float(place.parameters["most_blocks_along_y"])):
            return False
    return True


def _are_all(body: KernelBody, name: str, sites: list[LaunchSite]) -> bool:
    """Whether the launches are all of this kernel, as far as the files say."""
    modules = [body.module, *(site.module for site in sites)]
    if any(unseen_launches(one, body.function, sites) or _is_asked(one, name) for one in modules):
        return False
    return all(launched_by_name(site, name) for site in sites)


def _is_asked(module: SourceModule, name: str) -> bool:
    """Whether a file launches or builds a kernel by one of its methods, such as `forall`."""
    owners = (last_name(one.value) for one in module.nodes(ast.Attribute))
    return name in owners or name in map(called_name, module.nodes(ast.Call))


def _kernel_edits(body: KernelBody, found: ThreadLoop, along: bool) -> list[Edit] | None:
    """The edits that give the thread one more index and put a condition in the place of the loop's head."""
    module, thread = body.module, found.thread
    cuda = thread.cuda if thread is not None else cuda_text(module)
    if cuda is None:
        return None
    begin, end = module.range_of(found.loop)[0], module.outer_range(found.loop.iter)[1]
    least = f"{found.start} <= " if found.start else ""
    head = f"if {least}{found.index} < {module.outer_code_of(found.end)}"
    edits = [
        module.replaced(one, "return")
        for one in module.nodes_in((ast.Continue, ast.Break), found.loop.body)
        if not any(isinstance(outer, ast.For) for outer in around(module, one, found.loop))
    ]
    if thread is None:
        line = f"{found.index} = {cuda}.grid(1){module.line_end}{module.indentation(found.loop)}"
        return [Edit(begin, end, line + head), *edits]
    first, second = (found.index, thread.name) if along else (thread.name, found.index)
    line = f"{first}, {second} = {cuda}.grid(2)"
    return [module.replaced(thread.line, line), Edit(begin, end, head), *edits]


def _launch_edits(
    place: Place, site: LaunchSite, body: KernelBody, found: ThreadLoop, along: bool
) -> list[Edit] | None:
    """The edits of one launch; None where it does not tell the sizes, or where the loop is short."""
    blocks, threads = length_along_x(site, site.grid), length_along_x(site, site.block)
    length = size_at_launch(site, body, found.end)
    if blocks is None or threads is None or length is None:
        return None
    if length.isdigit() and not _fits(place, int(length), along):
        return None
    lanes = int(float(place.parameters["threads_along_the_loop"]))
    if found.thread is None:
        if site.row.values.get("blocks") != 1 or site.row.values.get("block_threads") != 1:
            return None
        module, more = site.module, blocks_for(length, lanes)
        return [Edit(*module.outer_range(site.grid), more), Edit(*module.outer_range(site.block), str(lanes))]
    if not along:
        return [replaced_by_pair(site, site.grid, bare(blocks), bare(length))]
    grid = replaced_by_pair(site, site.grid, blocks_for(length, lanes), product_of(blocks, threads))
    return [grid, replaced_by_pair(site, site.block, str(lanes), "1")]


def _fits(place: Place, length: int, along: bool) -> bool:
    """Whether a loop is long enough for lanes of its own, and short enough for blocks along y."""
    most = float(place.parameters["most_blocks_along_y"])
    return length >= float(place.parameters["threads_along_the_loop"]) and (along or length <= most)
