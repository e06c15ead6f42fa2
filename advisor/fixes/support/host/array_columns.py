"""A two-dimensional array whose columns a kernel reads by number, turned so that a column lies together."""

from __future__ import annotations

import ast

from advisor.fixes.support.edits.imported_names import import_edit, name_of
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.host.host_arguments import HostArgument, names_of
from advisor.fixes.support.kernel.assigned_names import indices_of
from advisor.fixes.support.kernel.kernel_body import KernelBody
from advisor.model.findings import Edit
from advisor.program.syntax.calls import called_name
from advisor.program.syntax.literals import written_integer

# What stays the same when the axes change places.
_SAME = ("size", "dtype", "ndim")
# Expressions behind which `.T` may stand without parentheses.
_CLOSED = (ast.Name, ast.Attribute, ast.Call, ast.Subscript)


def column_numbers(body: KernelBody, array: str) -> set[int]:
    """The constant columns of an array that a kernel reads or writes."""
    found = set()
    for name in names_of(body.module, array, body.function):
        above = body.module.parent(name)
        indices = indices_of(above) if isinstance(above, ast.Subscript) else None
        if indices and (number := written_integer(indices[-1])) is not None:
            found.add(number)
    return found


def kernel_edits(body: KernelBody, array: str) -> list[Edit] | None:
    """The edits that exchange the two axes of an array in a kernel; None where the kernel does anything but
    read elements of columns with constant numbers, and ask for sizes."""
    found: list[Edit] = []
    for name in names_of(body.module, array, body.function):
        edits = _exchanged(body.module, name)
        if edits is None:
            return None
        found += edits
    return found


def _exchanged(module: SourceModule, name: ast.Name) -> list[Edit] | None:
    above = module.parent(name)
    if isinstance(above, ast.Attribute):
        if above.attr in _SAME:
            return []
        size = module.parent(above)
        axis = size.slice if isinstance(size, ast.Subscript) and above.attr == "shape" else None
        number = written_integer(axis)
        return [module.replaced(axis, str(1 - number))] if axis is not None and number in (0, 1) else None
    if not isinstance(above, ast.Subscript) or above.value is not name or stored(above):
        return None
    indices = indices_of(above) or []
    if len(indices) != 2 or written_integer(indices[1]) is None:
        return None
    row, column = indices
    return [
        module.replaced(row, module.outer_code_of(column)),
        module.replaced(column, module.outer_code_of(row)),
    ]


def stored(node: ast.expr) -> bool:
    """Whether something is stored to an element or a field, or it is deleted."""
    return not isinstance(getattr(node, "ctx", None), ast.Load)


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
        text = module.code_of(one.array)
        turned = f"{text}.T" if isinstance(one.array, _CLOSED) else f"({text}).T"
        found.add(module.replaced(one.array, f"{known or 'numpy'}.ascontiguousarray({turned})"))
    return sorted(found)


def _ordered(array: ast.expr) -> bool:
    """Whether the order in memory was chosen on purpose."""
    if not isinstance(array, ast.Call):
        return False
    return called_name(array) == "asfortranarray" or any(one.arg == "order" for one in array.keywords)
