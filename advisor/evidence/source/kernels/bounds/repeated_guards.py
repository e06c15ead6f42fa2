"""Guards of a neighbour that ask for the own index again, which a guard around them has asked for before."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from advisor.evidence.source.kernel_walk.affine_forms import Form
from advisor.evidence.source.kernel_walk.kernel_facts import Access, AtomicUse, Condition, KernelFacts

_POSITION = ("tid.", "bid.")


def repeated_guards(facts: KernelFacts) -> frozenset[ast.AST]:
    """The tests of branches that hold in any case, as those around them have asked the same, and below which
    an index goes further than what they bound.
    """
    uses: list[Access | AtomicUse] = [*facts.accesses, *facts.atomics]
    return frozenset(
        condition.node
        for use in uses
        if use.array is not None and use.array.space == "global"
        for condition in _asked_again(use.place.conditions)
        if _goes_further(use, condition)
    )


def _asked_again(conditions: Sequence[Condition]) -> list[Condition]:
    """The single comparisons whose bounds are all those of a condition further out."""
    found: list[Condition] = []
    known: set[Form] = set()
    for condition in conditions:
        single = isinstance(condition.node, ast.Compare) and len(condition.node.ops) == 1
        if single and not condition.exit and condition.bounds and condition.bounds <= known:
            found.append(condition)
        known |= condition.bounds
    return found


def _goes_further(use: Access | AtomicUse, condition: Condition) -> bool:
    """Whether an index is what a condition bounds with a number added to it, and nothing else bounds it."""
    bounds = {one for around in use.place.conditions for one in around.bounds}
    for index in use.indices:
        own = index.form.without_offset()
        if index.is_slice or index.form.offset < 1 or not _is_of_position(own):
            continue
        fitting = {bound for bound in bounds if not _is_of_position(bound - own)}
        if fitting and fitting <= condition.bounds:
            return True
    return False


def _is_of_position(value: Form) -> bool:
    return any(name.startswith(_POSITION) for name in value.atoms())
