"""An array of records of which a kernel reads fields, split into one array for each field."""

from __future__ import annotations

import ast

from advisor.fixes.support.edits.imported_names import import_edit, name_of
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.host.array_columns import stored
from advisor.fixes.support.host.host_arguments import HostArgument, names_of
from advisor.fixes.support.kernel.kernel_body import KernelBody
from advisor.model.findings import Edit

# What the arrays of the fields have in common with the array of the records.
_SAME = ("size", "shape")
# Attributes of numbers and arrays, which are no fields.
_NO_FIELDS = frozenset({"real", "imag", "T", "flat", "dtype", "ndim", "itemsize", "strides", *_SAME})
# A read of a field: the expression, the field, and the index of the record.
_Read = tuple[ast.expr, str, ast.expr]


def all_edits(body: KernelBody, array: str, arguments: list[HostArgument]) -> list[Edit] | None:
    """The edits of a kernel and of its launches; None where the kernel does anything but read fields."""
    module = body.module
    reads, others = _uses(body, array)
    if not reads or others is None or _signature(body):
        return None
    fields = sorted({field for _, field, _ in reads})
    names = dict(zip(fields, body.free_names(*(f"{array}_{field}" for field in fields)), strict=True))
    found = {
        module.replaced(node, f"{names[field]}[{module.outer_code_of(index)}]")
        for node, field, index in reads
    }
    found |= {module.replaced(name, names[fields[0]]) for name in others}
    given = body.function.args
    positional = [*given.posonlyargs, *given.args]
    parameter = next(one for one in positional if one.arg == array)
    with_default = positional[len(positional) - len(given.defaults) :]
    if parameter.annotation or parameter in with_default:
        return None
    found.add(module.replaced(parameter, ", ".join(names.values())))
    host = _host_edits(module, arguments, fields)
    return sorted(found | host) if host else None


def _uses(body: KernelBody, array: str) -> tuple[list[_Read], list[ast.Name] | None]:
    """The reads of fields and the questions for sizes; None for these where there is anything else."""
    reads, others = [], []
    for name in names_of(body.module, array, body.function):
        above = body.module.parent(name)
        if isinstance(above, ast.Attribute) and above.attr in _SAME:
            others.append(name)
            continue
        read = _read(body.module, name)
        if read is None:
            return [], None
        reads.append(read)
    return reads, others


def _read(module: SourceModule, name: ast.Name) -> _Read | None:
    """A read `p[i].x`, `p[i]["x"]` or `p["x"][i]`, from the name; None for a part of a field."""
    found = _whole_read(module, name)
    if found is None or stored(found[0]) or found[1] in _NO_FIELDS:
        return None
    above = module.parent(found[0])
    part = isinstance(above, ast.Subscript | ast.Attribute | ast.Call)
    return None if part and getattr(above, "value", getattr(above, "func", None)) is found[0] else found


def _whole_read(module: SourceModule, name: ast.Name) -> _Read | None:
    inner = module.parent(name)
    outer = module.parent(inner) if inner is not None else None
    if not isinstance(inner, ast.Subscript) or inner.value is not name or isinstance(inner.slice, ast.Tuple):
        return None
    first = inner.slice
    if isinstance(outer, ast.Attribute):
        return None if isinstance(first, ast.Slice) or _field(first) else (outer, outer.attr, first)
    if not isinstance(outer, ast.Subscript) or outer.value is not inner or isinstance(outer.slice, ast.Tuple):
        return None
    second = outer.slice
    one, other = _field(first), _field(second)
    if (one is None) == (other is None) or isinstance(second, ast.Slice):
        return None
    return (outer, one, second) if one is not None else (outer, other or "", first)


def _field(index: ast.expr) -> str | None:
    """The field that an index names."""
    name = index.value if isinstance(index, ast.Constant) else None
    return name if isinstance(name, str) and name.isidentifier() else None


def _signature(body: KernelBody) -> bool:
    """Whether the decorator states the types of the parameters, whose number changes."""
    return any(isinstance(one, ast.Call) and one.args for one in body.function.decorator_list)


def _host_edits(module: SourceModule, arguments: list[HostArgument], fields: list[str]) -> set[Edit]:
    """The edits that copy and pass each field by itself; none where this cannot be written."""
    numpy = name_of(module, "numpy")
    brought = None if numpy else import_edit(module, "numpy")
    if not numpy and brought is None:
        return set()
    found = {brought} if brought else set()
    for one in arguments:
        if not isinstance(one.array, ast.Name | ast.Attribute):
            return set()
        array = module.code_of(one.array)
        parts = [f'{numpy or "numpy"}.ascontiguousarray({array}["{field}"])' for field in fields]
        if one.copy is not None:
            parts = [f"{module.code_of(one.copy.func)}({part})" for part in parts]
        if one.assignment is None:
            found.add(Edit(*module.outer_range(one.argument), ", ".join(parts)))
            continue
        if module.shares_line(one.assignment):
            return set()
        names = _free(module, [f"{module.code_of(one.argument)}_{field}" for field in fields])
        indent = module.line_end + module.indentation(one.assignment)
        copies = [f"{name} = {part}" for name, part in zip(names, parts, strict=True)]
        found.add(module.replaced(one.assignment, indent.join(copies)))
        found.add(Edit(*module.outer_range(one.argument), ", ".join(names)))
    return found


def _free(module: SourceModule, wanted: list[str]) -> list[str]:
    taken = module.syntax.bound_anywhere | module.names.keys()
    return [name if name not in taken else f"{name}_field" for name in wanted]
