"""How many of a block's threads a kernel gives something to do."""

from __future__ import annotations

import ast

from advisor.facts.kernel_facts import Condition, KernelFacts, Place


def one_thread_works(facts: KernelFacts) -> bool:
    """Whether a single thread of each block stores all that the kernel stores, and no other can help it."""
    if facts.threads_meet or not facts.complete or len(facts.thread_dimensions) != 1:
        return False
    changes = [
        access.place for access in facts.accesses if access.kind != "load" and access.array.space == "global"
    ]
    changes += [atomic.place for atomic in facts.atomics]
    return bool(changes) and all(single_thread(place) for place in changes)


def single_thread(place: Place) -> bool:
    """Whether only one thread of the block gets to a place."""
    return any(condition.single_lane for condition in place.conditions)


def is_bounds_guard(condition: Condition) -> bool:
    """Whether a condition only asks if the thread is inside of the data: comparisons by order of its place in
    the grid, joined by `and`. What asks for the place in the block alone divides every block.
    """
    return any(name.startswith("bid.") for name in condition.depends) and _compares_by_order(condition.node)


def _compares_by_order(test: ast.AST) -> bool:
    if isinstance(test, ast.BoolOp):
        return isinstance(test.op, ast.And) and all(_compares_by_order(item) for item in test.values)
    return isinstance(test, ast.Compare) and all(
        isinstance(one, ast.Lt | ast.LtE | ast.Gt | ast.GtE) for one in test.ops
    )
