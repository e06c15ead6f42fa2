"""Adds up in a local variable where a loop updates one element of global memory, and stores it once."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst

from advisor.fixes.place import Place
from advisor.fixes.support.edits.imported_names import name_of
from advisor.fixes.support.edits.inserted_lines import line_before, line_behind
from advisor.fixes.support.host.same_memory import may_overlap
from advisor.fixes.support.host.source_effects import is_used_otherwise
from advisor.fixes.support.kernel.assigned_names import (
    ARRAY_QUESTIONS,
    around,
    assigned_in,
    indices_of,
    names_in,
    only_computes,
    same_code,
    words_in,
)
from advisor.fixes.support.kernel.kernel_body import KernelBody, own_kernel
from advisor.fixes.support.values.different_elements import surely_different
from advisor.fixes.support.values.parameter_types import float_type
from advisor.model.findings import Edit

_NAMES = {cst.AddAssign: "total", cst.SubtractAssign: "total", cst.MultiplyAssign: "product"}
# With these in the loop a thread may leave it without coming to the store, or the code is not its own.
_REFUSED: tuple[type[cst.CSTNode], ...] = (
    cst.Return, cst.Raise, cst.Assert, cst.Try, cst.With, cst.Lambda, cst.FunctionDef, cst.BaseComp, cst.Del,
    cst.NamedExpr, cst.Yield,
)  # fmt: skip
# Constants that float32 holds exactly, as an array would.
_EXACT = ("0", "0.0", "0.", "1", "1.0", "1.")


@dataclass(frozen=True)
class _Sum:
    """An update of an element, the outermost loop that keeps its index, and the element's uses in it."""

    update: cst.AugAssign
    element: cst.Subscript
    array: str
    loop: cst.For | cst.While
    uses: tuple[cst.Subscript, ...]


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
    (name,) = body.free_names(_NAMES[type(update.operator)])
    return [
        _first(place, body, found, name, start),
        *(body.module.replaced(one, name) for one in found.uses),
        line_behind(body.module, found.loop, f"{body.module.code_of(found.element)} = {name}"),
    ]


def _update(place: Place) -> cst.AugAssign | None:
    for node in place.module.nodes(cst.AugAssign):
        begin, end = place.module.range_of(node)
        target = place.module.range_of(node.target)
        if (place.begin, place.end) in ((begin, end), target) and type(node.operator) in _NAMES:
            return node
    return None


def _shared_by_threads(place: Place) -> bool:
    """Whether several threads update the element: their sums are then lost in another way than before."""
    here = [row for row in place.rows("access") if (row.path, row.span) == (place.finding.path, place.span)]
    return any(
        (row.values.get("thread_independent") or row.values.get("data_dependent"))
        and not row.values.get("single_thread")
        for row in here
    )


def _sum(body: KernelBody, update: cst.AugAssign) -> _Sum | None:
    element, module = update.target, body.module
    if not isinstance(element, cst.Subscript) or not isinstance(element.value, cst.Name):
        return None
    indices, array = indices_of(element), element.value.value
    if indices is None or not all(only_computes(module, one) for one in indices):
        return None
    index_names = {name for one in indices for name in words_in(module, one)}
    loop: cst.For | cst.While | None = None
    for outer in around(module, update, body.function):
        if isinstance(outer, _REFUSED):
            return None
        if isinstance(outer, cst.For | cst.While):
            if (index_names | {array}) & assigned_in(module, outer) or outer.orelse is not None:
                break
            loop = outer
    if loop is None or any(True for kind in _REFUSED for _ in module.nodes_in(kind, loop)):
        return None
    if array not in body.parameters or _barrier_in(body, loop):
        return None
    uses = _uses(body, loop, element, array)
    return _Sum(update, element, array, loop, uses) if uses else None


def _barrier_in(body: KernelBody, loop: cst.CSTNode) -> bool:
    """Whether threads wait for each other in a loop: another one may look at the element there."""
    called = (body.module.written(call.func) for call in body.module.nodes_in(cst.Call, loop))
    return any("sync" in name or "threadfence" in name for name in called)


def _uses(
    body: KernelBody, loop: cst.CSTNode, element: cst.Subscript, array: str
) -> tuple[cst.Subscript, ...] | None:
    """The places in a loop that are the element; None where the array is used in a way that may be it."""
    found: list[cst.Subscript] = []
    for name in names_in(body.module, loop):
        if name.value != array:
            continue
        above = body.module.parent(name)
        if isinstance(above, cst.Subscript) and above.value is name:
            if same_code(body.module, above, element):
                found.append(above)
            elif not surely_different(body, loop, element, above):
                return None
        elif not (isinstance(above, cst.Attribute) and above.attr.value in ARRAY_QUESTIONS):
            return None
    return tuple(found)


def _start(body: KernelBody, found: _Sum) -> cst.SimpleStatementLine | None:
    """The statement that gives the element its first value, among the simple ones just before the loop."""
    block = body.module.parent(found.loop)
    statements = block.body if isinstance(block, cst.IndentedBlock) else ()
    before = statements[: statements.index(found.loop)] if found.loop in statements else ()
    for line in reversed(before):
        if not isinstance(line, cst.SimpleStatementLine) or len(line.body) != 1:
            return None
        statement = line.body[0]
        if isinstance(statement, cst.Assign) and len(statement.targets) == 1:
            target = statement.targets[0].target
            if same_code(body.module, target, found.element):
                return line
        if words_in(body.module, line) & words_in(body.module, found.element):
            return None
        if not isinstance(statement, cst.Assign) or any(True for _ in body.module.nodes_in(cst.Call, line)):
            return None
    return None


def _surely_updates(body: KernelBody, found: _Sum) -> bool:
    """Whether the loop's updates stand under no condition that could keep the thread off the element."""
    inside = assigned_in(body.module, found.loop)
    for outer in around(body.module, found.update, found.loop):
        if isinstance(outer, cst.While):
            return False
        if isinstance(outer, cst.If) and not words_in(body.module, outer.test) <= inside:
            return False
    return isinstance(found.loop, cst.For)


def _first(
    place: Place, body: KernelBody, found: _Sum, name: str, start: cst.SimpleStatementLine | None
) -> Edit:
    """The edit that gives the local its first value: a constant of the array's type where that is known, else
    the element.
    """
    module = body.module
    if start is not None:
        value = start.body[0].value if isinstance(start.body[0], cst.Assign) else None
        dtype, numpy = float_type(place, body, found.array), name_of(module, "numpy")
        if value is not None and dtype and numpy and module.written(value) in _EXACT:
            return module.replaced(start, f"{name} = {numpy}.{dtype}({module.written(value)})")
    return line_before(module, found.loop, f"{name} = {module.code_of(found.element)}")
