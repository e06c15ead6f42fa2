"""Moves a local array that is indexed at run time into shared memory, with a column for each thread."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst

from advisor.fixes.known_facts import Row
from advisor.fixes.place import Place
from advisor.fixes.support.edits.block_sums import block_sizes, thread_number
from advisor.fixes.support.edits.cuda_name import cuda_text
from advisor.fixes.support.edits.inserted_lines import line_before
from advisor.fixes.support.kernel.assigned_names import names_in
from advisor.fixes.support.kernel.kernel_body import KernelBody, own_kernel
from advisor.fixes.support.kernel.thread_axes import cuda_attribute
from advisor.model.findings import Edit


@dataclass(frozen=True)
class _Declaration:
    """`name = cuda.local.array(shape, …)`, and the elements of the array that the kernel uses."""

    line: cst.Assign
    called: cst.Attribute
    shape: cst.BaseExpression
    elements: list[cst.Subscript]


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
        module.replaced(declaration.called.attr, "shared"),
        _with_length(body, declaration.shape, threads),
        *(_with_column(body, one, thread) for one in declaration.elements),
    ]


def _is_here(place: Place, row: Row) -> bool:
    return row.path == place.finding.path and row.span == place.span and row.values.get("space") == "local"


def _declaration(body: KernelBody, name: str) -> _Declaration | None:
    module = body.module
    bound = module.bindings(name, body.function)
    line = bound[0] if len(bound) == 1 else None
    if not isinstance(line, cst.Assign) or len(line.targets) != 1 or not isinstance(line.value, cst.Call):
        return None
    called = line.value.func
    if not isinstance(called, cst.Attribute) or called.attr.value != "array":
        return None
    if not isinstance(called.value, cst.Attribute) or cuda_attribute(module, called.value) != "local":
        return None
    shape = _shape(line.value)
    axes = len(shape.elements) if isinstance(shape, cst.Tuple) else 1
    uses = [one for one in names_in(module, body.function.body) if one.value == name]
    elements = [_element(body, one, axes) for one in uses if one is not line.targets[0].target]
    found = [one for one in elements if one is not None]
    if shape is None or not found or len(found) != len(elements):
        return None
    return _Declaration(line, called.value, shape, found)


def _shape(call: cst.Call) -> cst.BaseExpression | None:
    """The shape that an array is made with: a number, a name or a tuple of these, else None."""
    named = [one.value for one in call.args if one.keyword and one.keyword.value == "shape"]
    first = [call.args[0].value] if call.args and not call.args[0].keyword and not call.args[0].star else []
    shape = next(iter([*named, *first]), None)
    parts = [one.value for one in shape.elements] if isinstance(shape, cst.Tuple) else [shape]
    return shape if parts and all(isinstance(one, cst.Integer | cst.Name) for one in parts) else None


def _element(body: KernelBody, use: cst.Name, axes: int) -> cst.Subscript | None:
    """The element that a use of the array is of; None for the array itself, for a part or a row of it."""
    above = body.module.parent(use)
    if not isinstance(above, cst.Subscript) or above.value is not use or len(above.slice) != axes:
        return None
    for part in above.slice:
        index = part.slice
        if not isinstance(index, cst.Index) or index.star or isinstance(index.value, cst.Tuple):
            return None
    return above


def _with_length(body: KernelBody, shape: cst.BaseExpression, threads: int) -> Edit:
    if isinstance(shape, cst.Tuple):
        end = body.module.range_of(shape.elements[-1].value)[1]
        return Edit(end, end, f", {threads}")
    return body.module.replaced(shape, f"({body.module.code_of(shape)}, {threads})")


def _with_column(body: KernelBody, element: cst.Subscript, thread: str) -> Edit:
    end = body.module.range_of(element.slice[-1].slice)[1]
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
