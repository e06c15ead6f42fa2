"""Stores records as one array for each field, so that neighbouring threads read neighbouring elements."""

# /// fix
# title = "Store the records as one array for each field"
# safety = "needs review"
# rules = ["uncoalesced-access"]
# needs_kernel = true
# condition = """
# these files hold every launch of the kernel, the array is a NumPy array, and no other argument shares \
# memory with it; results stay equal, the host makes a contiguous copy of each field for each copy to the \
# device"""
#
# [parameters]
# most_fields = 32
# ///

from __future__ import annotations

import ast
from collections.abc import Sequence

from advisor.fixes.place import Place
from advisor.fixes.support.edits.imported_names import import_edit, name_of
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.host.argument_arrays import argument_array
from advisor.fixes.support.host.host_arguments import HostArgument, host_arguments, names_of
from advisor.fixes.support.kernel.assigned_names import indices_of
from advisor.fixes.support.kernel.kernel_body import KernelBody, own_kernel
from advisor.fixes.support.launches.launch_sites import LaunchSite
from advisor.model.findings import Edit
from advisor.program.syntax.calls import called_name
from advisor.program.syntax.literals import written_integer

# What stays the same when the axes of an array change places.
_OF_BOTH = ("size", "dtype", "ndim")
# What the arrays of the fields have in common with the array of the records.
_OF_RECORDS = ("size", "shape")
# Attributes of numbers and arrays, which are no fields.
_NO_FIELDS = frozenset({"real", "imag", "T", "flat", "dtype", "ndim", "itemsize", "strides", *_OF_RECORDS})
# Expressions behind which `.T` may stand without parentheses.
_CLOSED = (ast.Name, ast.Attribute, ast.Call, ast.Subscript)
# A read of a field: the expression, the field, and the index of the record.
_Read = tuple[ast.expr, str, ast.expr]


def edits(place: Place) -> list[Edit] | None:
    """The edits of a kernel and of its launches in the same file; None for arrays that are used elsewhere."""
    body = own_kernel(place)
    array = _array(place, body) if body else None
    sites = place.launches()
    if body is None or array is None or not sites or any(one.module is not body.module for one in sites):
        return None
    arguments = host_arguments(sites, body.parameters.index(array))
    numpy = name_of(body.module, "numpy")
    brought = None if numpy else import_edit(body.module, "numpy")
    if arguments is None or (numpy is None and brought is None):
        return None
    contiguous = f"{numpy or 'numpy'}.ascontiguousarray"
    turned = _turned(body, array)
    if turned is None:
        found = _split(body, array, arguments, contiguous)
    else:
        fields = _are_fields(place, sites, body, array)
        host = _turned_on_host(body.module, arguments, contiguous) if fields else None
        found = None if host is None else [*turned, *host]
    return None if found is None else sorted({*found, *([brought] if brought else [])})


def _array(place: Place, body: KernelBody) -> str | None:
    """The parameter whose element the finding is about."""
    found = {node.id for node in place.within(ast.Name)} & set(body.parameters)
    outer = place.within(ast.Subscript)
    if not outer:
        return None
    base: ast.expr = outer[0]
    while isinstance(base, ast.Subscript | ast.Attribute):
        base = base.value
    name = base.id if isinstance(base, ast.Name) else None
    return name if name in found and not body.module.bindings(name, body.function) else None


# --- a two-dimensional array whose columns a kernel reads by number, turned so that a column lies together


def _are_fields(place: Place, sites: Sequence[LaunchSite], body: KernelBody, array: str) -> bool:
    """Whether the rows of an array look like records: they are short, or, where that is not known, the kernel
    reads several columns.
    """
    shapes = [argument_array(site, body.parameters.index(array)).shape for site in sites]
    widths = [shape[-1] if shape else None for shape in shapes]
    elements = [body.module.parent(one) for one in names_of(body.module, array, body.function)]
    indices = [one.slice for one in elements if isinstance(one, ast.Subscript)]
    columns = {written_integer(one.elts[-1]) for one in indices if isinstance(one, ast.Tuple)}
    most = float(place.parameters["most_fields"])
    return all(len(columns) > 1 if width is None else width <= most for width in widths)


def _turned(body: KernelBody, array: str) -> list[Edit] | None:
    """The edits that exchange the two axes of an array in a kernel; None where the kernel does anything but
    read elements of columns with constant numbers, and ask for sizes.
    """
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
        size = module.parent(above)
        axis = size.slice if isinstance(size, ast.Subscript) and above.attr == "shape" else None
        number = written_integer(axis)
        if axis is not None and number in (0, 1):
            return [module.replaced(axis, str(1 - number))]
        return [] if above.attr in _OF_BOTH else None
    if not isinstance(above, ast.Subscript) or not _is_read(above):
        return None
    indices = indices_of(above) or []
    if above.value is not name or len(indices) != 2 or written_integer(indices[1]) is None:
        return None
    row, column = indices
    return [
        module.replaced(row, module.outer_code_of(column)),
        module.replaced(column, module.outer_code_of(row)),
    ]


