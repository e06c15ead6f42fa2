"""Moves a local array that is indexed at run time into shared memory, with a column for each thread."""

# /// fix
# title = "Keep the array in shared memory, with a column for each thread"
# safety = "needs review"
# rules = ["local-array-dynamic-index"]
# needs_kernel = true
# phase = 3
# condition = """
# these files hold every launch of the kernel, none of them has blocks of more threads, and every element is \
# stored to before it is read"""
#
# [parameters]
# # A column for each thread lies in banks of its own when the threads are a multiple of the banks.
# banks = 32
# # More would leave too few blocks on a multiprocessor.
# most_bytes = 32768
# most_shared_bytes = 49152
# ///

from __future__ import annotations

import ast
from dataclasses import dataclass

from advisor.fixes.known_facts import Row
from advisor.fixes.place import Place
from advisor.fixes.support.edits.block_sums import block_sizes, thread_number
from advisor.fixes.support.edits.cuda_name import cuda_text
from advisor.fixes.support.edits.inserted_lines import line_before
from advisor.fixes.support.kernel.assigned_names import indices_of, names_in
from advisor.fixes.support.kernel.kernel_body import KernelBody, own_kernel
from advisor.fixes.support.values.declared_arrays import array_shape
from advisor.model.findings import Edit
from advisor.program.syntax.literals import written_integer


@dataclass(frozen=True)
class _Declaration:
    """`name = cuda.local.array(shape, …)`, and the elements of the array that the kernel uses."""

    line: ast.Assign
    called: ast.Attribute
    shape: ast.expr
    elements: list[ast.Subscript]


def edits(place: Place) -> list[Edit] | None:
    """The edits of the declaration and of each use; None where the array is used as a whole, does not fit, or
    where the size of the blocks is not known.
    """
    body, sizes, cuda = own_kernel(place), block_sizes(place), cuda_text(place.module)
    row = next((one for one in place.rows("array") if _is_here(place, one)), None)
    declaration = _declaration(body, row.label) if body and row else None
    if body is None or sizes is None or cuda is None or row is None or declaration is None:
        return None
    banks = int(place.parameters["banks"])
    threads = -(-sizes.most // banks) * banks
    if not _fits(place, row, threads):
        return None
    module = body.module
    (thread,) = body.free_names("thread")
    return [
        line_before(module, declaration.line, f"{thread} = {thread_number(cuda, sizes.dimensions)}"),
        module.replaced(declaration.called, f"{module.code_of(declaration.called.value)}.shared"),
        _with_length(body, declaration.shape, threads),
        *(_with_column(body, one, thread) for one in declaration.elements),
    ]


def _is_here(place: Place, row: Row) -> bool:
    return row.path == place.finding.path and row.span == place.span and row.values.get("space") == "local"


def _declaration(body: KernelBody, name: str) -> _Declaration | None:
    module = body.module
    bound = module.bindings(name, body.function)
    line = bound[0] if len(bound) == 1 else None
    if not isinstance(line, ast.Assign) or len(line.targets) != 1 or not isinstance(line.value, ast.Call):
        return None
    shape, called = array_shape(module, line.value, "local"), line.value.func
    if shape is None or not isinstance(called, ast.Attribute) or not isinstance(called.value, ast.Attribute):
        return None
    parts = shape.elts if isinstance(shape, ast.Tuple) else [shape]
    if not all(isinstance(one, ast.Name) or written_integer(one) is not None for one in parts):
        return None
    axes = len(shape.elts) if isinstance(shape, ast.Tuple) else 1
    uses = [one for one in names_in(module, body.function.body) if one.id == name]
    elements = [_element(body, one, axes) for one in uses if one is not line.targets[0]]
    found = [one for one in elements if one is not None]
    if not found or len(found) != len(elements):
        return None
    return _Declaration(line, called.value, shape, found)


def _element(body: KernelBody, use: ast.Name, axes: int) -> ast.Subscript | None:
    """The element that a use of the array is of; None for the array itself, for a part or a row of it."""
    above = body.module.parent(use)
    if (
        not isinstance(above, ast.Subscript)
        or above.value is not use
        or body.module.is_parenthesized(above.slice)
    ):
        return None
    indices = indices_of(above)
    return above if indices is not None and len(indices) == axes else None


def _with_length(body: KernelBody, shape: ast.expr, threads: int) -> Edit:
    if isinstance(shape, ast.Tuple):
        end = body.module.outer_range(shape.elts[-1])[1]
        return Edit(end, end, f", {threads}")
    return body.module.replaced(shape, f"({body.module.code_of(shape)}, {threads})")


def _with_column(body: KernelBody, element: ast.Subscript, thread: str) -> Edit:
    last = element.slice.elts[-1] if isinstance(element.slice, ast.Tuple) else element.slice
    end = body.module.outer_range(last)[1]
    return Edit(end, end, f", {thread}")


def _fits(place: Place, row: Row, threads: int) -> bool:
    """Whether a column of the array for each thread fits beside the kernel's other shared memory."""
    kernel, own = place.kernel_row(), row.values.get("bytes")
    shared = kernel.values.get("shared_bytes") if kernel else None
    if own is None or shared is None:
        return False
    size = float(own) * threads
    most, total = place.parameters["most_bytes"], place.parameters["most_shared_bytes"]
    return size <= float(most) and size + float(shared) <= float(total)
