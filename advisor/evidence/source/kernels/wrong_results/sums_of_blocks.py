"""Sums of a whole block that every thread of the block adds to the same element."""

from __future__ import annotations

import ast

from advisor.evidence.source.kernel_walk.affine_forms import THREAD
from advisor.evidence.source.kernel_walk.kernel_facts import AtomicUse, Index, KernelFacts
from advisor.evidence.source.warps.thread_use import is_bounds_guard, single_thread
from advisor.program.syntax.module import ModuleSyntax

_COUNTING = frozenset({"add", "sub"})


def every_thread_adds_the_same(atomic: AtomicUse, facts: KernelFacts) -> bool:
    """Whether every thread of a block adds one and the same element of shared memory to one element."""
    if atomic.operation not in _COUNTING or atomic.array is None or atomic.array.space != "global":
        return False
    place = atomic.place
    if single_thread(place) or not isinstance(place.node, ast.Call) or len(place.node.args) != 3:
        return False
    if not atomic.indices or not _same_for_block(atomic.indices, facts):
        return False
    guards = [one for one in place.conditions if not one.depends.isdisjoint(THREAD)]
    if any(one.loaded or not is_bounds_guard(one, place.module) for one in guards):
        return False
    value = _written_value(place.node.args[2], place.module)
    return any(
        access.place.node is value
        and access.array.space == "shared"
        and not access.whole
        and _same_for_block(access.indices, facts)
        for access in facts.accesses
    )


def _same_for_block(indices: tuple[Index, ...], facts: KernelFacts) -> bool:
    return not any(
        index.is_slice or facts.atoms.loaded(index.form) or facts.atoms.depends(index.form) & set(THREAD)
        for index in indices
    )


def _written_value(node: ast.expr, module: ModuleSyntax) -> ast.AST:
    """What an argument is, also where a name holds it that is bound once."""
    function = module.function_around(node)
    if isinstance(node, ast.Name) and function is not None:
        bound = [module.parents.get(one) for one in module.stores(node.id, function)]
        if len(bound) == 1 and isinstance(bound[0], ast.Assign):
            return bound[0].value
    return node
