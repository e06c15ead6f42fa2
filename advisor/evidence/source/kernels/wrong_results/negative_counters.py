"""Indices that begin below 0 because the counter of their loop does: `for d in range(-1, 2): mask[d]`."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.evidence.source.kernel_walk.affine_forms import Form, atom
from advisor.evidence.source.kernel_walk.kernel_facts import Access, KernelFacts, LoopContext
from advisor.model.records import Record


def know_negative_counters(facts: KernelFacts, records: Sequence[Record]) -> None:
    """Say of each access, whose record stands at its place, whether an index of it is the counter of a loop
    that begins below 0, and no condition asks for that counter.
    """
    for access, record in zip(facts.accesses, records, strict=True):
        told = not access.whole and any(_is_negative_first(one.form, access) for one in access.indices)
        record.know("source", begins_below_zero=told)


def _is_negative_first(index: Form, access: Access) -> bool:
    for loop in access.place.loops:
        start = index - atom(loop.counter)
        if start == _start(loop) and _is_negative(start, loop):
            return not any(
                loop.counter in one.depends for one in access.place.conditions if one.node is not loop.node
            )
    return False


def _start(loop: LoopContext) -> Form | None:
    """What the counter of a loop that counts by one begins with."""
    return loop.start if loop.over_range and loop.step is not None and loop.step.constant == 1 else None


def _is_negative(start: Form, loop: LoopContext) -> bool:
    """Whether a loop begins below 0: with a negative number, or as far below 0 as it ends above it."""
    if start.constant is not None:
        return start.constant < 0
    if loop.stop is None or any(coefficient > 0 for _, coefficient in start.terms):
        return False
    return (start + loop.stop).constant in (0, 1)
