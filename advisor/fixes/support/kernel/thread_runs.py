"""Loops in which each thread walks a run of neighbouring elements of its own."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from advisor.fixes.place import Place
from advisor.fixes.support.edits.inserted_lines import without_line
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.kernel.assigned_names import (
    around,
    assigned_in,
    names_in,
    only_computes,
    same_code,
    value_of,
    words_in,
)
from advisor.fixes.support.kernel.kernel_body import KernelBody
from advisor.fixes.support.kernel.thread_axes import grid_call
from advisor.model.findings import Edit
from advisor.program.syntax.calls import range_bounds


@dataclass(frozen=True)
class ThreadRun:
    """A loop over `length` elements from `cuda.grid(1) * length` on.

    `index` names the element's index; `line` computes the start, and is not needed any more; `product` is the
    index's expression where the loop runs over a `counter`.
    """

    loop: ast.For
    index: str
    grid: ast.expr
    length: ast.expr
    line: ast.stmt | None
    product: ast.expr | None = None
    counter: str = ""

    def without_start(self, module: SourceModule) -> list[Edit] | None:
        """The edits that remove the line that computes the start, none where there is none; None where a
        comment stands on it as well.
        """
        removed = without_line(module, self.line) if self.line is not None else None
        return [removed] if removed else [] if self.line is None else None


def run_around(place: Place, body: KernelBody) -> ThreadRun | None:
    """The run that the element at a finding is part of, None where it is part of none."""
    subscripts = place.within(ast.Subscript)
    for outer in around(place.module, subscripts[0], body.function) if subscripts else ():
        if isinstance(outer, ast.For):
            run = thread_run(body, outer)
            if run is not None and run.index in words_in(place.module, subscripts[0]):
                return run
    return None


def thread_run(body: KernelBody, loop: ast.For) -> ThreadRun | None:
    """The run that a loop walks, None for other loops and lengths that change."""
    values = range_bounds(loop)
    if values is None or not isinstance(loop.target, ast.Name):
        return None
    run = None
    if len(values) == 2:
        run = _from_start(body, loop, loop.target.id, values[0], values[1])
    elif len(values) == 1:
        run = _from_counter(body, loop, loop.target.id, values[0])
    if run is None or not only_computes(body.module, run.length):
        return None
    changed = words_in(body.module, run.length) & assigned_in(body.module, body.function.body)
    return None if changed else run


def _from_start(
    body: KernelBody, loop: ast.For, index: str, start: ast.expr, end: ast.expr
) -> ThreadRun | None:
    """`for i in range(start, start + N)` with `start = cuda.grid(1) * N`."""
    if not isinstance(end, ast.BinOp) or not isinstance(end.op, ast.Add):
        return None
    for first, length in ((end.left, end.right), (end.right, end.left)):
        if not same_code(body.module, first, start):
            continue
        if not isinstance(start, ast.Name):
            grid = _grid_of_product(body, start, length)
            return ThreadRun(loop, index, grid, length, None) if grid is not None else None
        value = value_of(body.module, body.function, start.id)
        grid = _grid_of_product(body, value, length) if value is not None else None
        uses = [one for one in names_in(body.module, body.function) if one.id == start.id]
        if grid is None or value is None or len(uses) != 3:
            return None
        return ThreadRun(loop, index, grid, length, body.module.statement_of(value))
    return None


def _from_counter(body: KernelBody, loop: ast.For, counter: str, length: ast.expr) -> ThreadRun | None:
    """`for k in range(N)` with `i = cuda.grid(1) * N + k` as its first statement."""
    line = loop.body[0]
    if not isinstance(line, ast.Assign) or len(line.targets) != 1 or len(loop.body) < 2:
        return None
    target, value = line.targets[0], line.value
    if not isinstance(target, ast.Name) or not isinstance(value, ast.BinOp):
        return None
    uses = [one for one in names_in(body.module, body.function) if one.id == counter]
    if not isinstance(value.op, ast.Add) or len(uses) != 2:
        return None
    for product, last in ((value.left, value.right), (value.right, value.left)):
        if isinstance(last, ast.Name) and last.id == counter:
            grid = _grid_of_product(body, product, length)
            if grid is None:
                return None
            return ThreadRun(loop, target.id, grid, length, None, value, counter)
    return None


def _grid_of_product(body: KernelBody, product: ast.expr, length: ast.expr) -> ast.expr | None:
    """The `cuda.grid(1)` of its product with a length; also by a name that is bound once."""
    if not isinstance(product, ast.BinOp) or not isinstance(product.op, ast.Mult):
        return None
    for grid, factor in ((product.left, product.right), (product.right, product.left)):
        if same_code(body.module, factor, length):
            if isinstance(grid, ast.Name):
                grid = value_of(body.module, body.function, grid.id) or grid
            if grid_call(body.module, grid) == 1:
                return grid
    return None
