"""Loads an element once before a loop that reads it in each iteration."""

from __future__ import annotations

import libcst as cst

from advisor.fixes.place import Place
from advisor.fixes.support.edits.inserted_lines import line_before
from advisor.fixes.support.host.same_memory import overlaps_written
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
from advisor.fixes.support.values.joint_work import needs_all_threads
from advisor.model.findings import Edit

# Between the loop and the load these may keep a thread off the element.
CONDITIONS: tuple[type[cst.CSTNode], ...] = (
    cst.If, cst.IfExp, cst.BooleanOperation, cst.While, cst.Try, cst.With, cst.Lambda, cst.BaseComp,
    cst.Match, cst.FunctionDef,
)  # fmt: skip
_OF_NUMBERS = ("abs", "min", "max", "int", "float", "round", "range")
# With these in the loop a thread may leave it, or start the next iteration, before it comes to the load.
_LEAVING: tuple[type[cst.CSTNode], ...] = (
    cst.Break, cst.Continue, cst.Return, cst.Raise, cst.Assert, cst.Del,
)  # fmt: skip


def edits(place: Place) -> list[Edit] | None:
    """The edits of the load and the line before the outermost loop in which nothing changes its index; None
    where something in the loop may change the element or keep a thread off it.
    """
    body = own_kernel(place)
    element = place.exactly(cst.Subscript)
    if body is None or element is None or not isinstance(element.value, cst.Name):
        return None
    indices = indices_of(element)
    if indices is None or not all(only_computes(place.module, one) for one in indices):
        return None
    loop = _loop(body, element)
    uses = elements_like(body, loop, element) if loop is not None else None
    if loop is None or not uses or may_be_a_record(body, element) or may_change(place, body, element):
        return None
    (name,) = body.free_names(f"{element.value.value}_element")
    first = line_before(body.module, loop, f"{name} = {body.module.code_of(element)}")
    return [first, *(body.module.replaced(one, name) for one in uses)]


def _loop(body: KernelBody, element: cst.Subscript) -> cst.For | None:
    """The outermost loop in which the element's index stays and each iteration comes to the load."""
    names = words_in(body.module, element)
    found = None
    for outer in around(body.module, element, body.function):
        if isinstance(outer, CONDITIONS):
            break
        if isinstance(outer, cst.For):
            if not keeps_elements(body, outer, names, element):
                break
            found = outer
    return found


def keeps_elements(
    body: KernelBody, loop: cst.For | cst.While, names: frozenset[str], element: cst.Subscript
) -> bool:
    """Whether a loop changes none of the names of an index, and each iteration is done to its end."""
    module = body.module
    if names & assigned_in(module, loop) or needs_all_threads(module, loop):
        return False
    if any(True for kind in _LEAVING for _ in module.nodes_in(kind, loop)):
        return False
    return loop.orelse is None and loop.body in around(module, element, body.function)


def elements_like(
    body: KernelBody, loop: cst.For | cst.While, element: cst.Subscript
) -> list[cst.Subscript] | None:
    """The places in a loop that load the element; None where the array is stored to or goes elsewhere."""
    found = []
    for name in names_in(body.module, loop):
        if name.value != element.value.value:  # type: ignore[attr-defined]
            continue
        above = body.module.parent(name)
        if isinstance(above, cst.Attribute) and above.attr.value in ARRAY_QUESTIONS:
            continue
        if not isinstance(above, cst.Subscript) or above.value is not name or _is_stored(body, above):
            return None
        if same_code(body.module, above, element):
            found.append(above)
    return found


def _is_stored(body: KernelBody, node: cst.Subscript) -> bool:
    below: cst.CSTNode = node
    above = body.module.parent(node)
    while isinstance(above, cst.Subscript | cst.Attribute | cst.Element | cst.Tuple):
        below, above = above, body.module.parent(above)
    if isinstance(above, cst.AugAssign | cst.AnnAssign):
        return above.target is below
    return isinstance(above, cst.AssignTarget)


def may_change(place: Place, body: KernelBody, element: cst.Subscript) -> bool:
    """Whether the kernel may write to an element's array under another name: of its own, or of a parameter
    that a launch gives the same array.
    """
    array = element.value.value  # type: ignore[attr-defined]
    if array not in body.parameters:
        return False
    changed = is_used_otherwise(body.module, body.function, array, changed=True)
    return changed or overlaps_written(place, body, array)


def may_be_a_record(body: KernelBody, element: cst.Subscript) -> bool:
    """Whether an element may be a row or a record, which stays part of the array: it is taken apart, given a
    name, or passed to a function that may change it.
    """
    above = body.module.parent(element)
    if isinstance(above, cst.Assign):
        return any(isinstance(one.target, cst.Name | cst.Tuple) for one in above.targets)
    if isinstance(above, cst.Arg):
        call = body.module.parent(above)
        called = body.module.written(call.func) if isinstance(call, cst.Call) else ""
        return not called.startswith("math.") and called not in _OF_NUMBERS
    return not isinstance(above, cst.BinaryOperation | cst.UnaryOperation | cst.Comparison | cst.AugAssign)
