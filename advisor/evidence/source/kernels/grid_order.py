"""Barriers of a block between accesses of different blocks to the same elements of global memory."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from advisor.evidence.source.kernel_walk.affine_forms import Atoms, Form, atom
from advisor.evidence.source.kernel_walk.index_bounds import grid_axis
from advisor.evidence.source.kernel_walk.kernel_facts import Access, AtomicUse, BarrierUse, KernelFacts
from advisor.evidence.source.warps.thread_use import single_thread

_Use = Access | AtomicUse
_BLOCKS = tuple(atom(f"bid.{axis}") for axis in "xyz")


def array_of_other_blocks(barrier: BarrierUse, facts: KernelFacts) -> str | None:
    """The name of an array of which, on one side of a block's barrier, each thread or block stores its own
    element, and on the other side those of other blocks are used; None where none is seen.

    A kernel that uses what its atomic operations return may order its blocks by them.
    """
    if barrier.of_grid or not facts.complete or any(map(_gives_result, facts.atomics)):
        return None
    if any(other.of_grid for other in facts.barriers):
        return None
    before: list[_Use] = [*facts.accesses[: barrier.accesses]]
    after: list[_Use] = [*facts.accesses[barrier.accesses :]]
    for atomic in facts.atomics:
        (before if _is_before(atomic, barrier) else after).append(atomic)
    for own, other in ((before, after), (after, before)):
        for store in _own_stores(own):
            if any(_is_of_other_block(use, store, facts.atoms) for use in other):
                return store.array.name
    return None


def _is_before(atomic: AtomicUse, barrier: BarrierUse) -> bool:
    return atomic.accesses < barrier.accesses or (
        atomic.accesses == barrier.accesses and _position(atomic.place.node) < _position(barrier.place.node)
    )


def _position(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def _gives_result(atomic: AtomicUse) -> bool:
    return not isinstance(atomic.place.module.parents.get(atomic.place.node), ast.Expr)


def _own_stores(uses: Iterable[_Use]) -> Iterator[Access]:
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
