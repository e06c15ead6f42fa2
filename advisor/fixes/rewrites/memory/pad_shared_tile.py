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
from pathlib import Path

from advisor.fixes.known_facts import Row
from advisor.fixes.place import Place
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.kernel.assigned_names import value_of
from advisor.fixes.support.kernel.kernel_body import KernelBody
from advisor.fixes.support.kernel.largest_index import LargestIndex
from advisor.fixes.support.values.declared_arrays import declared_array
from advisor.fixes.support.values.integer_names import is_local
from advisor.model.findings import Edit
from advisor.program.names.workspace import Workspace
from advisor.program.syntax.literals import written_integer
from advisor.program.values.constants import Constants

_WORD = 4.0
# The size of an element that may be meant where it is not known.
_LARGEST_ITEM = 16


def edits(place: Place) -> list[Edit] | None:
    """The edit of the tile's shape; None where the conflict has another cause, or the padding might show."""
    kernel = place.kernel()
    rows = [row for row in place.rows("access") if _is_here(place, row)]
    names = {row.label for row in rows if row.values.get("space") == "shared"}
    if kernel is None or len(names) != 1 or len(names) != len({row.label for row in rows}):
        return None
    module, function = kernel
    tile = declared_array(module, function, names.pop(), "shared")
    if tile is None or len(tile.lengths) < 2:
        return None
    # Without a file nothing is read beside the text.
    constants = Constants(Workspace(Path()), module.syntax, function)
    known = [constants.value(one) for one in tile.lengths]
    lengths = [one for one in known if type(one) is int]
    if len(lengths) != len(known) or lengths[-1] % 2 or not _fits(place, rows, lengths):
        return None
    if not all(_steps_by_row(row, lengths[-1]) for row in rows):
        return None
    # An index of -1 is counted from the end of the row, and one past the end meets the next row.
    largest = LargestIndex(module, function, place.launches() or ())
    if not all(largest.lies_within(one, lengths[-1]) for *_, one in tile.elements):
        return None
    found = _padded(module, function, tile.lengths[-1])
    return place.in_file(module, found) if found else None


def _is_here(place: Place, row: Row) -> bool:
    known = float(row.values.get("bank_conflict_ways", 1.0)) > 1.0
    return row.path == place.finding.path and row.span == place.finding.span and known


def _steps_by_row(row: Row, inner: int) -> bool:
    """Whether neighbouring lanes are one row of the tile apart, in words of 4 bytes or more."""
    values = row.values
    wide = float(values.get("itemsize", _WORD)) >= _WORD
    return values.get("lane_axis") == "slow" and values.get("lane_stride") == inner and wide


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
    if not isinstance(inner, ast.Name) or is_local(module, function, inner.id):
        return None
    value = value_of(module, None, inner.id)
    line = module.statement_of(value) if value is not None else None
    if line is None or line not in module.tree.body or module.shares_line(line):
        return None
    wanted = f"PADDED_{inner.id}" if inner.id.isupper() else f"padded_{inner.id}"
    known = value_of(module, None, wanted)
    if known is not None and module.code_of(known) == f"{inner.id} + 1":
        return [module.replaced(inner, wanted)]
    (name,) = KernelBody(module, function).free_names(wanted)
    end = module.range_of(line)[1]
    behind = re.compile(r"[^\r\n]*").match(module.text, end)
    place = behind.end() if behind else end
    return [
        Edit(place, place, f"{module.line_end}{name} = {inner.id} + 1"),
        module.replaced(inner, name),
    ]
