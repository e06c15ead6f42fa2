"""How much of a row a thread uses: constant places of it, and rows that unknown functions are given."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.evidence.source.kernel_walk.affine_forms import Form
from advisor.evidence.source.kernel_walk.kernel_facts import Access, KernelFacts
from advisor.evidence.source.warps.lane_addresses import SECTOR_BYTES
from advisor.evidence.source.warps.lanes import UNKNOWN_ITEMSIZES
from advisor.model.records import Record


def know_row_parts(facts: KernelFacts, records: Sequence[Record]) -> None:
    """Note with each access, given with its record, how many elements of the stretch of a sector's
    length that holds most of them its thread uses at constant places of the row, and whether the row goes to
    a function that is not known.
    """
    places: dict[object, set[int]] = {}
    for access in facts.accesses:
        place = _place(access)
        if place is not None:
            places.setdefault(_row(access), set()).add(place)
    for access, record in zip(facts.accesses, records, strict=True):
        place = _place(access)
        used = 1
        if place is not None:
            stretch = SECTOR_BYTES // (access.array.itemsize or UNKNOWN_ITEMSIZES[0])
            used = _most_together(places[_row(access)], place, max(stretch, 1))
        record.know("source", used_together=float(used), row_handed_on=_handed_on(access, facts))


def _place(access: Access) -> int | None:
    """The constant place in its row that an access names; None where the thread walks over rows in a loop, as
    over a list of its own, which could lie the other way round.
    """
    if access.fastest is None or len(access.indices) < 2:
        return None
    if any(name.startswith("loop#") for index in access.indices for name in index.form.atoms()):
        return None
    return access.fastest.form.constant


def _row(access: Access) -> object:
    return (id(access.array), *(index.form for index in access.indices if index is not access.fastest))


def _most_together(places: set[int], place: int, stretch: int) -> int:
    """The most places, one of them given, in so many elements side by side; those from the end lie apart."""
    near = [one for one in places if (one < 0) == (place < 0)]
    return max(
        sum(first <= one < first + stretch for one in near) for first in range(place - stretch + 1, place + 1)
    )


def _handed_on(access: Access, facts: KernelFacts) -> bool:
    forms: list[Form] = [index.form for index in access.indices]
    return any((id(access.array), *forms[:count]) in facts.rows_handed_on for count in range(1, len(forms)))
