"""How long the rows of an array are, by the places that a kernel touches in them."""

from __future__ import annotations

from advisor.evidence.source.kernel_walk.kernel_facts import Access, Array


def extents_of(array: Array, accesses: list[Access]) -> tuple[int | None, ...]:
    """The sizes of an array along its axes; a row only touched at constant places, or walked by loops of
    constant length, is taken to end there.
    """
    if array.dims:
        return array.dims
    ranks = {len(access.indices) for access in accesses}
    if len(ranks) != 1:
        return ()
    rank = ranks.pop()
    sizes: list[int | None] = [None] * rank
    for axis in range(rank):
        places = [_last_place(access, axis) for access in accesses]
        known = [value for value in places if value is not None and value >= 0]
        if len(array.made) == rank and array.made[axis] is not None:
            sizes[axis] = array.made[axis]
        elif len(known) == len(places) and known:
            sizes[axis] = max(known) + 1
    return tuple(sizes)


def _last_place(access: Access, axis: int) -> int | None:
    """The highest index along an axis, where it is a constant or follows loops of constant length alone."""
    form = access.indices[axis].form
    trips = {loop.counter: loop.trip_count for loop in access.place.loops}
    names = form.atoms()
    if any(trips.get(name) is None for name in names) or any(len(term) > 1 for term, _ in form.terms):
        return None
    rising = {term[0] for term, factor in form.terms if term and factor > 0}
    return form.evaluate(lambda name: max((trips[name] or 1) - 1, 0) if name in rising else 0)
