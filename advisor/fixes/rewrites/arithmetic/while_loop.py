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

from dataclasses import dataclass

import libcst as cst

from advisor.fixes.place import Place
from advisor.fixes.support.edits.inserted_lines import end_with_comments
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.kernel.assigned_names import ARRAY_QUESTIONS, assigned_in, words_in
from advisor.fixes.support.kernel.kernel_body import KernelBody
from advisor.fixes.support.kernel.last_values import is_read_after
from advisor.fixes.support.kernel.thread_axes import cuda_attribute
from advisor.fixes.support.values.positive_steps import is_positive
from advisor.model.findings import Edit

_SIMPLE = (cst.Name, cst.Integer, cst.BinaryOperation, cst.UnaryOperation)


@dataclass(frozen=True)
class _Count:
    """What `for name in range(start, stop, step)` counts."""

    name: str
    start: str
    stop: cst.BaseExpression
    step: cst.BaseExpression | None


def edits(place: Place) -> list[Edit] | None:
    """The edits of the loop's head, the line before it and the one behind its body; None where the counter
    is read after the loop or assigned in it, or where the step may not be positive.
    """
    module, function = place.module, place.function()
    loop = _loop_at(place)
    if loop is None or function is None or not isinstance(function.body, cst.IndentedBlock):
        return None
    count = _count(module, function, loop)
    if count is None or is_read_after(module, function, loop, count.name):
        return None
    stop, step, before = _bounds(module, function, loop, count)
    if count.start != count.name:
        before.append(f"{count.name} = {count.start}")
    begin, end = module.range_of(loop)[0], module.range_of(loop.iter)[1]
    indent, line_end = module.indentation(loop), module.line_end
    head = "".join(f"{line}{line_end}{indent}" for line in before)
    last = loop.body.body[-1]
    behind = end_with_comments(module.text, module.range_of(last)[1], indent)
    return [
        Edit(begin, end, f"{head}while {count.name} < {stop}"),
        Edit(behind, behind, f"{line_end}{module.indentation(last)}{count.name} += {step}"),
    ]


def _bounds(
    module: SourceModule, function: cst.FunctionDef, loop: cst.For, count: _Count
) -> tuple[str, str, list[str]]:
    """The end and the step as they stand in the loop, and the lines before it that give them names."""
    texts, lines = [], []
    names = KernelBody(module, function).free_names(f"{count.name}_end", f"{count.name}_step")
    for name, bound in zip(names, (count.stop, count.step), strict=True):
        text = "1" if bound is None else module.code_of(bound)
        if bound is not None and not _stays(module, loop, bound):
            lines.append(f"{name} = {text}")
            text = name
        texts.append(text)
    return texts[0], texts[1], lines


def _loop_at(place: Place) -> cst.For | None:
    for loop in place.module.nodes_between(cst.For, place.begin, len(place.module.text)):
        if place.module.range_of(loop)[0] == place.begin:
            return loop
    return None


def _count(module: SourceModule, function: cst.FunctionDef, loop: cst.For) -> _Count | None:
    call, target = loop.iter, loop.target
    if not isinstance(target, cst.Name) or not _is_plain(module, loop, target.value):
        return None
    if not isinstance(call, cst.Call) or not _is_range(module, function, call):
        return None
    parts = [one.value for one in call.args]
    start, stop = parts[:2] if len(parts) > 1 else (None, parts[0])
    step = parts[2] if len(parts) > 2 else None
    if target.value in words_in(module, stop):
        return None
    if step is not None and not is_positive(module, function, step):
        return None
    return _Count(target.value, module.code_of(start) if start is not None else "0", stop, step)


def _is_plain(module: SourceModule, loop: cst.For, name: str) -> bool:
    """Whether each iteration comes to the end of the body or leaves the loop, and the body does not count."""
    if loop.asynchronous or loop.orelse or not isinstance(loop.body, cst.IndentedBlock):
        return False
    early = any(_loop_of(module, one) is loop for one in module.nodes_in(cst.Continue, loop.body))
    return not early and name not in assigned_in(module, loop.body)


def _loop_of(module: SourceModule, node: cst.CSTNode) -> cst.CSTNode | None:
    above = module.parent(node)
    while above is not None and not isinstance(above, cst.For | cst.While):
        above = module.parent(above)
    return above


def _is_range(module: SourceModule, function: cst.FunctionDef, call: cst.Call) -> bool:
    if module.written(call.func) != "range" or not 1 <= len(call.args) <= 3:
        return False
    own = module.bindings("range", None) or module.bindings("range", function)
    return not own and not any(one.keyword or one.star for one in call.args)


def _stays(module: SourceModule, loop: cst.For, bound: cst.BaseExpression) -> bool:
    """Whether an expression may be computed in each iteration: it costs nothing there and stays the same."""
    if words_in(module, bound) & assigned_in(module, loop):
        return False
    parts = module.nodes_in(cst.BaseExpression, bound)  # type: ignore[type-abstract]
    return all(isinstance(one, _SIMPLE) or _is_extent(one) or _is_fixed(module, one) for one in parts)


def _is_fixed(module: SourceModule, node: cst.CSTNode) -> bool:
    """Whether a node is an attribute that no store changes: of an array or of the launch, not of a record."""
    if not isinstance(node, cst.Attribute):
        return False
    of_launch = any(cuda_attribute(module, one) is not None for one in (node, node.value))
    return of_launch or node.attr.value in ARRAY_QUESTIONS


def _is_extent(node: cst.CSTNode) -> bool:
    """Whether a node is `….shape[…]`."""
    if not isinstance(node, cst.Subscript) or not isinstance(node.value, cst.Attribute):
        return False
    return node.value.attr.value == "shape"
