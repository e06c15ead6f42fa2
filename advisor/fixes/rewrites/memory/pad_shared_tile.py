"""Pads a tile in shared memory by one column, so that the lanes of a column meet in different banks."""

# /// fix
# title = "Pad the shared tile by one column"
# safety = "safe"
# rules = ["shared-bank-conflict"]
# needs_kernel = true
# condition = "the kernel uses single elements of the tile within its shape"
#
# [parameters]
# # Static shared memory of a block is limited to 48 KiB on all devices (CUDA C++ Programming Guide, compute
# # capabilities).
# static_shared_bytes = 49152
# ///

from __future__ import annotations

import ast
import re

from advisor.fixes.known_facts import Row
from advisor.fixes.place import Place
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.kernel.assigned_names import indices_of, names_in
from advisor.fixes.support.kernel.kernel_body import KernelBody
from advisor.fixes.support.kernel.largest_index import LargestIndex
from advisor.fixes.support.values.declared_arrays import array_shape
from advisor.model.findings import Edit
from advisor.program.names.scope_names import parameter_names
from advisor.program.syntax.literals import written_integer

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
    known = [_length(module, function, one) for one in tile.elts]
    lengths = [one for one in known if one is not None]
    if len(lengths) != len(known) or lengths[-1] % 2 or not _fits(place, rows, lengths):
        return None
    if not all(_steps_by_row(row, lengths[-1]) for row in rows):
        return None
    # An index of -1 is counted from the end of the row, and one past the end meets the next row.
    largest = LargestIndex(module, function, place.launches() or ())
    if not all(largest.lies_within(one, lengths[-1]) for one in columns):
        return None
    found = _padded(module, function, tile.elts[-1])
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
    module: SourceModule, function: ast.FunctionDef, name: str
) -> tuple[ast.Tuple, list[ast.expr]] | None:
    """The shape of a tile that is made once and of which only elements are used, and the columns of those;
    None for others.
    """
    bound = module.bindings(name, function)
    line = bound[0] if len(bound) == 1 else None
    if not isinstance(line, ast.Assign) or len(line.targets) != 1 or not isinstance(line.value, ast.Call):
        return None
    target, call = line.targets[0], line.value
    shape = array_shape(module, call, "shared")
    if not isinstance(shape, ast.Tuple) or len(shape.elts) < 2:
        return None
    uses = [one for one in names_in(module, function.body) if one.id == name and one is not target]
    columns = [_column(module, use, len(shape.elts)) for use in uses]
    known = [one for one in columns if one is not None]
    return (shape, known) if len(known) == len(columns) else None


def _column(module: SourceModule, use: ast.Name, axes: int) -> ast.expr | None:
    """The last index of one element of an array, None for any other use of it."""
    above = module.parent(use)
    element = isinstance(above, ast.Subscript) and above.value is use
    indices = indices_of(above) if isinstance(above, ast.Subscript) and element else None
    return indices[-1] if indices is not None and len(indices) == axes else None


def _length(module: SourceModule, function: ast.FunctionDef, value: ast.expr) -> int | None:
    """The value of a number or of a constant of the module, None for anything else."""
    if not isinstance(value, ast.Name):
        return written_integer(value)
    if module.bindings(value.id, function) or value.id in parameter_names(function):
        return None
    line = _definition(module, value.id)
    return _constant(module, line.value) if line is not None else None


def _definition(module: SourceModule, name: str) -> ast.Assign | None:
    """The one assignment of a name at module level that has a line of its own."""
    bound = module.bindings(name, None)
    line = bound[0] if len(bound) == 1 else None
    if not isinstance(line, ast.Assign) or len(line.targets) != 1:
        return None
    whole = line in module.tree.body and not module.shares_line(line)
    return line if whole and isinstance(line.targets[0], ast.Name) else None


def _constant(module: SourceModule, value: ast.expr, depth: int = 0) -> int | None:
    """The value of an integer expression of module constants, None for anything else."""
    if isinstance(value, ast.Name) and depth < _DEEPEST:
        line = _definition(module, value.id)
        return _constant(module, line.value, depth + 1) if line is not None else None
    if isinstance(value, ast.BinOp) and depth < _DEEPEST:
        left, right = (_constant(module, one, depth + 1) for one in (value.left, value.right))
        if left is None or right is None:
            return None
        if isinstance(value.op, ast.Add):
            return left + right
        return left * right if isinstance(value.op, ast.Mult) else None
    return written_integer(value)


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


def _padded(module: SourceModule, function: ast.FunctionDef, inner: ast.expr) -> list[Edit] | None:
    """The edits of the last length: a number becomes the next one, a constant gets another one beside it.

    Numba takes names and numbers in the shape of a shared array, but no sums.
    """
    number = written_integer(inner)
    if number is not None:
        return [module.replaced(inner, str(number + 1))]
    line = _definition(module, inner.id) if isinstance(inner, ast.Name) else None
    if line is None or not isinstance(inner, ast.Name):
        return None
    wanted = f"PADDED_{inner.id}" if inner.id.isupper() else f"padded_{inner.id}"
    known = _definition(module, wanted)
    if known is not None and module.code_of(known.value) == f"{inner.id} + 1":
        return [module.replaced(inner, wanted)]
    (name,) = KernelBody(module, function).free_names(wanted)
    end = module.range_of(line)[1]
    behind = re.compile(r"[^\r\n]*").match(module.text, end)
    place = behind.end() if behind else end
    return [
        Edit(place, place, f"{module.line_end}{name} = {inner.id} + 1"),
        module.replaced(inner, name),
    ]