def _is_read(node: ast.Attribute | ast.Subscript) -> bool:
    return isinstance(node.ctx, ast.Load)


def _turned_on_host(
    module: SourceModule, arguments: list[HostArgument], contiguous: str
) -> list[Edit] | None:
    """The edits that copy the transposed arrays; None where an order in memory was chosen on purpose."""
    found = []
    for one in arguments:
        call = one.array if isinstance(one.array, ast.Call) else None
        if call and (called_name(call) == "asfortranarray" or any(o.arg == "order" for o in call.keywords)):
            return None
        text = module.code_of(one.array)
        turned = f"{text}.T" if isinstance(one.array, _CLOSED) else f"({text}).T"
        found.append(module.replaced(one.array, f"{contiguous}({turned})"))
    return found


# --- an array of records of which a kernel reads fields, split into one array for each field


def _split(body: KernelBody, array: str, arguments: list[HostArgument], contiguous: str) -> list[Edit] | None:
    """The edits of a kernel and of its launches; None where the kernel does anything but read fields and ask
    for sizes.
    """
    module, given = body.module, body.function.args
    uses = names_of(module, array, body.function)
    sizes = [one for one in uses if getattr(module.parent(one), "attr", None) in _OF_RECORDS]
    reads = [_read(module, one) for one in uses if one not in sizes]
    fields = sorted({one[1] for one in reads if one is not None})
    parameter = next((one for one in (*given.posonlyargs, *given.args) if one.arg == array), None)
    # Types that the decorator states, and defaults, would have to be split as well.
    signature = any(isinstance(one, ast.Call) and one.args for one in body.function.decorator_list)
    plain = parameter is not None and not parameter.annotation and not given.defaults and not signature
    if None in reads or not fields or not plain or parameter is None:
        return None
    names = dict(zip(fields, body.free_names(*(f"{array}_{field}" for field in fields)), strict=True))
    found = [module.replaced(one, names[fields[0]]) for one in sizes]
    for node, field, index in (one for one in reads if one is not None):
        found.append(module.replaced(node, f"{names[field]}[{module.outer_code_of(index)}]"))
    found.append(module.replaced(parameter, ", ".join(names.values())))
    host = [_passed(module, one, fields, contiguous) for one in arguments]
    return None if None in host else [*found, *(edit for one in host for edit in one or ())]


def _read(module: SourceModule, name: ast.Name) -> _Read | None:
    """A read `p[i].x`, `p[i]["x"]` or `p["x"][i]`, from the name; None for a part of a field."""
    inner = module.parent(name)
    outer = module.parent(inner) if inner is not None else None
    if not isinstance(inner, ast.Subscript) or inner.value is not name:
        return None
    match inner, outer:
        case ast.Subscript(slice=index), ast.Attribute(attr=field):
            pass
        case (ast.Subscript(slice=ast.Constant(str(field))), ast.Subscript(value=array, slice=index)) | (
            ast.Subscript(slice=index),
            ast.Subscript(value=array, slice=ast.Constant(str(field))),
        ) if array is inner:
            pass
        case _:
            return None
    above = module.parent(outer)
    part = isinstance(above, ast.Subscript | ast.Attribute | ast.Call)
    if not _is_read(outer) or (part and outer is getattr(above, "value", getattr(above, "func", None))):
        return None
    number = not isinstance(index, ast.Tuple | ast.Slice) and not isinstance(
        getattr(index, "value", None), str
    )
    return (outer, field, index) if number and field.isidentifier() and field not in _NO_FIELDS else None


def _passed(
    module: SourceModule, argument: HostArgument, fields: list[str], contiguous: str
) -> list[Edit] | None:
    """The edits that copy and pass each field by itself; None where this cannot be written."""
    if not isinstance(argument.array, ast.Name | ast.Attribute):
        return None
    parts = [f'{contiguous}({module.code_of(argument.array)}["{field}"])' for field in fields]
    if argument.copy is not None:
        parts = [f"{module.code_of(argument.copy.func)}({part})" for part in parts]
    place, line = module.outer_range(argument.argument), argument.assignment
    if line is None:
        return [Edit(*place, ", ".join(parts))]
    if module.shares_line(line):
        return None
    taken = module.syntax.bound_anywhere | module.names.keys()
    wanted = [f"{module.code_of(argument.argument)}_{field}" for field in fields]
    names = [f"{name}_field" if name in taken else name for name in wanted]
    copies = [f"{name} = {part}" for name, part in zip(names, parts, strict=True)]
    indent = module.line_end + module.indentation(line)
    return [module.replaced(line, indent.join(copies)), Edit(*place, ", ".join(names))]
