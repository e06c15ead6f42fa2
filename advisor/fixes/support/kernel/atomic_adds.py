"""Atomic additions `cuda.atomic.add(array, index, value)` of a kernel, as fixes move them."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from advisor.evidence.source.kernel_walk.kernel_facts import AtomicUse
from advisor.fixes.known_facts import Row
from advisor.fixes.place import Place
from advisor.fixes.support.kernel.kernel_body import KernelBody
from advisor.fixes.support.kernel.walked_kernel import walked_kernel
from advisor.model.findings import Edit
from advisor.program.syntax.calls import called_name

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
    later: neither reads them, nor gives the array another name, nor waits for other blocks.
    """
    known: set[ast.AST] = {one.call for one in additions(body) if one.array == array}
    waits = any(called_name(one) in _WAITING for one in body.nodes(ast.Call))
    others = walked_kernel(body.module, body.function).atomics
    return (
        {one.place.node for one in updates_of(body, array)} == known != set()
        and not waits
        and all(_is_statement(body, one) for one in others)
    )


def updates_of(body: KernelBody, array: str) -> list[AtomicUse]:
    """The atomic updates of an array parameter where a kernel does nothing else with it, and nobody looks at
    their results; none where it does.
    """
    facts = walked_kernel(body.module, body.function)
    found = [one for one in facts.atomics if one.array is not None and one.array.name == array]
    alone = array in facts.followed and not any(one.array.name == array for one in facts.accesses)
    return found if alone and all(_is_statement(body, one) for one in found) else []


def _is_statement(body: KernelBody, update: AtomicUse) -> bool:
    return isinstance(body.module.parent(update.place.node), ast.Expr)


def row_of(place: Place, addition: AtomicAdd) -> Row | None:
    """What is known of an atomic addition."""
    here = place.finding.path, place.module.syntax.span(addition.call)
    return next((row for row in place.rows("atomic") if (row.path, row.span) == here), None)


def before_value(body: KernelBody, addition: AtomicAdd, text: str) -> Edit:
    """The edit that writes the beginning of a call, up to the added value."""
    begin, _ = body.module.range_of(addition.call)
    end, _ = body.module.outer_range(addition.call.args[2])
    return Edit(begin, end, text)
