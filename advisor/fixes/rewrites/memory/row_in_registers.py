"""Loads a short row once before the outer of two loops that reads it again in each iteration."""

# /// fix
# title = "Load the row once before the loop, into a local array"
# phase = 3
# safety = "needs review"
# rules = ["row-loaded-again"]
# needs_kernel = true
# condition = """
# no array that the loop stores to overlaps this one, no other thread changes the elements meanwhile, and \
# they exist even where the loop has no iterations"""
# ///

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TypeGuard

from advisor.fixes.place import Place
from advisor.fixes.rewrites.memory.hoist_loop_invariant import (
    CONDITIONS,
    elements_like,
    keeps_elements,
    may_be_a_record,
    may_change,
)
from advisor.fixes.support.edits.cuda_name import cuda_text
from advisor.fixes.support.kernel.assigned_names import (
    around,
    assigned_in,
    indices_of,
    names_in,
    only_computes,
    same_code,
    value_of,
    words_in,
)
from advisor.fixes.support.kernel.kernel_body import KernelBody, own_kernel
from advisor.fixes.support.values.integer_names import is_local
from advisor.model.findings import Edit
from advisor.program.syntax.calls import range_bounds
from advisor.program.syntax.literals import written_integer


@dataclass(frozen=True)
class _Walk:
    """`for counter in range(count)` around an element, and the outermost loop in which the row stays."""

    inner: ast.For
    counter: str
    count: ast.expr
    outer: ast.For | ast.While


def edits(place: Place) -> list[Edit] | None:
    """The edits of the loads and the lines that fill a local array before the outer loop.

    None where something in it may change the elements or keep a thread off them, and where the row's length
    is no constant.
    """
    body, element = own_kernel(place), place.exactly(ast.Subscript)
    if body is None or element is None or not isinstance(element.value, ast.Name):
        return None
    indices, cuda = indices_of(element), cuda_text(place.module)
    if indices is None or cuda is None or not all(only_computes(place.module, one) for one in indices):
        return None
    walk = _walk(body, element)
    if walk is None or may_be_a_record(body, element) or not _only_counts(body, walk.counter):
        return None
    uses = elements_like(body, walk.outer, element)
    if not uses or element.value.id not in body.parameters or may_change(place, body, element):
        return None
    return _edits(body, walk, element, [one for one in uses if _is_walked(body, walk, one)], cuda)


def _edits(
    body: KernelBody, walk: _Walk, element: ast.Subscript, uses: list[ast.Subscript], cuda: str
) -> list[Edit]:
    module, array = body.module, body.module.code_of(element.value)
    (row,) = body.free_names(f"{array}_row")
    lines = [
        f"{row} = {cuda}.local.array({module.code_of(walk.count)}, {array}.dtype)",
        f"for {walk.counter} in range({module.code_of(walk.count)}):",
        f"{body.step}{row}[{walk.counter}] = {module.code_of(element)}",
    ]
    begin, _ = module.range_of(walk.outer)
    end = module.line_end + module.indentation(walk.outer)
    first = Edit(begin, begin, "".join(f"{line}{end}" for line in lines))
    return [first, *(module.replaced(one, f"{row}[{walk.counter}]") for one in uses)]


def _walk(body: KernelBody, element: ast.Subscript) -> _Walk | None:
    """The loop whose counter walks over the row, and the outermost one in which nothing else of its index
    changes and each iteration comes to the loads.
    """
    inner: ast.For | None = None
    counter, found, names = "", None, words_in(body.module, element)
    for outer in around(body.module, element, body.function):
        if isinstance(outer, ast.For) and inner is None:
            if not isinstance(outer.target, ast.Name) or outer.target.id not in names:
                return None
            inner, counter = outer, outer.target.id
            if not keeps_elements(body, inner, names - {counter}, element) or _changes(body, inner, counter):
                return None
        elif isinstance(outer, ast.For | ast.While):
            if inner is None or not keeps_elements(body, outer, names - {counter}, element):
                break
            found = outer
        if isinstance(outer, CONDITIONS):
            break
    count = _constant_count(body, inner) if inner is not None else None
    return _Walk(inner, counter, count, found) if inner and found is not None and count is not None else None


def _changes(body: KernelBody, loop: ast.For, counter: str) -> bool:
    return counter in assigned_in(body.module, loop.body)


def _constant_count(body: KernelBody, loop: ast.For) -> ast.expr | None:
    """The n of `range(n)` where that is a number, or a constant of the module."""
    bounds = range_bounds(loop) or []
    count = bounds[0] if len(bounds) == 1 else None
    if not isinstance(count, ast.Name):
        return count if written_integer(count) is not None else None
    known = written_integer(value_of(body.module, None, count.id)) is not None
    return count if known and not is_local(body.module, body.function, count.id) else None


def _only_counts(body: KernelBody, counter: str) -> bool:
    """Whether a name is nothing but the counter of loops in which it is used."""
    return counter not in body.parameters and all(
        any(_counts(one, counter) for one in around(body.module, name, body.function))
        for name in names_in(body.module, body.function.body)
        if name.id == counter
    )


def _counts(loop: ast.AST, counter: str) -> TypeGuard[ast.For]:
    return isinstance(loop, ast.For) and isinstance(loop.target, ast.Name) and loop.target.id == counter


def _is_walked(body: KernelBody, walk: _Walk, use: ast.Subscript) -> bool:
    """Whether an element that is written as the row's stands in a loop that walks over the row likewise."""
    for outer in around(body.module, use, walk.outer):
        if _counts(outer, walk.counter):
            alike = same_code(body.module, outer.iter, walk.inner.iter)
            return alike and not _changes(body, outer, walk.counter)
    return False
