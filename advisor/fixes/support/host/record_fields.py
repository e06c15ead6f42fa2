"""An array of records of which a kernel reads fields, split into one array for each field."""

from __future__ import annotations

import libcst as cst

from advisor.fixes.support.edits.imported_names import import_edit, name_of
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.host.array_columns import stored
from advisor.fixes.support.host.host_arguments import HostArgument, uses
from advisor.fixes.support.kernel.kernel_body import KernelBody
from advisor.model.findings import Edit

# What the arrays of the fields have in common with the array of the records.
_SAME = ("size", "shape")
# Attributes of numbers and arrays, which are no fields.
_NO_FIELDS = frozenset({"real", "imag", "T", "flat", "dtype", "ndim", "itemsize", "strides", *_SAME})


def all_edits(body: KernelBody, array: str, arguments: list[HostArgument]) -> list[Edit] | None:
    """The edits of a kernel and of its launches; None where the kernel does anything but read fields."""
    module = body.module
    reads, others = _uses(body, array)
    if not reads or others is None or _signature(body):
        return None
    fields = sorted({field for _, field, _ in reads})
    names = dict(zip(fields, body.free_names(*(f"{array}_{field}" for field in fields)), strict=True))
    found = {
        module.replaced(node, f"{names[field]}[{module.written(index)}]") for node, field, index in reads
    }
    found |= {module.replaced(name, names[fields[0]]) for name in others}
    parameter = next(
        one for one in (*body.function.params.posonly_params, *body.function.params.params)
        if one.name.value == array
    )  # fmt: skip
    if parameter.annotation or parameter.default:
        return None
    found.add(module.replaced(parameter.name, ", ".join(names.values())))
    host = _host_edits(module, arguments, fields)
    return sorted(found | host) if host else None


def _uses(
    body: KernelBody, array: str
) -> tuple[list[tuple[cst.BaseExpression, str, cst.BaseSlice]], list[cst.Name] | None]:
    """The reads of fields (expression, field, index of the record) and the questions for sizes; None for
    these where there is anything else."""
    reads, others = [], []
    for name in uses(body.module, array, body.function):
        above = body.module.parent(name)
        if isinstance(above, cst.Param):
            continue
        if isinstance(above, cst.Attribute) and above.attr.value in _SAME:
            others.append(name)
            continue
        read = _read(body.module, above)
        if read is None:
            return [], None
        reads.append(read)
    return reads, others


def _read(
    module: SourceModule, inner: cst.CSTNode | None
) -> tuple[cst.BaseExpression, str, cst.BaseSlice] | None:
    """A read `p[i].x`, `p[i]["x"]` or `p["x"][i]`, from its inner subscript; None for a part of a field."""
    found = _whole_read(module, inner)
    if found is None or stored(module, found[0]) or found[1] in _NO_FIELDS:
        return None
    above = module.parent(found[0])
    part = isinstance(above, cst.Subscript | cst.Attribute | cst.Call)
    return None if part and getattr(above, "value", getattr(above, "func", None)) is found[0] else found


def _whole_read(
    module: SourceModule, inner: cst.CSTNode | None
) -> tuple[cst.BaseExpression, str, cst.BaseSlice] | None:
    if not isinstance(inner, cst.Subscript) or len(inner.slice) != 1:
        return None
    outer = module.parent(inner)
    first = inner.slice[0].slice
    if isinstance(outer, cst.Attribute) and isinstance(first, cst.Index) and not _field(first):
        return outer, outer.attr.value, first
    if not isinstance(outer, cst.Subscript) or len(outer.slice) != 1:
        return None
    second = outer.slice[0].slice
    one, other = _field(first), _field(second)
    if (one is None) == (other is None) or not isinstance(second, cst.Index):
        return None
    return (outer, one, second) if one is not None else (outer, other or "", first)


def _field(index: cst.BaseSlice) -> str | None:
    if isinstance(index, cst.Index) and isinstance(index.value, cst.SimpleString):
        name = index.value.evaluated_value
        return name if isinstance(name, str) and name.isidentifier() else None
    return None


def _signature(body: KernelBody) -> bool:
    """Whether the decorator states the types of the parameters, whose number changes."""
    for decorator in body.function.decorators:
        call = decorator.decorator
        if isinstance(call, cst.Call) and any(one.keyword is None for one in call.args):
            return True
    return False


def _host_edits(module: SourceModule, arguments: list[HostArgument], fields: list[str]) -> set[Edit]:
    """The edits that copy and pass each field by itself; none where this cannot be written."""
    numpy = name_of(module, "numpy")
    brought = None if numpy else import_edit(module, "numpy")
    if not numpy and brought is None:
        return set()
    found = {brought} if brought else set()
    for one in arguments:
        if not isinstance(one.array, cst.Name | cst.Attribute):
            return set()
        array = module.written(one.array)
        parts = [f'{numpy or "numpy"}.ascontiguousarray({array}["{field}"])' for field in fields]
        if one.copy is not None:
            parts = [f"{module.written(one.copy.func)}({part})" for part in parts]
        if one.assignment is None:
            found.add(module.replaced(one.argument, ", ".join(parts)))
            continue
        line = module.parent(one.assignment)
        if not isinstance(line, cst.SimpleStatementLine) or len(line.body) != 1:
            return set()
        names = _free(module, [f"{module.written(one.argument)}_{field}" for field in fields])
        indent = module.line_end + module.indentation(line)
        copies = [f"{name} = {part}" for name, part in zip(names, parts, strict=True)]
        found.add(module.replaced(one.assignment, indent.join(copies)))
        found.add(module.replaced(one.argument, ", ".join(names)))
    return found


def _free(module: SourceModule, wanted: list[str]) -> list[str]:
    taken = {node.value for node in module.nodes(cst.Name)}
    return [name if name not in taken else f"{name}_field" for name in wanted]
