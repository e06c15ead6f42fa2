"""Pads a tile in shared memory by one column, so that the lanes of a column meet in different banks."""

from __future__ import annotations

import re

import libcst as cst

from advisor.fixes.known_facts import Row
from advisor.fixes.place import Place
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.kernel.assigned_names import names_in
from advisor.fixes.support.kernel.kernel_body import KernelBody
from advisor.fixes.support.kernel.largest_index import LargestIndex
from advisor.fixes.support.kernel.thread_axes import cuda_attribute
from advisor.model.findings import Edit

_WORD = 4.0
# The size of an element that may be meant where it is not known.
_LARGEST_ITEM = 16
_DEEPEST = 6


def edits(place: Place) -> list[Edit] | None:
    """The edit of the tile's shape; None where the conflict has another cause, or the padding might show."""
    kernel = place.kernel()
    rows = [row for row in place.rows("access") if _is_here(place, row)]
    names = {row.label for row in rows if row.values.get("space") == "shared"}
    if kernel is None or len(names) != 1 or len(names) != len({row.label for row in rows}):
        return None
    module, function = kernel
    found_tile = _tile(module, function, names.pop())
    if found_tile is None:
        return None
    tile, columns = found_tile
    known = [_length(module, function, one.value) for one in tile.elements]
    lengths = [one for one in known if one is not None]
    if len(lengths) != len(known) or lengths[-1] % 2 or not _fits(place, rows, lengths):
        return None
    if not all(_steps_by_row(row, lengths[-1]) for row in rows):
        return None
    # An index of -1 is counted from the end of the row, and one past the end meets the next row.
    largest = LargestIndex(module, function, place.launches() or ())
    if not all(largest.lies_within(one, lengths[-1]) for one in columns):
        return None
    found = _padded(module, function, tile.elements[-1].value)
    return place.in_file(module, found) if found else None


def _is_here(place: Place, row: Row) -> bool:
    known = float(row.values.get("bank_conflict_ways", 1.0)) > 1.0
    return row.path == place.finding.path and row.span == place.finding.span and known


def _steps_by_row(row: Row, inner: int) -> bool:
    """Whether neighbouring lanes are one row of the tile apart, in words of 4 bytes or more."""
    values = row.values
    wide = float(values.get("itemsize", _WORD)) >= _WORD
    return values.get("lane_axis") == "slow" and values.get("lane_stride") == inner and wide


def _tile(
    module: SourceModule, function: cst.FunctionDef, name: str
) -> tuple[cst.Tuple, list[cst.BaseExpression]] | None:
    """The shape of a tile that is made once and of which only elements are used, and the columns of those;
    None for others.
    """
    bound = module.bindings(name, function)
    line = bound[0] if len(bound) == 1 else None
    if not isinstance(line, cst.Assign) or len(line.targets) != 1 or not isinstance(line.value, cst.Call):
        return None
    target, call = line.targets[0].target, line.value
    if not isinstance(call.func, cst.Attribute) or call.func.attr.value != "array" or not call.args:
        return None
    if cuda_attribute(module, call.func.value) != "shared":
        return None
    named = [one.value for one in call.args if one.keyword and one.keyword.value == "shape"]
    first = [call.args[0].value] if call.args[0].keyword is None and not call.args[0].star else []
    shape = next(iter([*named, *first]), None)
    if not isinstance(shape, cst.Tuple) or len(shape.elements) < 2:
        return None
    uses = [one for one in names_in(module, function.body) if one.value == name and one is not target]
    columns = [_column(module, use, len(shape.elements)) for use in uses]
    known = [one for one in columns if one is not None]
    return (shape, known) if len(known) == len(columns) else None


def _column(module: SourceModule, use: cst.Name, axes: int) -> cst.BaseExpression | None:
    """The last index of one element of an array, None for any other use of it."""
    above = module.parent(use)
    if not isinstance(above, cst.Subscript) or above.value is not use or len(above.slice) != axes:
        return None
    indices = [one.slice.value for one in above.slice if isinstance(one.slice, cst.Index)]
    return indices[-1] if len(indices) == axes else None


def _length(module: SourceModule, function: cst.FunctionDef, value: cst.BaseExpression) -> int | None:
    """The value of a number or of a constant of the module, None for anything else."""
    if isinstance(value, cst.Integer):
        return int(value.evaluated_value)
    if not isinstance(value, cst.Name) or module.bindings(value.value, function):
        return None
    if any(one.name.value == value.value for one in module.nodes_in(cst.Param, function.params)):
        return None
    line = _definition(module, value.value)
    return _constant(module, line.value) if line is not None else None


def _definition(module: SourceModule, name: str) -> cst.Assign | None:
    """The one assignment of a name at module level that has a line of its own."""
    bound = module.bindings(name, None)
    line = bound[0] if len(bound) == 1 else None
    if not isinstance(line, cst.Assign) or len(line.targets) != 1:
        return None
    above = module.parent(line)
    whole = isinstance(above, cst.SimpleStatementLine) and len(above.body) == 1
    top = above is not None and module.parent(above) is module.module
    return line if whole and top and isinstance(line.targets[0].target, cst.Name) else None


def _constant(module: SourceModule, value: cst.BaseExpression, depth: int = 0) -> int | None:
    """The value of an integer expression of module constants, None for anything else."""
    if isinstance(value, cst.Integer):
        return int(value.evaluated_value)
    if isinstance(value, cst.Name) and depth < _DEEPEST:
        line = _definition(module, value.value)
        return _constant(module, line.value, depth + 1) if line is not None else None
    if isinstance(value, cst.BinaryOperation) and depth < _DEEPEST:
        left, right = (_constant(module, one, depth + 1) for one in (value.left, value.right))
        if left is None or right is None:
            return None
        if isinstance(value.operator, cst.Add):
            return left + right
        return left * right if isinstance(value.operator, cst.Multiply) else None
    return None


def _fits(place: Place, rows: list[Row], lengths: list[int]) -> bool:
    """Whether the kernel's shared memory stays in the limit of static arrays with the padded tile."""
    item = max(float(row.values.get("itemsize", _LARGEST_ITEM)) for row in rows)
    size = item
    for length in lengths[:-1]:
        size *= length
    kernel = place.kernel_row()
    known = kernel.values.get("shared_bytes") if kernel else None
    total = float(known) + size if known is not None else size * (lengths[-1] + 1)
    return total <= float(place.parameters["static_shared_bytes"])


def _padded(module: SourceModule, function: cst.FunctionDef, inner: cst.BaseExpression) -> list[Edit] | None:
    """The edits of the last length: a number becomes the next one, a constant gets another one beside it.

    Numba takes names and numbers in the shape of a shared array, but no sums.
    """
    if isinstance(inner, cst.Integer):
        return [module.replaced(inner, str(int(inner.evaluated_value) + 1))]
    line = _definition(module, inner.value) if isinstance(inner, cst.Name) else None
    if line is None or not isinstance(inner, cst.Name):
        return None
    wanted = f"PADDED_{inner.value}" if inner.value.isupper() else f"padded_{inner.value}"
    known = _definition(module, wanted)
    if known is not None and module.written(known.value) == f"{inner.value} + 1":
        return [module.replaced(inner, wanted)]
    (name,) = KernelBody(module, function).free_names(wanted)
    end = module.range_of(line)[1]
    behind = re.compile(r"[^\r\n]*").match(module.text, end)
    place = behind.end() if behind else end
    return [
        Edit(place, place, f"{module.line_end}{name} = {inner.value} + 1"),
        module.replaced(inner, name),
    ]
