"""Barriers of a block between accesses of different blocks to the same elements of global memory."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from advisor.evidence.source.kernel_walk.affine_forms import Atoms, Form, atom
from advisor.evidence.source.kernel_walk.index_bounds import grid_axis
from advisor.evidence.source.kernel_walk.kernel_facts import Access, AtomicUse, BarrierUse, KernelFacts
from advisor.evidence.source.warps.thread_use import single_thread

_Use = Access | AtomicUse
# The place in the walk: behind how many accesses, whether it is the next of them, line and column.
_Place = tuple[int, int, int, int]
_BLOCKS = tuple(atom(f"bid.{axis}") for axis in "xyz")
# Of unrolled code so many different elements of an array are looked at.
_MOST_ELEMENTS = 32


class Exchange(NamedTuple):
    """An array of which each thread or block stores its own element, and elements of other blocks are used:
    the first and last places of both.
    """

    array: str
    first_store: _Place
    last_store: _Place
    first_use: _Place
    last_use: _Place

    def is_divided_by(self, barrier: BarrierUse) -> bool:
        """Whether a barrier stands between the stores and the uses."""
        at = _at(barrier)
        return self.first_store < at < self.last_use or self.first_use < at < self.last_store


def exchanges_between_blocks(facts: KernelFacts) -> list[Exchange]:
    """The arrays of global memory by which blocks hand something on, or write over what others read.

    Empty for a kernel with a barrier of the grid, or one that may order its blocks by what its atomic
    operations return.
    """
    if not facts.barriers or not facts.complete or any(map(_gives_result, facts.atomics)):
        return []
    if any(barrier.of_grid for barrier in facts.barriers):
        return []
    found = []
    for uses in _uses_by_array(facts):
        groups = list(uses.values())[:_MOST_ELEMENTS]
        for stores in groups:
            store = next(_own_stores(one for _, one in stores), None)
            for others in groups if store is not None else ():
                if store is not None and _is_of_other_block(others[0][1], store, facts.atoms):
                    places = stores[0][0], stores[-1][0], others[0][0], others[-1][0]
                    found.append(Exchange(store.array.name, *places))
    return found


def _uses_by_array(facts: KernelFacts) -> list[dict[object, list[tuple[_Place, _Use]]]]:
    """The uses of each array by their elements and kinds, in order, with their places."""
    placed: list[tuple[_Place, _Use]] = [
        ((position, 1, 0, 0), one) for position, one in enumerate(facts.accesses)
    ]
    placed += [(_at(one), one) for one in facts.atomics]
    found: dict[int, dict[object, list[tuple[_Place, _Use]]]] = {}
    for place, use in sorted(placed, key=lambda one: one[0]):
        kind = use.kind if isinstance(use, Access) else "atomic"
        element = kind, tuple(index.form for index in use.indices), id(use.place.loops)
        found.setdefault(id(use.array), {}).setdefault(element, []).append((place, use))
    return list(found.values())


def _at(one: AtomicUse | BarrierUse) -> _Place:
    node = one.place.node
    return one.accesses, 0, getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def _gives_result(atomic: AtomicUse) -> bool:
    return not isinstance(atomic.place.module.parents.get(atomic.place.node), ast.Expr)


def _own_stores(uses: Iterator[_Use]) -> Iterator[Access]:
    """The stores in which each thread, or one of each block, has an element of its own."""
    for use in uses:
        if not isinstance(use, Access) or use.kind == "load" or use.whole or use.row is not None:
            continue
        if not use.array.parameter or use.array.space != "global" or not use.indices:
            continue
        single = single_thread(use.place)
        if any(_is_own(index.form, use, single) for index in use.indices if not index.is_slice):
            yield use


def _is_own(index: Form, store: Access, single: bool) -> bool:
    if single:
        return index.without_offset() in _BLOCKS
    return grid_axis(index.without_offset(), store.place.loops) is not None


def _is_of_other_block(use: _Use, store: Access, atoms: Atoms) -> bool:
    """Whether an access meets elements that other blocks store: where the data says, all of them one by one,
    or the neighbour's.
    """
    if use.array is not store.array or len(use.indices) != len(store.indices):
        return False
    if any(index.is_slice for index in use.indices) or (isinstance(use, Access) and use.row is not None):
        return False
    pairs = [(index.form, own.form) for index, own in zip(use.indices, store.indices, strict=True)]
    elsewhere = [form for form, own in pairs if form != own]
    return bool(elsewhere) and all(
        _may_be_another(form, own, use, atoms) for form, own in pairs if form != own
    )


def _may_be_another(index: Form, own: Form, use: _Use, atoms: Atoms) -> bool:
    apart = (index - own).constant
    if apart is not None:
        return True
    if any(name.startswith("bid.") for name in index.atoms()):
        return False
    if atoms.loaded(index):
        return True
    walks = [loop for loop in use.place.loops if index == atom(loop.counter)]
    return any(
        loop.over_range and loop.trip_count != 1 and not any(name.startswith("tid.") for name in loop.trips)
        for loop in walks
    )
