"""Puts the part of a kernel that uses the thread's index under a check that the index is inside the array."""

# /// fix
# title = "Check that the thread's index is inside the array"
# safety = "safe"
# rules = ["missing-bounds-check", "unchecked-index"]
# needs_kernel = true
# condition = """
# threads whose index is inside the array do the same as before; those outside no longer touch other memory"""
# ///

from __future__ import annotations

import ast

from advisor.fixes.place import Place
from advisor.fixes.support.edits.source_module import COMPOUND, SourceModule
from advisor.fixes.support.kernel.assigned_names import around, indices_of, words_in
from advisor.fixes.support.kernel.grid_indices import grid_indices
from advisor.fixes.support.kernel.kernel_body import KernelBody, own_kernel
from advisor.fixes.support.values.joint_work import threads_meet
from advisor.model.findings import Edit
from advisor.program.syntax.module import FunctionNode
from advisor.program.syntax.statement_places import COMPREHENSIONS

# Expressions of which a part may be left out.
_SOMETIMES = (ast.IfExp, ast.BoolOp, *COMPREHENSIONS, ast.Compare, ast.Lambda)


def edits(place: Place) -> list[Edit] | None:
    """The edits that indent the rest of the kernel below the check; None where threads outside the array are
    needed, or where it is not clear which array limits the index.
    """
    body = own_kernel(place)
    if body is None or not body.all_threads_reach_the_end():
        return None
    here = place.exactly(ast.Subscript)
    if here is None or not _bare(body, here):
        return None
    element = limiting_element(body)
    if element is None or not words_in(body.module, here) & set(grid_indices(body)) <= _limited(element):
        return None
    return body.module.answer(_edits, body.function)


def _edits(module: SourceModule, function: FunctionNode) -> list[Edit] | None:
    body = KernelBody(module, function)
    region, element = guarded_region(body), limiting_element(body)
    if element is None:
        return None
    return body.under_head(region, f"if {inside_check(body, element)}:")


def guarded_region(body: KernelBody) -> list[ast.stmt]:
    """The statements of a kernel from the first one that uses a grid index to the end; none where they cannot
    stand under a condition.
    """
    return body.module.answer(_guarded_region, body.function)


def _guarded_region(module: SourceModule, function: FunctionNode) -> list[ast.stmt]:
    body = KernelBody(module, function)
    indices = grid_indices(body)
    given = [body.statements.index(one.line) for one in indices.values()]
    using = (n for n, line in enumerate(body.statements) if words_in(module, line) & indices.keys())
    first = next((number for number in using if number not in given), None)
    if first is None or max(given) > first:
        return []
    region = body.statements[first:]
    return [] if threads_meet(body.module, region) else region


def limiting_element(body: KernelBody) -> ast.Subscript | None:
    """An element of the guarded region that each thread reaches, indexed by grid indices: by the most,
    and a stored one before others.

    None where an index is used in another way than by itself, so that its limits are others.
    """
    return body.module.answer(_limiting_element, body.function)


def _limiting_element(module: SourceModule, function: FunctionNode) -> ast.Subscript | None:
    body = KernelBody(module, function)
    candidates = []
    for line in guarded_region(body):
        for node in body.module.nodes_in(ast.Subscript, line):
            if not words_in(body.module, node) & set(grid_indices(body)):
                continue
            if not isinstance(node.value, ast.Name) or not _bare(body, node):
                return None
            if not isinstance(line, COMPOUND) and _always(body, node, line):
                candidates.append(node)
    order = sorted(candidates, key=lambda one: (-len(_limited(one)), not isinstance(one.ctx, ast.Store)))
    array = body.module.code_of(order[0].value) if order else ""
    # Of a name that the kernel gives another array the shape would be asked too early.
    if array not in body.parameters or body.module.bindings(array, body.function):
        return None
    everything = frozenset(name for one in candidates for name in _limited(one))
    return order[0] if everything & set(grid_indices(body)) <= _limited(order[0]) else None


def _always(body: KernelBody, node: ast.AST, line: ast.AST) -> bool:
    return not any(isinstance(one, _SOMETIMES) for one in around(body.module, node, line))


def _bare(body: KernelBody, node: ast.Subscript) -> bool:
    """Whether grid indices stand in an element only as indices of their own."""
    indices = indices_of(node)
    known = set(grid_indices(body))
    return indices is not None and all(
        isinstance(one, ast.Name) or not words_in(body.module, one) & known for one in indices
    )


def _limited(node: ast.Subscript) -> frozenset[str]:
    return frozenset(one.id for one in indices_of(node) or () if isinstance(one, ast.Name))


def inside_check(body: KernelBody, element: ast.Subscript) -> str:
    """The condition that the grid indices of an element are inside its array."""
    known = grid_indices(body)
    array = body.module.code_of(element.value)
    return " and ".join(
        f"{one.id} < {array}.shape[{axis}]"
        for axis, one in enumerate(indices_of(element) or ())
        if isinstance(one, ast.Name) and one.id in known
    )
