"""Records of accesses and atomics: what a warp's 32 lanes do to memory, as far as the source shows it."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence

from advisor.evidence.source.kernel_walk.affine_forms import Atoms, Form, atom
from advisor.evidence.source.kernel_walk.index_bounds import bounds_on_lanes, is_guarded, spans_the_grid
from advisor.evidence.source.kernel_walk.kernel_facts import (
    Access,
    AccessGroups,
    Array,
    AtomicUse,
    KernelFacts,
)
from advisor.evidence.source.kernels.placed_records import record_at
from advisor.evidence.source.kernels.repeated_loads import (
    block_axes,
    carried_loads,
    field_of,
    loaded_by_many,
    repeated_loads,
    same_address_again,
)
from advisor.evidence.source.kernels.wrong_results.data_updates import counts, has_several_places
from advisor.evidence.source.warps.assumed_layouts import assumptions_of, assumptions_of_rows
from advisor.evidence.source.warps.lane_addresses import SECTOR_BYTES
from advisor.evidence.source.warps.lanes import LanePattern, lane_pattern
from advisor.evidence.source.warps.register_elements import stays_in_register
from advisor.evidence.source.warps.shortest_rows import ShortestRows, shortest_rows
from advisor.evidence.source.warps.single_iterations import in_one_iteration
from advisor.evidence.source.warps.thread_use import single_thread
from advisor.evidence.source.warps.traffic_shares import know_traffic
from advisor.model.records import Record, Value
from advisor.program.launches.block_shape import BlockShape
from advisor.program.syntax.tree_nodes import below

_THREADS = frozenset({"tid.x", "tid.y", "tid.z"})
_NOTHING: frozenset[str] = frozenset()
# What a thread loads at most at a time, which is what the address has to be a multiple of.
VECTOR_BYTES = 16
# How often a loop is taken to run when accesses inside and outside of it are weighed.
_LOOP_REPEATS = 8


def access_records(
    facts: KernelFacts,
    groups: AccessGroups,
    shapes: Sequence[BlockShape],
    kernel: str,
    others: Sequence[BlockShape] = (),
    single_axes: frozenset[str] = frozenset(),
) -> list[Record]:
    """One record for each array access; of several block shapes the most favourable counts.

    `others` are blocks that the kernel may have as well, where no launch tells the shapes; along
    `single_axes` of the grid all launches have one thread.
    """
    rows = [_group(access) for access in facts.accesses]
    fields = _field_groups(facts, rows)
    named = _named_fields(facts)
    extents = {id(array): extents_of(array, groups.of(array)) for array in facts.arrays}
    found = []
    patterns: dict[object, LanePattern] = {}
    shortest: dict[object, ShortestRows | None] = {}
    assumed: dict[object, bool] = {}
    alike: dict[object, Record] = {}
    contexts: dict[object, dict[str, Value | None]] = {}
    carried = carried_loads(facts)
    by_many = loaded_by_many(facts, block_axes(facts, shapes))
    repeated = repeated_loads(facts)
    numbers = {id(array): number for number, array in enumerate(facts.arrays)}
    meeting = frozenset(loop.counter for barrier in facts.barriers for loop in barrier.place.loops)
    for position, access in enumerate(facts.accesses):
        element = access.element
        name = access.array.name
        record = record_at("access", kernel, access.place, name, f"{name}:{access.kind}")
        found.append(record)
        # Unrolled code meets one element hundreds of times under the same conditions.
        situation = (
            element, access.kind, id(access.place.loops), id(access.place.conditions), access.row is None,
            position in carried, position in by_many, position in repeated,
        )  # fmt: skip
        known = alike.setdefault(situation, record)
        if known is not record:
            record.readings = dict(known.readings)
            continue
        alike_lanes = element, bounds_on_lanes(access.place.conditions)
        pattern = patterns.get(alike_lanes)
        sizes = extents.get(id(access.array), ())
        if pattern is None:
            patterns[alike_lanes] = pattern = _best(access, facts, shapes, sizes, single_axes)
            other_patterns = [lane_pattern(access, facts.atoms, shape, sizes) for shape in others]
            assumed[alike_lanes] = any(one.is_coalesced for one in other_patterns)
            meeting_it = groups.of(access.array)
            shortest[alike_lanes] = shortest_rows(pattern, access, meeting_it, facts.atoms, shapes, sizes)
        resting = (*assumptions_of(access.array, shapes), *assumptions_of_rows(access.array, sizes, pattern))
        _know_pattern(record, access, pattern, resting)
        if (short := shortest[alike_lanes]) is not None:
            record.may_be_less(short.because, sectors_per_request=short.sectors)
        # Which element of its row an access meets makes no difference to what is around it.
        around = rows[position], *situation[1:5]
        if around not in contexts:
            contexts[around] = _context(access, facts)
        record.know("source", (), **contexts[around])
        record.know(
            "source", record_fields=fields.get(rows[position], 1),
            named_fields=named.get(element, 0),
            between_barriers=_between_barriers(access, groups, meeting),
            overwritten=_is_overwritten(access, facts, groups),
            stays_in_register=stays_in_register(access, facts),
            carried=position in carried, shared_by_threads=position in by_many,
            repeated=position in repeated, array_number=numbers.get(id(access.array)),
            block_assumed=assumed[alike_lanes],
        )  # fmt: skip
    know_exchange_effects(facts, found)
    know_row_parts(facts, found)
    know_traffic(facts, found)
    return found


def _best(
    access: Access,
    facts: KernelFacts,
    shapes: Sequence[BlockShape],
    extents: tuple[int | None, ...],
    single: frozenset[str],
) -> LanePattern:
    patterns = [lane_pattern(access, facts.atoms, shape, extents, single) for shape in shapes]
    return min(patterns, key=lambda candidate: (candidate.sectors or 0, candidate.bank_conflict_ways or 0))


def _know_pattern(record: Record, access: Access, pattern: LanePattern, assumptions: tuple[str, ...]) -> None:
    record.know(
        "source",
        assumptions,
        lane_axis=pattern.lane_axis,
        lane_stride=pattern.lane_stride,
        fast_axis_thread=pattern.fast_axis_thread,
        sectors_per_request=pattern.sectors,
        ideal_sectors_per_request=pattern.ideal_sectors,
        exchanged_sectors_per_request=pattern.exchanged_sectors,
        exchange=pattern.exchange,
        single_along_fast_axis=pattern.single_along_fast_axis,
        bank_conflict_ways=pattern.bank_conflict_ways,
    )
    if pattern.wider is not None:
        record.may_be(
            sectors_per_request=pattern.wider.sectors,
            ideal_sectors_per_request=pattern.wider.ideal_sectors,
            exchanged_sectors_per_request=pattern.wider.exchanged_sectors,
        )
    record.know(
        "source",
        array=access.array.name,
        space=access.array.space,
        kind=access.kind,
        index_kind=pattern.index_kind,
        itemsize=access.array.itemsize,
        dimensions=len(access.indices) if access.indices else None,
    )


def _context(access: Access, facts: KernelFacts) -> dict[str, Value | None]:
    """What is known of an access by its place and by what its indices depend on."""
    atoms = facts.atoms
    of_indices = [atoms.depends(index.form) for index in access.indices]
    depends = _NOTHING.union(*of_indices)
    loops = access.place.loops
    last = atoms.depends(access.fastest.form) if access.fastest else frozenset()
    chosen = _data_decides(access, atoms)
    counters = {loop.counter for loop in loops}
    return {
        "guarded": is_guarded(access, atoms),
        "loop_depth": len(loops),
        "loop_invariant": same_address_again(access, depends, facts),
        "reloaded_elements": _walked_again(access, depends),
        "thread_walks_fast_axis": bool(last & counters) and not last & _THREADS,
        "data_dependent": chosen,
        "many_to_one": _chosen_together(access, atoms),
        "thread_independent": not depends & _THREADS,
        "global_index": any(map(spans_the_grid, of_indices)),
        "outweighed_by_copies": access.array.given == "host" and _spans_no_more(access, facts),
        "empty_by_default": access.array.given == "empty",
        "single_thread": single_thread(access.place),
        "in_row": access.row is not None,
        "row_of_vectors": lacks_alignment(access.array),
        "reread_by_neighbours": access.kind == "load"
        and any(_window(index.form, counters) for index in access.indices),
        "window_iterations": _iterations(access, depends),
        "own_range": _walks_own_range(access, atoms),
        "changes_loaded": access.changes_loaded,
        "counts": counts(access),
        "several_places": chosen and has_several_places(access, facts),
    }


def _spans_no_more(access: Access, facts: KernelFacts) -> bool:
    """Whether thread indices and loops around are no more than the varying indices: an access per element."""
    varying = [index for index in access.indices if index.form.constant is None]
    return len(facts.thread_dimensions) + len(access.place.loops) <= len(varying)


def _between_barriers(access: Access, groups: AccessGroups, meeting: frozenset[str]) -> bool:
    """Whether a loop around has a barrier and meets the array at another element too, as the steps of a
    reduction do: what one step writes, other threads read in the next. `meeting` are the counters of the
    loops with barriers.
    """
    stepped = meeting.intersection(loop.counter for loop in access.place.loops)
    return bool(stepped) and any(
        other.indices != access.indices and any(loop.counter in stepped for loop in other.place.loops)
        for other in groups.of(access.array)
    )


def _is_overwritten(access: Access, facts: KernelFacts, groups: AccessGroups) -> bool:
    """Whether each iteration of the innermost loop, which goes to its end, stores the element that the one
    before has stored, and none looks at the array.
    """
    if access.kind != "store" or access.array.space != "global" or not access.place.loops:
        return False
    loop = access.place.loops[-1]
    depends = _NOTHING.union(*(facts.atoms.depends(index.form) for index in access.indices))
    if loop.counter in depends or in_one_iteration(access.place, loop):
        return False
    if any(isinstance(one, ast.Break | ast.Return) for one in below(loop.node)):
        return False
    others: list[Access | AtomicUse] = [one for one in groups.of(access.array) if one.kind != "store"]
    others += [one for one in facts.atomics if one.array is access.array]
    return not any(one.node is loop.node for other in others for one in other.place.loops)


def _walked_again(access: Access, depends: frozenset[str]) -> float | None:
    """How many elements the inner loops meet in each iteration of a loop whose counter is not in the index;
    None where it is not known how often they run.
    """
    elements = 1.0
    for loop in reversed(access.place.loops):
        if loop.counter not in depends:
            return elements if loop is not access.place.loops[-1] else 0.0
        if loop.trip_count is None:
            return None if any(one.counter not in depends for one in access.place.loops) else 0.0
        elements *= loop.trip_count
    return 0.0


def _iterations(access: Access, depends: frozenset[str]) -> float | None:
    """How often the loops run that the index follows, None where one of them has no constant count."""
    product = 1.0
    for loop in access.place.loops:
        if loop.counter in depends:
            if loop.trip_count is None:
                return None
            product *= loop.trip_count
    return product


def _data_decides(access: Access, atoms: Atoms) -> bool:
    """Whether the index comes from loaded data and no other index keeps the threads apart."""
    loaded = [atoms.loaded(index.form) for index in access.indices]
    apart = [
        not read and bool(atoms.depends(index.form) & _THREADS)
        for read, index in zip(loaded, access.indices, strict=True)
    ]
    return any(loaded) and not any(apart)


def _chosen_together(access: Access, atoms: Atoms) -> bool:
    """Whether all that keeps threads apart in the indices is many-to-one."""
    varying = [index.form for index in access.indices if atoms.depends(index.form) & _THREADS]
    return bool(varying) and all(map(atoms.many_to_one, varying))


def _walks_own_range(access: Access, atoms: Atoms) -> bool:
    """Whether the innermost loop walks from element to element of the fast axis, from a place and as far as
    data says for each thread: a list of a ragged array.
    """
    if access.fastest is None or not access.place.loops:
        return False
    loop = access.place.loops[-1]
    form = access.fastest.form
    single = {monomial[0]: abs(factor) for monomial, factor in form.terms if len(monomial) == 1}
    begins = any(
        factor == 1 and name != loop.counter and _is_loaded_by_thread(name, atoms)
        for name, factor in single.items()
    )
    return begins and single.get(loop.counter) == 1 and loop.trips_loaded and bool(loop.trips & _THREADS)


def _is_loaded_by_thread(name: str, atoms: Atoms) -> bool:
    """Whether a value is one that each thread has loaded for itself, or was computed from it alone.

    The end of a window, `max(i - width[0], 0)`, is as near to that of the next thread as `i` is.
    """
    roots = atoms.roots(atom(name))
    return all(root.startswith("load#") and bool(atoms.known[root].depends & _THREADS) for root in roots)


def _window(form: Form, counters: set[str]) -> bool:
    single = {monomial[0]: coefficient for monomial, coefficient in form.terms if len(monomial) == 1}
    thread = any(single.get(name) == 1 for name in _THREADS)
    return thread and any(abs(single.get(name, 0)) == 1 for name in counters)


def _group(access: Access) -> object:
    return (
        id(access.array),
        tuple(
            index.form.without_offset() if index.form.constant is None else None for index in access.indices
        ),
    )


def _field_groups(facts: KernelFacts, rows: Sequence[object]) -> dict[object, int]:
    """How many elements at constant distances one thread touches in the same row of an array, loops of
    constant length along it included; `rows` are those of the accesses.
    """
    offsets: dict[object, set[tuple[int, ...]]] = {}
    walked: dict[object, int] = {}
    for access, group in zip(facts.accesses, rows, strict=True):
        offsets.setdefault(group, set()).add(tuple(index.form.offset for index in access.indices))
        walked[group] = max(walked.get(group, 1), _walked(access))
    return {group: max(len(found), walked[group]) for group, found in offsets.items()}


def _named_fields(facts: KernelFacts) -> dict[object, int]:
    """How many fields of a record a kernel names, by the record."""
    found: dict[object, set[str]] = {}
    for access in facts.accesses:
        found.setdefault(access.element, set()).add(field_of(access))
    return {element: len(names - {""}) for element, names in found.items()}


def _walked(access: Access) -> int:
    """The elements that loops of constant length walk side by side, 1 where they have no such."""
    last = access.fastest.form.atoms() if access.fastest else set()
    trips = [loop.trip_count or 1 for loop in access.place.loops if loop.counter in last]
    return math.prod(trips)


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


def lacks_alignment(array: Array) -> bool | None:
    """Whether the rows of a shared array are whole vectors and its declaration asks for no alignment, so that
    the compiler only knows that of one element; None where the sizes are not constant.
    """
    if array.space != "shared" or array.parameter:
        return False
    if array.itemsize is None or not array.dims or any(size in (None, 0) for size in array.dims[-1:]):
        return None
    row = (array.dims[-1] or 0) * array.itemsize
    return row % VECTOR_BYTES == 0 and array.itemsize < VECTOR_BYTES and not _aligned(array.node)


def _aligned(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and (
        len(node.args) > 2 or any(keyword.arg in ("alignment", None) for keyword in node.keywords)
    )


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
            stretch = SECTOR_BYTES // access.array.likely_itemsizes[0]
            used = _most_together(places[_row(access)], place, max(stretch, 1))
        record.know("source", used_together=used, row_handed_on=_handed_on(access, facts))


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


def know_exchange_effects(facts: KernelFacts, records: Sequence[Record]) -> None:
    """Note with each access that the exchange would improve whether it spoils as many others.

    `records` are those of `facts.accesses`, in that order. Elements that a kernel touches several times
    count once.
    """
    improved: dict[object, int] = {}
    spoiled: dict[object, int] = {}
    concerned = []
    for access, record in zip(facts.accesses, records, strict=True):
        if access.array.space != "global":
            continue
        element = (id(access.array), access.kind, *(index.form for index in access.indices))
        weight = _LOOP_REPEATS ** len(access.place.loops)
        if record.value("lane_axis") == "slow" and record.value("fast_axis_thread"):
            improved[element] = max(weight, improved.get(element, 0))
            concerned.append(record)
        elif _lanes_share_sectors(access, record) and _other_thread_on_slow_axis(access, facts):
            spoiled[element] = max(weight, spoiled.get(element, 0))
    moves = sum(spoiled.values()) >= sum(improved.values())
    for record in concerned:
        record.know("source", exchange_moves_problem=moves)


def _lanes_share_sectors(access: Access, record: Record) -> bool:
    """Whether neighbouring lanes meet neighbouring elements along the fast axis. Places that were loaded or
    computed lie anywhere: an exchange takes no order from them.
    """
    stride = record.value("lane_stride")
    if record.value("lane_axis") != "fast" or not isinstance(stride, float):
        return False
    return 0 < abs(stride) * access.array.likely_itemsizes[0] < SECTOR_BYTES


def _other_thread_on_slow_axis(access: Access, facts: KernelFacts) -> bool:
    """Whether another thread index than that of the lanes runs along another axis than the fast one."""
    fast = access.fastest
    if fast is None:
        return False
    used = facts.atoms.depends(fast.form)
    others = [facts.atoms.depends(index.form) for index in access.indices if index is not fast]
    return any(name in other and name not in used for other in others for name in _THREADS)
