"""Puts the part of a kernel that uses the thread's index into a loop over all elements, a grid apart."""

# /// fix
# title = "Loop over all elements, a grid's width apart"
# safety = "needs review"
# rules = ["missing-bounds-check", "unchecked-index"]
# needs_kernel = true
# condition = """
# all elements of the array are meant, also where the grid has fewer threads than it has elements"""
# ///

from __future__ import annotations

import ast

from advisor.fixes.place import Place
from advisor.fixes.rewrites.threads.bounds_check import guarded_region, limiting_element
from advisor.fixes.support.edits.inserted_lines import without_line
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.kernel.assigned_names import indices_of, value_of, words_in
from advisor.fixes.support.kernel.grid_indices import grid_indices
from advisor.fixes.support.kernel.kernel_body import KernelBody, own_kernel
from advisor.fixes.support.kernel.thread_axes import INDEX_NAMES, cuda_attribute, grid_call
from advisor.fixes.support.values.independent_iterations import values_come_first
from advisor.model.findings import Edit
from advisor.program.syntax.module import FunctionNode


def edits(place: Place) -> list[Edit] | None:
    """The edits that make `i = cuda.grid(1)` the counter of a loop; None where a thread's place matters in
    another way, or where it is not clear which array limits the index.
    """
    body = own_kernel(place)
    if body is None or not body.all_threads_reach_the_end():
        return None
    here, found = place.exactly(ast.Subscript), body.module.answer(_loop, body.function)
    if here is None or found is None or found[0] not in words_in(body.module, here):
        return None
    return found[1]


def _loop(module: SourceModule, function: FunctionNode) -> tuple[str, list[Edit] | None] | None:
    """The index that a kernel's loop runs over, and the edits that make it."""
    body = KernelBody(module, function)
    region, element = guarded_region(body), limiting_element(body)
    if element is None:
        return None
    index = _only_index(body, element)
    if index is None or _knows_its_place(body):
        return None
    grid = value_of(body.module, body.function, index)
    if grid is None or grid_call(body.module, grid) != 1 or not values_come_first(body, region, index):
        return None
    return index, _edits(body, region, index, grid, element)


def _edits(
    body: KernelBody,
    region: list[ast.stmt],
    index: str,
    grid: ast.expr,
    element: ast.Subscript,
) -> list[Edit] | None:
    first = body.module.code_of(grid)
    width = first.replace(".grid(", ".gridsize(")
    size = f"{body.module.code_of(element.value)}.shape[0]"
    removed = without_line(body.module, grid_indices(body)[index].line)
    deeper = body.under_head(region, f"for {index} in range({first}, {size}, {width}):")
    return None if deeper is None or removed is None else [removed, *deeper]


def _only_index(body: KernelBody, element: ast.Subscript) -> str | None:
    """The name of the grid index where the kernel has one, and it is the element's first index."""
    names = list(grid_indices(body))
    indices = indices_of(element)
    if len(names) != 1 or not indices or not isinstance(indices[0], ast.Name):
        return None
    return names[0] if indices[0].id == names[0] else None


def _knows_its_place(body: KernelBody) -> bool:
    """Whether the kernel asks for a thread's place, but for the one call of `cuda.grid`."""
    names = [cuda_attribute(body.module, one) or "" for one in body.nodes(ast.Attribute)]
    return names.count("grid") != 1 or any(name in {*INDEX_NAMES, "gridsize", "shared"} for name in names)
