"""Atomic additions `cuda.atomic.add(array, index, value)` of a kernel, as fixes move them."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from advisor.fixes.known_facts import Row
from advisor.fixes.place import Place
from advisor.fixes.support.kernel.assigned_names import ARRAY_QUESTIONS
from advisor.fixes.support.kernel.kernel_body import KernelBody
from advisor.model.findings import Edit

_ADD = ".atomic.add"
# Calls with which threads wait for each other's stores to global memory, in the middle of a kernel.
_WAITING = ("threadfence", "threadfence_system", "threadfence_block", "nanosleep", "this_grid", "sync")


@dataclass(frozen=True)
class AtomicAdd:
    """An atomic addition that stands as a statement; `cuda` is the name of the module in the file."""

    call: ast.Call
    cuda: str
    array: str
    index: ast.expr
    value: ast.expr


def atomic_add(body: KernelBody, call: ast.AST | None) -> AtomicAdd | None:
    """The atomic addition that a call is, None for others and where its result is used."""
    if not isinstance(call, ast.Call) or not isinstance(body.module.parent(call), ast.Expr):
        return None
    function = body.module.code_of(call.func)
    cuda = function[: -len(_ADD)]
    plain = len(call.args) == 3 and not call.keywords
    if not function.endswith(_ADD) or not cuda.isidentifier() or not plain:
        return None
    array, index, value = call.args
    if not isinstance(array, ast.Name) or isinstance(value, ast.Starred):
        return None
    return AtomicAdd(call, cuda, array.id, index, value)


def additions(body: KernelBody) -> list[AtomicAdd]:
    """All atomic additions of a kernel that stand as statements, in the order of the text."""
    found = (atomic_add(body, call) for call in body.nodes(ast.Call))
    return [one for one in found if one is not None]


def only_added_to(body: KernelBody, array: str) -> bool:
    """Whether a kernel does nothing with a parameter but add to its elements, so that the additions may come
    later: neither reads them, nor gives the array another name, nor waits for other blocks."""
    if array not in body.parameters or body.module.bindings(array, body.function):
        return False
    adding = {one.call.args[0] for one in additions(body)}
    for name in body.nodes(ast.Name):
        if name.id == array and name not in adding:
            above = body.module.parent(name)
            if not isinstance(above, ast.Attribute) or above.attr not in ARRAY_QUESTIONS:
                return False
    return not _waits(body)


def _waits(body: KernelBody) -> bool:
    """Whether a kernel has order between blocks: fences, grid barriers, atomics whose result is used."""
    for call in body.nodes(ast.Call):
        name = body.module.code_of(call.func)
        if name.rpartition(".")[2] in _WAITING:
            return True
        if ".atomic." in name and not isinstance(body.module.parent(call), ast.Expr):
            return True
    return False


def row_of(place: Place, addition: AtomicAdd) -> Row | None:
    """What is known of an atomic addition."""
    wanted = place.module.range_of(addition.call)
    for row in place.rows("atomic"):
        span = row.span
        begin = place.module.offset(span.line, span.column - 1)
        end = place.module.offset(span.end_line, span.end_column - 1)
        if row.path == place.finding.path and (begin, end) == wanted:
            return row
    return None


def before_value(body: KernelBody, addition: AtomicAdd, text: str) -> Edit:
    """The edit that writes the beginning of a call, up to the added value."""
    begin, _ = body.module.range_of(addition.call)
    end, _ = body.module.outer_range(addition.call.args[2])
    return Edit(begin, end, text)
