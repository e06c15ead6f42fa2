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
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

from advisor.fixes.known_facts import Row
from advisor.fixes.place import Place
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.kernel.assigned_names import value_of, value_written
from advisor.fixes.support.kernel.kernel_body import KernelBody
from advisor.fixes.support.kernel.thread_axes import thread_index
from advisor.fixes.support.launches.launch_sites import LaunchSite
from advisor.fixes.support.values.declared_arrays import declared_array
from advisor.fixes.support.values.integer_names import is_local
from advisor.model.findings import Edit
from advisor.program.names.scope_names import parameter_names
from advisor.program.names.workspace import Workspace
from advisor.program.syntax.calls import range_bounds
from advisor.program.syntax.literals import written_integer
from advisor.program.syntax.module import FunctionNode
from advisor.program.values.constants import Constants

_WORD = 4.0
# The size of an element that may be meant where it is not known.
_LARGEST_ITEM = 16
_DEEPEST = 8
# The least and the greatest value.
_Range: TypeAlias = tuple[int, int]


def edits(place: Place) -> list[Edit] | None:
    """The edit of the tile's shape; None where the conflict has another cause, or the padding might show."""
    kernel = place.kernel()
    rows = [row for row in place.rows("access") if place.is_at(row) and _conflicts(row)]
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
    largest = _LargestIndex(module, function, place.launches() or ())
    if not all(largest.lies_within(one, lengths[-1]) for *_, one in tile.elements):
        return None
    found = _padded(module, function, tile.lengths[-1])
    return place.in_file(module, found) if found else None


def _conflicts(row: Row) -> bool:
    return float(row.values.get("bank_conflict_ways", 1.0)) > 1.0


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


class _LargestIndex:
    """Ranges of the whole numbers in a kernel: `sites` are the launches."""

    def __init__(self, module: SourceModule, function: FunctionNode, sites: Sequence[LaunchSite]) -> None:
        self.module, self.function, self.sites = module, function, sites

    def lies_within(self, node: ast.expr, length: int) -> bool:
        """Whether an index is known to be from 0 to one less than a length."""
        found = self._range(node, _DEEPEST)
        return found is not None and found[0] >= 0 and found[1] < length

    def _range(self, node: ast.expr, depth: int) -> _Range | None:
        if depth == 0:
            return None
        number = written_integer(node)
        if number is not None:
            return number, number
        if isinstance(node, ast.Name):
            return self._named(node.id, depth - 1)
        place = thread_index(self.module, node)
        if place is not None:
            return self._thread(*place)
        if isinstance(node, ast.BinOp):
            left, right = self._range(node.left, depth - 1), self._range(node.right, depth - 1)
            return _computed(node.op, left, right)
        return None

    def _named(self, name: str, depth: int) -> _Range | None:
        if name in parameter_names(self.function):
            return None
        bound = self.module.bindings(name, self.function)
        if not bound:
            bound = self.module.bindings(name, None)
            if len(bound) != 1:
                return None
        return _around([self._bound(one, name, depth) for one in bound])

    def _bound(self, node: ast.AST, name: str, depth: int) -> _Range | None:
        if isinstance(node, ast.For):
            return self._counted(node, depth)
        value = value_written(self.module, node, name)
        return self._range(value, depth) if value is not None else None

    def _counted(self, loop: ast.For, depth: int) -> _Range | None:
        """The range of the counter of a loop over `range(…)`."""
        if not isinstance(loop.target, ast.Name):
            return None
        bounds = [self._range(one, depth) for one in range_bounds(loop) or ()]
        if not bounds:
            return None
        steps = bounds[2] if len(bounds) > 2 else (1, 1)
        first = bounds[0] if len(bounds) > 1 else (0, 0)
        last = bounds[1] if len(bounds) > 1 else bounds[0]
        if first is None or last is None or steps is None or steps[0] < 1:
            return None
        return first[0], max(last[1] - 1, first[0])

    def _thread(self, kind: str, axis: str) -> _Range | None:
        """The range of `threadIdx.x` and the like, where all launches tell the block's size."""
        if kind not in ("threadIdx", "blockDim") or not self.sites:
            return None
        sizes = [one.row.block["xyz".index(axis)] for one in self.sites]
        known = [one for one in sizes if one is not None]
        if len(known) != len(sizes):
            return None
        return (0, max(known) - 1) if kind == "threadIdx" else (min(known), max(known))


def _computed(operator: ast.operator, left: _Range | None, right: _Range | None) -> _Range | None:
    if isinstance(operator, ast.Mod) and right is not None and right[0] > 0:
        # Python's remainder has the sign of the divisor.
        return 0, right[1] - 1
    if left is None or right is None or left[0] < 0 or right[0] < 0:
        return None
    if isinstance(operator, ast.Add):
        return left[0] + right[0], left[1] + right[1]
    if isinstance(operator, ast.Mult):
        return left[0] * right[0], left[1] * right[1]
    if isinstance(operator, ast.Sub) and left[0] >= right[1]:
        return left[0] - right[1], left[1] - right[0]
    if isinstance(operator, ast.FloorDiv) and right[0] > 0:
        return left[0] // right[1], left[1] // right[0]
    return None


def _around(ranges: Sequence[_Range | None]) -> _Range | None:
    known = [one for one in ranges if one is not None]
    if not known or len(known) != len(ranges):
        return None
    return min(one[0] for one in known), max(one[1] for one in known)
