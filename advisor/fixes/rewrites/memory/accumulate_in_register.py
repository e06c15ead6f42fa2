"""Adds up in a local variable where a loop updates one element of global memory, and stores it once."""

# /// fix
# title = "Add up in a register and store once"
# safety = "needs review"
# rules = ["global-accumulation-in-loop"]
# needs_kernel = true
# condition = """
# no other array overlaps this one, no other thread uses the element meanwhile, indices are not negative, \
# and the element exists even where the loop has no iterations; the elements are floating-point, or integers \
# with integer terms. Terms of a wider type make the sum wider too: it is then rounded once at the end \
# instead of at each step"""
# ///

from __future__ import annotations

import ast
from dataclasses import dataclass

from advisor.fixes.place import Place
from advisor.fixes.support.edits.imported_names import name_of
from advisor.fixes.support.edits.inserted_lines import line_before, line_behind
from advisor.fixes.support.host.argument_arrays import argument_array
from advisor.fixes.support.host.same_memory import may_overlap
from advisor.fixes.support.host.source_effects import is_used_otherwise
from advisor.fixes.support.kernel.assigned_names import (
    around,
    assigned_in,
    indices_of,
    only_computes,
    same_code,
    words_in,
)
from advisor.fixes.support.kernel.kernel_body import HIDDEN_FLOW, KernelBody, own_kernel
from advisor.fixes.support.kernel.walked_kernel import element_indices, is_positive
from advisor.fixes.support.values.array_uses import array_elements
from advisor.fixes.support.values.joint_work import needs_all_threads
from advisor.model.findings import Edit

_NAMES = {ast.Add: "total", ast.Sub: "total", ast.Mult: "product"}
# With these in the loop a thread may leave it without coming to the store, or the code is not its own.
_REFUSED: tuple[type[ast.AST], ...] = (ast.Return, *HIDDEN_FLOW)
# Constants that float32 holds exactly, as an array would.
_EXACT = ("0", "0.0", "0.", "1", "1.0", "1.")


@dataclass(frozen=True)
class _Sum:
    """An update of an element, the outermost loop that keeps its index, and the element's uses in it."""

    update: ast.AugAssign
    element: ast.Subscript
    array: str
    loop: ast.For | ast.While
    uses: tuple[ast.Subscript, ...]


def edits(place: Place) -> list[Edit] | None:
    """The edits of the loop, the start before it and the store behind it; None where another use of the array
    in the loop may need the sum in memory.
    """
    body = own_kernel(place)
    update = _update(place)
    if body is None or update is None or _shared_by_threads(place):
        return None
    found = _sum(body, update)
    if found is None or is_used_otherwise(body.module, body.function, found.array, changed=False):
        return None
    if any(may_overlap(one, body.parameters.index(found.array)) for one in place.launches() or ()):
        return None
    start = _start(body, found)
    if start is None and not _surely_updates(body, found):
        return None
    (name,) = body.free_names(_NAMES[type(update.op)])
    return [
        _first(place, body, found, name, start),
        *(body.module.replaced(one, name) for one in found.uses),
        line_behind(body.module, found.loop, f"{body.module.code_of(found.element)} = {name}"),
    ]


def _update(place: Place) -> ast.AugAssign | None:
    for node in place.module.nodes(ast.AugAssign):
        begin, end = place.module.range_of(node)
        target = place.module.range_of(node.target)
        if (place.begin, place.end) in ((begin, end), target) and type(node.op) in _NAMES:
            return node
    return None


def _shared_by_threads(place: Place) -> bool:
    """Whether several threads update the element: their sums are then lost in another way than before."""
    here = filter(place.is_at, place.rows("access"))
    return any(
        (row.values.get("thread_independent") or row.values.get("data_dependent"))
        and not row.values.get("single_thread")
        for row in here
    )


def _sum(body: KernelBody, update: ast.AugAssign) -> _Sum | None:
    element, module = update.target, body.module
    if not isinstance(element, ast.Subscript) or not isinstance(element.value, ast.Name):
        return None
    indices, array = indices_of(element), element.value.id
    if indices is None or not all(only_computes(module, one) for one in indices):
        return None
    index_names = {name for one in indices for name in words_in(module, one)}
    loop: ast.For | ast.While | None = None
    for outer in around(module, update, body.function):
        if isinstance(outer, _REFUSED):
            return None
        if isinstance(outer, ast.For | ast.While):
            if (index_names | {array}) & assigned_in(module, outer) or outer.orelse:
                break
            loop = outer
    if loop is None or any(True for _ in module.nodes_in(_REFUSED, loop)):
        return None
    if array not in body.parameters or needs_all_threads(module, loop):
        return None
    uses = _uses(body, loop, element, array)
    return _Sum(update, element, array, loop, uses) if uses else None


def _uses(
    body: KernelBody, loop: ast.AST, element: ast.Subscript, array: str
) -> tuple[ast.Subscript, ...] | None:
    """The places in a loop that are the element; None where the array is used in a way that may be it."""
    uses = array_elements(body.module, loop, array)
    if uses is None:
        return None
    alike = tuple(one for one in uses if same_code(body.module, one, element))
    apart = all(_are_different(body, element, one) for one in uses if one not in alike)
    return alike if apart else None


def _are_different(body: KernelBody, one: ast.Subscript, other: ast.Subscript) -> bool:
    """Whether an element whose index does not change in a loop, and another that is used in the loop, are not
    the same one, provided no index is negative.
    """
    first, second = (element_indices(body.module, body.function, node) for node in (one, other))
    differences = [left - right for left, right in zip(first or (), second or (), strict=False)]
    return any(is_positive(one) or is_positive(-one) for one in differences)


def _start(body: KernelBody, found: _Sum) -> ast.Assign | None:
    """The assignment that gives the element its first value, among the simple ones just before the loop."""
    statements = body.module.block_of(found.loop)
    for line in reversed(statements[: statements.index(found.loop)]):
        if not isinstance(line, ast.Assign) or body.module.shares_line(line):
            return None
        if len(line.targets) == 1 and same_code(body.module, line.targets[0], found.element):
            return line
        if words_in(body.module, line) & words_in(body.module, found.element):
            return None
        if any(True for _ in body.module.nodes_in(ast.Call, line)):
            return None
    return None


def _surely_updates(body: KernelBody, found: _Sum) -> bool:
    """Whether the loop's updates stand under no condition that could keep the thread off the element."""
    inside = assigned_in(body.module, found.loop)
    for outer in around(body.module, found.update, found.loop):
        if isinstance(outer, ast.While):
            return False
        if isinstance(outer, ast.If) and not words_in(body.module, outer.test) <= inside:
            return False
    return isinstance(found.loop, ast.For)


def _first(place: Place, body: KernelBody, found: _Sum, name: str, start: ast.Assign | None) -> Edit:
    """The edit that gives the local its first value: a constant of the array's type where that is known, else
    the element.
    """
    module = body.module
    value = module.code_of(start.value) if start is not None else ""
    if start is not None and value in _EXACT:
        position, numpy = body.parameters.index(found.array), name_of(module, "numpy")
        types = {argument_array(site, position).dtype for site in place.launches() or ()}
        if numpy and types in ({"float32"}, {"float64"}):
            return module.replaced(start, f"{name} = {numpy}.{types.pop()}({value})")
    return line_before(module, found.loop, f"{name} = {module.code_of(found.element)}")
