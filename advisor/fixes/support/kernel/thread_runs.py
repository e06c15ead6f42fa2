"""Loops in which each thread walks a run of neighbouring elements of its own."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst

from advisor.fixes.place import Place
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


@dataclass(frozen=True)
class ThreadRun:
    """A loop over `length` elements from `cuda.grid(1) * length` on.

    `index` names the element's index; `line` computes the start, and is not needed any more; `product` is the
    index's expression where the loop runs over a `counter`.
    """

    loop: cst.For
    index: str
    grid: cst.BaseExpression
    length: cst.BaseExpression
    line: cst.CSTNode | None
    product: cst.CSTNode | None = None
    counter: str = ""


def run_around(place: Place, body: KernelBody) -> ThreadRun | None:
    """The run that the element at a finding is part of, None where it is part of none."""
    subscripts = place.within(cst.Subscript)
    for outer in around(place.module, subscripts[0], body.function) if subscripts else ():
        if isinstance(outer, cst.For):
            run = thread_run(body, outer)
            if run is not None and run.index in words_in(place.module, subscripts[0]):
                return run
    return None


def thread_run(body: KernelBody, loop: cst.For) -> ThreadRun | None:
    """The run that a loop walks, None for other loops and lengths that change."""
    if not isinstance(loop.target, cst.Name) or not isinstance(loop.iter, cst.Call):
        return None
    arguments = loop.iter.args
    plain = not any(one.keyword or one.star for one in arguments)
    if body.module.written(loop.iter.func) != "range" or not plain:
        return None
    values = [one.value for one in arguments]
    run = None
    if len(values) == 2:
        run = _from_start(body, loop, loop.target.value, values[0], values[1])
    elif len(values) == 1:
        run = _from_counter(body, loop, loop.target.value, values[0])
    if run is None or not only_computes(body.module, run.length):
        return None
    changed = words_in(body.module, run.length) & assigned_in(body.module, body.function.body)
    return None if changed else run


def _from_start(
    body: KernelBody, loop: cst.For, index: str, start: cst.BaseExpression, end: cst.BaseExpression
) -> ThreadRun | None:
    """`for i in range(start, start + N)` with `start = cuda.grid(1) * N`."""
    if not isinstance(end, cst.BinaryOperation) or not isinstance(end.operator, cst.Add):
        return None
    for first, length in ((end.left, end.right), (end.right, end.left)):
        if not same_code(body.module, first, start):
            continue
        if not isinstance(start, cst.Name):
            grid = _grid_of_product(body, start, length)
            return ThreadRun(loop, index, grid, length, None) if grid is not None else None
        value = value_of(body.module, body.function, start.value)
        grid = _grid_of_product(body, value, length) if value is not None else None
        uses = [one for one in names_in(body.module, body.function) if one.value == start.value]
        if grid is None or value is None or len(uses) != 3:
            return None
        return ThreadRun(loop, index, grid, length, _line_of(body, value))
    return None


def _from_counter(
    body: KernelBody, loop: cst.For, counter: str, length: cst.BaseExpression
) -> ThreadRun | None:
    """`for k in range(N)` with `i = cuda.grid(1) * N + k` as its first statement."""
    first = loop.body.body[0] if loop.body.body else None
    if not isinstance(first, cst.SimpleStatementLine) or len(first.body) != 1 or len(loop.body.body) < 2:
        return None
    line = first.body[0]
    if not isinstance(line, cst.Assign) or len(line.targets) != 1:
        return None
    target, value = line.targets[0].target, line.value
    if not isinstance(target, cst.Name) or not isinstance(value, cst.BinaryOperation):
        return None
    uses = [one for one in names_in(body.module, body.function) if one.value == counter]
    if not isinstance(value.operator, cst.Add) or len(uses) != 2:
        return None
    for product, last in ((value.left, value.right), (value.right, value.left)):
        if isinstance(last, cst.Name) and last.value == counter:
            grid = _grid_of_product(body, product, length)
            if grid is None:
                return None
            return ThreadRun(loop, target.value, grid, length, None, value, counter)
    return None


def _grid_of_product(
    body: KernelBody, product: cst.BaseExpression, length: cst.BaseExpression
) -> cst.BaseExpression | None:
    """The `cuda.grid(1)` of its product with a length; also by a name that is bound once."""
    if not isinstance(product, cst.BinaryOperation) or not isinstance(product.operator, cst.Multiply):
        return None
    for grid, factor in ((product.left, product.right), (product.right, product.left)):
        if same_code(body.module, factor, length):
            if isinstance(grid, cst.Name):
                grid = value_of(body.module, body.function, grid.value) or grid
            if grid_call(body.module, grid) == 1:
                return grid
    return None


def _line_of(body: KernelBody, value: cst.BaseExpression) -> cst.CSTNode | None:
    line = body.module.parent(value)
    above = body.module.parent(line) if line is not None else None
    return above if isinstance(above, cst.SimpleStatementLine) and len(above.body) == 1 else value
