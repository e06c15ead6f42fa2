"""Shared arrays that hold what belongs to one thread: each thread of a block writes its own values there."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.evidence.source.kernel_walk.affine_forms import THREAD
from advisor.evidence.source.kernel_walk.kernel_facts import Access, Array, Condition, KernelFacts
from advisor.evidence.source.kernels.access_groups import AccessGroups
from advisor.evidence.source.warps.thread_use import is_bounds_guard, single_thread
from advisor.model.records import Record
from advisor.program.syntax.module import ModuleSyntax


def private_data(facts: KernelFacts, groups: AccessGroups) -> list[Array]:
    """The shared arrays in which all threads of a block store values of their own to the same elements: no
    index into them follows the thread, and what is stored does, by every thread that has data.

    Where no barrier lets threads hand anything on, arrays beside such a one are used in the same way if every
    thread fills and updates the same elements of them.
    """
    uses = [(array, _uses(array, facts, groups)) for array in facts.arrays if array.space == "shared"]
    told = [array for array, accesses in uses if _stores_own(accesses)]
    if told and not facts.barriers:
        told += [array for array, accesses in uses if array not in told and _fills_and_updates(accesses)]
    return told


def know_private_data(facts: KernelFacts, arrays: Sequence[Array], records: Sequence[Record]) -> None:
    """Say of each access, whose record stands at its place, whether it meets one of the arrays."""
    for access, record in zip(facts.accesses, records, strict=True):
        record.know("source", private_data=any(access.array is array for array in arrays))


def _uses(array: Array, facts: KernelFacts, groups: AccessGroups) -> list[Access]:
    """The accesses to an array, none where threads may meet different elements or wait for each other."""
    found = groups.of(array)
    if any(atomic.array is array for atomic in facts.atomics):
        return []
    return [] if any(_follows_thread(access, facts) for access in found) else found


def _follows_thread(access: Access, facts: KernelFacts) -> bool:
    """Whether an index depends on the thread, or a part of the array is handed on that is not known."""
    return any(
        index.is_slice or not facts.atoms.depends(index.form).isdisjoint(THREAD) for index in access.indices
    )


def _stores_own(accesses: Sequence[Access]) -> bool:
    own = [
        access
        for access in accesses
        if access.kind == "store" and not access.value_depends.isdisjoint(THREAD)
    ]
    return bool(own) and all(_by_every_thread(access) for access in own)


def _fills_and_updates(accesses: Sequence[Access]) -> bool:
    changes = [access for access in accesses if access.kind != "load"]
    return {access.kind for access in changes} == {"store", "update"} and all(map(_by_every_thread, changes))


def _by_every_thread(access: Access) -> bool:
    place = access.place
    return not single_thread(place) and all(_only_bounds(one, place.module) for one in place.conditions)


def _only_bounds(condition: Condition, module: ModuleSyntax) -> bool:
    """Whether a condition is the same for a whole block, or only asks if the thread is inside of the data."""
    if condition.depends.isdisjoint(THREAD):
        return True
    return not condition.loaded and is_bounds_guard(condition, module)
