"""Adds up within the block, in a shared-memory tree, before one thread adds to global memory."""

# /// fix
# title = "Add up within the block first, then do one atomic for each block"
# safety = "needs review"
# rules = ["contended-atomic"]
# needs_kernel = true
# condition = """
# these files hold every launch of the kernel, and no other argument shares memory with the sum; integer \
# sums stay equal, floating-point sums are added in another order, so the last bits may differ"""
# ///

from __future__ import annotations

import ast

from advisor.fixes.place import Place
from advisor.fixes.support.edits.block_sums import SumNames, block_sizes, tree_lines
from advisor.fixes.support.kernel.assigned_names import only_computes, same_code
from advisor.fixes.support.kernel.atomic_adds import (
    AtomicAdd,
    additions,
    atomic_add,
    before_value,
    only_added_to,
    row_of,
)
from advisor.fixes.support.kernel.kernel_body import KernelBody, own_kernel
from advisor.model.findings import Edit


def edits(place: Place) -> list[Edit] | None:
    """The edits that turn all atomic additions to one element into a sum over the block."""
    body = own_kernel(place)
    sizes = block_sizes(place)
    addition = atomic_add(body, place.exactly(ast.Call)) if body else None
    if body is None or sizes is None or addition is None or sizes.most == 1:
        return None
    alike = [one for one in additions(body) if _to_the_same(body, one, addition) and _by_many(place, one)]
    if (
        addition not in alike
        or not body.all_threads_reach_the_end()
        or not only_added_to(body, addition.array)
        or not _lasting(body, addition)
    ):
        return None
    total, *names = body.free_names("total", "partial", "thread", "threads", "stride")
    tree = SumNames(*names)
    dtype = f"{addition.array}.dtype"
    index = body.module.code_of(addition.index)
    lines = tree_lines(addition.cuda, body.step, sizes, tree, dtype, total)
    lines.append(f"if {tree.thread} == 0:")
    add = f"{addition.cuda}.atomic.add({addition.array}, {index}, {tree.partial}[0])"
    return [*_sums(body, alike, total), body.lines_at_end([*lines, f"{body.step}{add}"])]


def _to_the_same(body: KernelBody, one: AtomicAdd, other: AtomicAdd) -> bool:
    return one.array == other.array and same_code(body.module, one.index, other.index)


def _by_many(place: Place, addition: AtomicAdd) -> bool:
    """Whether all threads of a block may add, to one element of an array in global memory."""
    row = row_of(place, addition)
    if row is None or row.values.get("space") != "global" or row.values.get("single_thread"):
        return False
    return row.values.get("target") == "one"


def _lasting(body: KernelBody, addition: AtomicAdd) -> bool:
    """Whether the index has the same value at the end of the kernel."""
    module, index = body.module, addition.index
    before, _ = module.range_of(body.top_statement(addition.call))
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    plain = all(only_computes(module, one) for one in parts) and "\n" not in module.code_of(index)
    return plain and body.keeps_value(index, before)


def _sums(body: KernelBody, alike: list[AtomicAdd], total: str) -> list[Edit]:
    """The edits that let each thread add to a variable of its own."""
    cast = f"{alike[0].array}.dtype.type("
    first = body.top_statement(alike[0].call)
    if len(alike) == 1 and first is body.module.parent(alike[0].call):
        return [before_value(body, alike[0], f"{total} = {cast}")]
    start = body.lines_before(first, [f"{total} = {cast}0)"])
    return [start, *(before_value(body, one, f"{total} += {cast}") for one in alike)]
