"""Writes a `for` over `range` as a `while` that counts."""

# /// fix
# title = "Count in a `while` loop"
# safety = "needs review"
# rules = ["range-loop"]
# condition = """
# the bounds of the range are signed integers (for unsigned ones of 64 bits NumPy's rules make other types \
# of sums with the counter)"""
# phase = 3
# ///

from __future__ import annotations

import ast
from dataclasses import dataclass

from advisor.evidence.source.kernel_walk.kernel_facts import Scalar
from advisor.fixes.place import Place
from advisor.fixes.support.edits.inserted_lines import end_with_comments
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.kernel.assigned_names import ARRAY_QUESTIONS, assigned_in, words_in
from advisor.fixes.support.kernel.kernel_body import KernelBody
from advisor.fixes.support.kernel.last_values import is_read_after
from advisor.fixes.support.kernel.thread_axes import cuda_attribute
from advisor.fixes.support.kernel.walked_kernel import is_positive, value_at
from advisor.model.findings import Edit
from advisor.program.syntax.calls import range_bounds
from advisor.program.syntax.literals import written_integer
from advisor.program.syntax.statement_places import StatementPlaces

_SIMPLE = (ast.Name, ast.BinOp, ast.UnaryOp)


@dataclass(frozen=True)
class _Count:
    """What `for name in range(start, stop, step)` counts."""

    name: str
    start: str
    stop: ast.expr
    step: ast.expr | None


def edits(place: Place) -> list[Edit] | None:
    """The edits of the loop's head, the line before it and the one behind its body; None where the counter
    is read after the loop or assigned in it, or where the step may not be positive.
    """
    module, function = place.module, place.function()
    loop = _loop_at(place)
    if loop is None or function is None or module.on_header_line(function):
        return None
    count = _count(module, function, loop)
    if count is None or is_read_after(module, function, loop, count.name):
        return None
    stop, step, before = _bounds(module, function, loop, count)
    if count.start != count.name:
        before.append(f"{count.name} = {count.start}")
    begin, end = module.range_of(loop)[0], module.outer_range(loop.iter)[1]
    indent, line_end = module.indentation(loop), module.line_end
    head = "".join(f"{line}{line_end}{indent}" for line in before)
    last = loop.body[-1]
    behind = end_with_comments(module.text, module.range_of(last)[1], indent)
    return [
        Edit(begin, end, f"{head}while {count.name} < {stop}"),
        Edit(behind, behind, f"{line_end}{module.indentation(last)}{count.name} += {step}"),
    ]


def _bounds(
    module: SourceModule, function: ast.FunctionDef, loop: ast.For, count: _Count
) -> tuple[str, str, list[str]]:
    """The end and the step as they stand in the loop, and the lines before it that give them names."""
    texts, lines = [], []
    names = KernelBody(module, function).free_names(f"{count.name}_end", f"{count.name}_step")
    for name, bound in zip(names, (count.stop, count.step), strict=True):
        text = "1" if bound is None else module.outer_code_of(bound)
        if bound is not None and not _stays(module, loop, bound):
            lines.append(f"{name} = {text}")
            text = name
        texts.append(text)
    return texts[0], texts[1], lines


def _loop_at(place: Place) -> ast.For | None:
    for loop in place.module.nodes_between(ast.For, place.begin, len(place.module.text)):
        if place.module.range_of(loop)[0] == place.begin:
            return loop
    return None


def _count(module: SourceModule, function: ast.FunctionDef, loop: ast.For) -> _Count | None:
    target, parts = loop.target, range_bounds(loop)
    if parts is None or not isinstance(target, ast.Name) or not _is_plain(module, function, loop, target.id):
        return None
    if module.bindings("range", None) or module.bindings("range", function):
        return None
    start, stop = parts[:2] if len(parts) > 1 else (None, parts[0])
    step = parts[2] if len(parts) > 2 else None
    if target.id in words_in(module, stop):
        return None
    value = value_at(module, function, step) if step is not None else None
    if step is not None and not (isinstance(value, Scalar) and is_positive(value.form)):
        return None
    return _Count(target.id, module.outer_code_of(start) if start is not None else "0", stop, step)


def _is_plain(module: SourceModule, function: ast.FunctionDef, loop: ast.For, name: str) -> bool:
    """Whether each iteration comes to the end of the body or leaves the loop, and the body does not count."""
    if loop.orelse or module.on_header_line(loop):
        return False
    early = StatementPlaces(function.body).is_left_by(loop, ast.Continue)
    return not early and name not in assigned_in(module, loop.body)


def _stays(module: SourceModule, loop: ast.For, bound: ast.expr) -> bool:
    """Whether an expression may be computed in each iteration: it costs nothing there and stays the same."""
    if words_in(module, bound) & assigned_in(module, loop):
        return False
    return all(
        isinstance(one, _SIMPLE)
        or written_integer(one) is not None
        or _is_extent(one)
        or _is_fixed(module, one)
        for one in module.nodes_in(ast.expr, bound)
    )


def _is_fixed(module: SourceModule, node: ast.expr) -> bool:
    """Whether a node is an attribute that no store changes: of an array or of the launch, not of a record."""
    if not isinstance(node, ast.Attribute):
        return False
    of_launch = any(cuda_attribute(module, one) is not None for one in (node, node.value))
    return of_launch or node.attr in ARRAY_QUESTIONS


def _is_extent(node: ast.expr) -> bool:
    """Whether a node is `….shape[…]`."""
    return (
        isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Attribute)
        and (node.value.attr == "shape")
    )
