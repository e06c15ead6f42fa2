"""A two-dimensional array whose columns a kernel reads by number, turned so that a column lies together."""

from __future__ import annotations

import libcst as cst

from advisor.fixes.support.edits.imported_names import import_edit, name_of
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.host.host_arguments import HostArgument, uses
from advisor.fixes.support.kernel.kernel_body import KernelBody
from advisor.model.findings import Edit

# What stays the same when the axes change places.
_SAME = ("size", "dtype", "ndim")
# Expressions behind which `.T` may stand without brackets.
_CLOSED = (cst.Name, cst.Attribute, cst.Call, cst.Subscript)


def column_numbers(body: KernelBody, array: str) -> set[int]:
    """The constant columns of an array that a kernel reads or writes."""
    found = set()
    for name in uses(body.module, array, body.function):
        above = body.module.parent(name)
        last = _indices(above)[-1:] if isinstance(above, cst.Subscript) else []
        found |= {int(one.value.evaluated_value) for one in last if isinstance(one.value, cst.Integer)}
    return found


def kernel_edits(body: KernelBody, array: str) -> list[Edit] | None:
    """The edits that exchange the two axes of an array in a kernel; None where the kernel does anything but
    read elements of columns with constant numbers, and ask for sizes."""
    found: list[Edit] = []
    for name in uses(body.module, array, body.function):
        above = body.module.parent(name)
        if isinstance(above, cst.Param):
            continue
        edits = _exchanged(body.module, above)
        if edits is None:
            return None
        found += edits
    return found


def _exchanged(module: SourceModule, above: cst.CSTNode | None) -> list[Edit] | None:
    if isinstance(above, cst.Attribute):
        if above.attr.value in _SAME:
            return []
        size = module.parent(above)
        axis = _indices(size) if isinstance(size, cst.Subscript) and above.attr.value == "shape" else []
        other = {"0": "1", "1": "0"}.get(module.written(axis[0])) if len(axis) == 1 else None
        return [module.replaced(axis[0], other)] if other else None
    if not isinstance(above, cst.Subscript) or stored(module, above):
        return None
    indices = _indices(above)
    if len(indices) != 2 or not isinstance(indices[1].value, cst.Integer):
        return None
    row, column = indices
    return [module.replaced(row, module.written(column)), module.replaced(column, module.written(row))]


def _indices(node: cst.Subscript) -> list[cst.Index]:
    found = [one.slice for one in node.slice if isinstance(one.slice, cst.Index) and not one.slice.star]
    return found if len(found) == len(node.slice) else []


def stored(module: SourceModule, node: cst.CSTNode) -> bool:
    """Whether something is stored to an element."""
    above = module.parent(node)
    if isinstance(above, cst.AugAssign | cst.AnnAssign | cst.For | cst.Del):
        return above.target is node
    return isinstance(above, cst.AssignTarget | cst.Element | cst.NamedExpr)


def host_edits(module: SourceModule, arguments: list[HostArgument]) -> list[Edit] | None:
    """The edits that copy the transposed arrays, with an import where the file needs one."""
    known = name_of(module, "numpy")
    brought = None if known else import_edit(module, "numpy")
    if not known and brought is None:
        return None
    found = {brought} if brought else set()
    for one in arguments:
        if _ordered(one.array):
            return None
        begin, end = module.range_of(one.array)
        if one.copy is not None:
            begin, end = module.range_of(one.copy.args[0])
        text = module.written(one.array)
        turned = f"{text}.T" if isinstance(one.array, _CLOSED) else f"({text}).T"
        found.add(Edit(begin, end, f"{known or 'numpy'}.ascontiguousarray({turned})"))
    return sorted(found)


def _ordered(array: cst.BaseExpression) -> bool:
    """Whether the order in memory was chosen on purpose."""
    if not isinstance(array, cst.Call):
        return False
    name = array.func.attr.value if isinstance(array.func, cst.Attribute) else ""
    return name == "asfortranarray" or any(
        one.keyword is not None and one.keyword.value == "order" for one in array.args
    )
