"""Indices that an array's other axis bounds: `a[i, k]` with `i < a.shape[1]` and `k < a.shape[0]`."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.evidence.source.kernel_walk.affine_forms import Form, atom
from advisor.evidence.source.kernel_walk.kernel_facts import Access, KernelFacts
from advisor.model.records import Record

# Stands for the bound of something else than an axis of the array.
_OTHERWISE = -1


def know_exchanged_axes(facts: KernelFacts, records: Sequence[Record]) -> None:
    """Say of each access, whose record stands at its place, which index only the size of another axis of its
    array bounds: that size, the one along its own axis, and whether the two are known to differ.

    Where every index is bounded by one size alone the array is meant to be square.
    """
    for access, record in zip(facts.accesses, records, strict=True):
        other, own, differs = _other_axis(access) or ("", None, None)
        record.know("source", bound_by_axis=other, own_axis=own, axes_differ=differs)


def _other_axis(access: Access) -> tuple[str, str, bool] | None:
    array, rank = access.array, len(access.indices)
    if not array.parameter or array.space != "global" or access.whole or rank < 2:
        return None
    bounds = [_axes_above(index.form, array.name, rank, access) for index in access.indices]
    for axis, above in enumerate(bounds):
        if len(above) != 1 or axis in above or _OTHERWISE in above:
            continue
        other = next(iter(above))
        exchanged = bounds[other] == {axis}
        if exchanged or _sizes_differ(array.made, axis, other):
            return f"{array.name}.shape[{other}]", f"{array.name}.shape[{axis}]", True
    return None


def _axes_above(index: Form, array: str, rank: int, access: Access) -> set[int]:
    """The axes of an array whose sizes conditions keep an index below, and whether something else does."""
    found = set()
    for condition in access.place.conditions:
        for bound in condition.bounds:
            beside = bound - index
            axes = [
                one for one in range(rank) if (beside + atom(f"{array}.shape[{one}]")).constant is not None
            ]
            if axes:
                found.update(axes)
            elif _bounds_otherwise(bound, index):
                found.add(_OTHERWISE)
    return found


def _bounds_otherwise(bound: Form, index: Form) -> bool:
    """Whether a difference kept at 0 or below keeps an index below something else."""
    beside = dict((bound - index).terms)
    return bool(index.atoms()) and not any(name in index.atoms() for monomial in beside for name in monomial)


def _sizes_differ(made: Sequence[int | None], axis: int, other: int) -> bool:
    if max(axis, other) >= len(made):
        return False
    own, taken = made[axis], made[other]
    return own is not None and taken is not None and own != taken
