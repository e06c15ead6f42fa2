"""Shared elements that their block has not stored: those of threads without data, or of other blocks."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.evidence.source.kernel_walk.affine_forms import THREAD
from advisor.evidence.source.kernel_walk.kernel_facts import Access, Condition, KernelFacts
from advisor.evidence.source.warps.thread_use import is_bounds_guard
from advisor.model.compilation_unit import StatedLaunch
from advisor.model.records import Record


def know_unset_shared(
    facts: KernelFacts, launches: Sequence[StatedLaunch], records: Sequence[Record]
) -> None:
    """Say of each access, whose record stands at its place, whether it loads elements of other threads from
    shared memory that only threads inside of the data have stored, whatever thread it is itself, and with
    which index of the block one of a shared array grows.
    """
    followed = facts.complete and not facts.calls_unknown
    stored: dict[int, list[Access]] = {}
    for access, record in zip(facts.accesses, records, strict=True):
        before = stored.setdefault(id(access.array), [])
        record.know(
            "source",
            set_inside_data_only=followed and _is_unset(access, before, facts),
            shared_by_block=_block_of_index(access, launches),
        )
        if access.kind == "store":
            before.append(access)


def _block_of_index(access: Access, launches: Sequence[StatedLaunch]) -> str:
    """The index of the block with which that of a shared array grows, empty where there is none: where a part
    of it may take that back, and along axes along which each launch in sight has one block.
    """
    if access.array.space != "shared":
        return ""
    terms = [term for index in access.indices for term in index.form.terms]
    of_blocks = {name: count for names, count in terms for name in names if name.startswith("bid.")}
    if any(count < 0 for names, count in terms if of_blocks.keys() & {*names}):
        return ""
    axes = (axis for axis in "xyz" if f"bid.{axis}" in of_blocks and not _one_block(axis, launches))
    return next((f"blockIdx.{axis}" for axis in axes), "")


def _one_block(axis: str, launches: Sequence[StatedLaunch]) -> bool:
    """Whether there are launches in sight, and each is known to have one block along an axis."""
    at = "xyz".index(axis)
    return bool(launches) and all(one.grid is not None and [*one.grid, 1, 1, 1][at] == 1 for one in launches)


def _is_unset(load: Access, stores: Sequence[Access], facts: KernelFacts) -> bool:
    array = load.array
    if load.kind != "load" or array.space != "shared" or array.parameter or load.row is not None:
        return False
    if len(load.indices) != 1 or load.whole or load.indices[0].is_slice or not stores:
        return False
    if any(one.array is array for one in facts.atomics) or not all(map(_inside_alone, stores)):
        return False
    # What a thread's own place or a loop's end keeps inside of the data may be set.
    depends = [
        *(one.depends for one in load.place.conditions),
        *(one.trips for one in load.place.loops),
    ]
    if any(name.startswith("bid.") for names in depends for name in names):
        return False
    if any(not one.trips.isdisjoint(THREAD) for one in load.place.loops):
        return False
    return all(_reaches_on(load, one) for one in stores)


def _reaches_on(load: Access, store: Access) -> bool:
    """Whether a load meets elements of later threads: those in front of a thread that has data have data too,
    as the first of each block has.
    """
    index = load.indices[0].form
    if index.constant == 0:
        return False
    return any(coefficient > 0 for _, coefficient in (index - store.indices[0].form).terms)


def _inside_alone(store: Access) -> bool:
    """Whether a thread stores at a place of its own, where it is inside of the data."""
    if len(store.indices) != 1 or store.whole or store.row is not None:
        return False
    return any(_is_guard(one, store) for one in store.place.conditions)


def _is_guard(condition: Condition, store: Access) -> bool:
    in_grid = any(name.startswith("bid.") for name in condition.depends)
    return (
        in_grid
        and not condition.depends.isdisjoint(THREAD)
        and not (condition.exit or condition.negated or condition.loaded)
        and is_bounds_guard(condition, store.place.module)
    )
