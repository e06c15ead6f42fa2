"""Gives each block a copy of a histogram in shared memory, which is added to global memory at the end."""

# /// fix
# title = "Count in a copy of the histogram in shared memory, add it to global memory at the end"
# safety = "needs review"
# rules = ["histogram-in-global-memory", "data-dependent-atomic", "contended-atomic"]
# needs_kernel = true
# condition = """
# these files hold every launch of the kernel, and no other argument shares memory with the histogram; \
# integer sums stay equal, floating-point sums are added in another order, so the last bits may differ"""
#
# [parameters]
# most_bytes = 16384
# most_shared_bytes = 49152
# # Where each thread adds once; in a loop the bins are gone through less often than they are added to.
# most_bins_for_each_thread = 1
# ///

from __future__ import annotations

import ast

from advisor.fixes.known_facts import Row
from advisor.fixes.place import Place
from advisor.fixes.support.edits.block_sums import block_dimensions, block_sizes, thread_count, thread_number
from advisor.fixes.support.host.argument_arrays import argument_array
from advisor.fixes.support.kernel.atomic_adds import AtomicAdd, additions, atomic_add, only_added_to, row_of
from advisor.fixes.support.kernel.kernel_body import KernelBody, own_kernel
from advisor.model.findings import Edit
from advisor.program.arrays.element_types import itemsize_of

# Bytes of the largest element that an atomic addition takes.
_WIDEST = 8


def edits(place: Place) -> list[Edit] | None:
    """The edits that let all atomic additions to a small histogram go to a copy in shared memory."""
    body = own_kernel(place)
    addition = atomic_add(body, place.exactly(ast.Call)) if body else None
    if body is None or addition is None:
        return None
    row = row_of(place, addition)
    if row is None or row.values.get("target") != "data" or row.values.get("space") != "global":
        return None
    if not body.all_threads_reach_the_end() or not only_added_to(body, addition.array):
        return None
    bins = _bins(place, body, addition.array)
    # With one bin it is a sum, for which the threads of a block can do better than add to one element.
    if not bins or bins == 1 or not (row.values.get("loop_depth") or _few(place, bins)):
        return None
    return _copied(body, addition, bins, block_dimensions(place))


def _few(place: Place, bins: int) -> bool:
    """Whether a block that adds once for each thread adds more than it takes to go through the bins."""
    sizes = block_sizes(place)
    return sizes is not None and bins <= sizes.most * float(place.parameters["most_bins_for_each_thread"])


def _bins(place: Place, body: KernelBody, array: str) -> int | None:
    """The elements of an array that all launches agree on, None where they take too much shared memory."""
    launches = place.launches()
    if not launches:
        return None
    position = body.parameters.index(array)
    arrays = {argument_array(site, position) for site in launches}
    sizes = {one.shape for one in arrays}
    shape = sizes.pop()
    if sizes or shape is None or len(shape) != 1 or not shape[0]:
        return None
    size = shape[0] * max(itemsize_of(one.dtype) or _WIDEST for one in arrays)
    others = [_bytes(row) for row in place.rows("array") if row.values.get("space") == "shared"]
    if None in others or size > float(place.parameters["most_bytes"]):
        return None
    total = size + sum(one for one in others if one is not None)
    return shape[0] if total <= float(place.parameters["most_shared_bytes"]) else None


def _bytes(array: Row) -> float | None:
    """The size of an array, or the most it can be where only the number of its elements is known."""
    size, elements = array.values.get("bytes"), array.values.get("elements")
    if size is not None:
        return float(size)
    return float(elements) * _WIDEST if elements is not None else None


def _copied(body: KernelBody, addition: AtomicAdd, bins: int, dimensions: int) -> list[Edit]:
    own, each = body.free_names(f"shared_{addition.array}", "k")
    cuda, step, array = addition.cuda, body.step, addition.array
    first, count = thread_number(cuda, dimensions), thread_count(cuda, dimensions)
    loop = f"for {each} in range({first}, {bins}, {count}):"
    alike = [one for one in additions(body) if one.array == array]
    before = [
        f"{own} = {cuda}.shared.array({bins}, {array}.dtype)",
        loop,
        f"{step}{own}[{each}] = 0",
        f"{cuda}.syncthreads()",
    ]
    behind = [
        f"{cuda}.syncthreads()",
        loop,
        f"{step}if {own}[{each}] != 0:",
        f"{step * 2}{cuda}.atomic.add({array}, {each}, {own}[{each}])",
    ]
    return [
        body.lines_before(body.top_statement(alike[0].call), before),
        *(body.module.replaced(one.call.args[0], own) for one in alike),
        body.lines_at_end(behind),
    ]
