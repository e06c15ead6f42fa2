"""Stores of one value to one element by every thread that has data."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from advisor.evidence.source.kernel_walk.affine_forms import THREAD
from advisor.evidence.source.kernel_walk.kernel_facts import Access, Condition, KernelFacts
from advisor.evidence.source.warps.thread_use import is_bounds_exit, is_bounds_guard
from advisor.model.records import Record
from advisor.program.syntax.module import ModuleSyntax


def know_same_stores(facts: KernelFacts, records: Sequence[Record]) -> None:
    """Say of each access, whose record stands at its place, whether all threads store one value to one
    element there, and whether each block has an element of its own.
    """
    followed = facts.complete and not facts.calls_unknown and not facts.draws and not _exchanges(facts)
    for access, record in zip(facts.accesses, records, strict=True):
        depends = _depends(access, facts)
        same = followed and access.array.space == "global" and _is_same(access, depends)
        record.know("source", same_in_all_threads=same, element_for_each_block="bid." in " ".join(depends))


def _depends(access: Access, facts: KernelFacts) -> frozenset[str]:
    return frozenset(name for index in access.indices for name in facts.atoms.depends(index.form))


def _exchanges(facts: KernelFacts) -> bool:
    """Whether atomics tell threads apart by what they return."""
    parents = (one.place.module.parents.get(one.place.node) for one in facts.atomics)
    return not all(isinstance(one, ast.Expr) for one in parents)


def _is_same(access: Access, depends: frozenset[str]) -> bool:
    if access.kind != "store" or not access.indices or access.whole or access.row is not None:
        return False
    blocks = {f"bid.{axis}" for axis in "xyz"}
    followed = {*THREAD, *(blocks - depends)}
    if any(not followed.isdisjoint(names) for names in (depends & set(THREAD), access.value_depends)):
        return False
    place = access.place
    if any(not set(THREAD).isdisjoint(loop.trips) or loop.trips_loaded for loop in place.loops):
        return False
    return all(_lets_all_through(one, place.module) for one in place.conditions)


def _lets_all_through(condition: Condition, module: ModuleSyntax) -> bool:
    """Whether a condition asks for no data, and of the thread only whether it is inside of the data."""
    if condition.loaded or condition.single_lane:
        return False
    if not any(name.startswith(("tid.", "bid.")) for name in condition.depends):
        # What is the same for all threads may rarely hold, as an error does.
        return condition.exit or isinstance(condition.node, ast.For)
    # Where a test fails, the threads outside of the data go on.
    inside = is_bounds_exit if condition.exit else is_bounds_guard
    return (condition.exit or not condition.negated) and inside(condition, module)
