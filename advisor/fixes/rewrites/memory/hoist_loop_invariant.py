"""Loads an element once before a loop that reads it in each iteration."""

# /// fix
# title = "Load the element once before the loop"
# safety = "needs review"
# rules = ["loop-invariant-load"]
# needs_kernel = true
# condition = """
# no array that the loop stores to overlaps this one, no other thread changes the element meanwhile, and the \
# element exists even where the loop has no iterations"""
# ///

from __future__ import annotations

import ast

from advisor.fixes.place import Place
from advisor.fixes.support.edits.inserted_lines import line_before
from advisor.fixes.support.host.same_memory import overlaps_written
from advisor.fixes.support.host.source_effects import is_used_otherwise
from advisor.fixes.support.kernel.assigned_names import (
    around,
    assigned_in,
    indices_of,
    only_computes,
    same_code,
    words_in,
)
from advisor.fixes.support.kernel.kernel_body import KernelBody, own_kernel
from advisor.fixes.support.values.array_uses import array_elements, is_store
from advisor.fixes.support.values.joint_work import needs_all_threads
from advisor.model.findings import Edit
from advisor.program.syntax.statement_places import COMPREHENSIONS, DEFINITIONS, TRIES

# Between the loop and the load these may keep a thread off the element.
CONDITIONS: tuple[type[ast.AST], ...] = (
    ast.If, ast.IfExp, ast.BoolOp, ast.While, *TRIES, ast.With, ast.Lambda, *COMPREHENSIONS, ast.Match,
    *DEFINITIONS,
)  # fmt: skip
_OF_NUMBERS = ("abs", "min", "max", "int", "float", "round", "range")
# With these in the loop a thread may leave it, or start the next iteration, before it comes to the load.
_LEAVING: tuple[type[ast.AST], ...] = (
    ast.Break, ast.Continue, ast.Return, ast.Raise, ast.Assert, ast.Delete,
)  # fmt: skip


def edits(place: Place) -> list[Edit] | None:
    """The edits of the load and the line before the outermost loop in which nothing changes its index; None
    where something in the loop may change the element or keep a thread off it.
    """
    body = own_kernel(place)
    element = place.exactly(ast.Subscript)
    if body is None or element is None or not isinstance(element.value, ast.Name):
        return None
    indices = indices_of(element)
    if indices is None or not all(only_computes(place.module, one) for one in indices):
        return None
    loop = _loop(body, element)
    uses = elements_like(body, loop, element) if loop is not None else None
    if loop is None or not uses or may_be_a_record(body, element) or may_change(place, body, element):
        return None
    (name,) = body.free_names(f"{element.value.id}_element")
    first = line_before(body.module, loop, f"{name} = {body.module.code_of(element)}")
    return [first, *(body.module.replaced(one, name) for one in uses)]


def _loop(body: KernelBody, element: ast.Subscript) -> ast.For | None:
    """The outermost loop in which the element's index stays and each iteration comes to the load."""
    names = words_in(body.module, element)
    found = None
    for outer in around(body.module, element, body.function):
        if isinstance(outer, CONDITIONS):
            break
        if isinstance(outer, ast.For):
            if not keeps_elements(body, outer, names, element):
                break
            found = outer
    return found


def keeps_elements(
    body: KernelBody, loop: ast.For | ast.While, names: frozenset[str], element: ast.Subscript
) -> bool:
    """Whether a loop changes none of the names of an index, and each iteration is done to its end."""
    module = body.module
    if names & assigned_in(module, loop) or needs_all_threads(module, loop):
        return False
    if loop.orelse or any(True for _ in module.nodes_in(_LEAVING, loop)):
        return False
    return any(one in loop.body for one in around(module, element, loop))


def elements_like(
    body: KernelBody, loop: ast.For | ast.While, element: ast.Subscript
) -> list[ast.Subscript] | None:
    """The places in a loop that load the element; None where the array is stored to or goes elsewhere."""
    array = element.value.id  # type: ignore[attr-defined]
    uses = array_elements(body.module, loop, array)
    if uses is None or any(is_store(body.module, one) for one in uses):
        return None
    return [one for one in uses if same_code(body.module, one, element)]


def may_change(place: Place, body: KernelBody, element: ast.Subscript) -> bool:
    """Whether the kernel may write to an element's array under another name: of its own, or of a parameter
    that a launch gives the same array.
    """
    array = element.value.id  # type: ignore[attr-defined]
    if array not in body.parameters:
        return False
    changed = is_used_otherwise(body.module, body.function, array, changed=True)
    return changed or overlaps_written(place, body, array)


def may_be_a_record(body: KernelBody, element: ast.Subscript) -> bool:
    """Whether an element may be a row or a record, which stays part of the array: it is taken apart, given a
    name, or passed to a function that may change it.
    """
    above = body.module.parent(element)
    if isinstance(above, ast.Assign):
        return any(isinstance(one, ast.Name | ast.Tuple) for one in above.targets)
    if isinstance(above, ast.keyword):
        above = body.module.parent(above)
    if isinstance(above, ast.Call):
        called = body.module.code_of(above.func)
        return not called.startswith("math.") and called not in _OF_NUMBERS
    return not isinstance(above, ast.BinOp | ast.UnaryOp | ast.Compare | ast.AugAssign)
