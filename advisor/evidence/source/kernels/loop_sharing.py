"""Whether the iterations of a kernel's loop could be shared among threads."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from advisor.evidence.source.kernel_walk.kernel_facts import Access, KernelFacts, LoopUse
from advisor.program.syntax.module import stored_names
from advisor.program.syntax.tree_nodes import below


def walks_elements(loop: LoopUse, inside: Sequence[Access], facts: KernelFacts) -> bool:
    """Whether an outermost loop over a range, as long as values of the kernel or a constant say, goes from
    element to element of an array that the kernel is given; `inside` are the accesses in the loop.
    """
    return (
        not loop.place.loops
        and loop.context.over_range
        and _length_is_told(loop)
        and any(access.array.parameter and _follows(access, loop, facts) for access in inside)
    )


def is_shareable(loop: LoopUse, inside: Sequence[Access], facts: KernelFacts) -> bool:
    """Whether more threads could share the iterations as they are: the loop steps by the grid's size, or
    each iteration stores elements of its own and needs no value of another; `inside` are the accesses in it.
    """
    return loop.context.steps_by_grid or _has_independent_iterations(loop, inside, facts)


def _has_independent_iterations(loop: LoopUse, inside: Sequence[Access], facts: KernelFacts) -> bool:
    node = loop.place.node
    if not isinstance(node, ast.For) or not loop.context.over_range or not _length_is_told(loop):
        return False
    if facts.threads_meet or _may_end_early(node) or _carries_values(node):
        return False
    stores = [one for one in inside if one.kind != "load" and one.array.space != "local"]
    counter = loop.context.counter
    adds = any(around.counter == counter for atomic in facts.atomics for around in atomic.place.loops)
    if not (stores or adds) or not all(_follows(one, loop, facts) for one in stores):
        return False
    places = [(id(one.array), one.indices) for one in stores]
    arrays = {array for array, _ in places}
    return all((id(one.array), one.indices) in places for one in inside if id(one.array) in arrays)


def _length_is_told(loop: LoopUse) -> bool:
    return loop.context.trip_count is not None or loop.context.of_values


def _follows(access: Access, loop: LoopUse, facts: KernelFacts) -> bool:
    counter = loop.context.counter
    return any(counter in facts.atoms.depends(index.form) for index in access.indices)


def _may_end_early(loop: ast.For) -> bool:
    """Whether a `break` of this loop or a `return` may leave out iterations."""
    inner: set[ast.AST] = set()
    for node in (one for statement in loop.body for one in below(statement)):
        if isinstance(node, ast.Return) or (isinstance(node, ast.Break) and node not in inner):
            return True
        if isinstance(node, ast.For | ast.While):
            inner.update(below(node))
    return False


def _carries_values(loop: ast.For) -> bool:
    """Whether an iteration may read a name that the one before has bound."""
    bound: set[str] = set()
    for statement in loop.body:
        bound |= stored_names(statement)
    return _reads_before(loop.body, bound, stored_names(loop.target))


def _reads_before(body: Sequence[ast.stmt], bound: set[str], known: set[str]) -> bool:
    """Whether a body may read one of the `bound` names before it binds it; adds to `known` what it binds."""
    for statement in body:
        if isinstance(statement, ast.If | ast.For | ast.While):
            head = statement.iter if isinstance(statement, ast.For) else statement.test
            target = stored_names(statement.target) if isinstance(statement, ast.For) else set()
            first, second = known | target, set(known)
            if (
                _reads([head], bound - known)
                or _reads_before(statement.body, bound, first)
                or _reads_before(statement.orelse, bound, second)
            ):
                return True
            if isinstance(statement, ast.If):
                known |= first & second
            continue
        if isinstance(statement, ast.AugAssign) and _reads([statement.target], bound - known, stored=True):
            return True
        if _reads([statement], bound - known):
            return True
        known |= stored_names(statement)
    return False


def _reads(nodes: Iterable[ast.AST], names: set[str], stored: bool = False) -> bool:
    return any(
        isinstance(inner, ast.Name)
        and inner.id in names
        and (isinstance(inner.ctx, ast.Load) or (stored and inner is node))
        for node in nodes
        for inner in below(node)
    )
