"""Records of accesses and atomics: what a warp's 32 lanes do to memory, as far as the source shows it."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence

from advisor.evidence.source.kernel_walk.affine_forms import Atoms, Form
from advisor.evidence.source.kernel_walk.index_bounds import bounds_on_lanes, is_guarded, spans_the_grid
from advisor.evidence.source.kernel_walk.kernel_facts import Access, KernelFacts
from advisor.evidence.source.kernels.access_groups import AccessGroups
from advisor.evidence.source.kernels.access_reuse import block_axes, carried_loads, loaded_by_many
from advisor.evidence.source.kernels.repeated_loads import field_of, repeated_loads
from advisor.evidence.source.warps.assumed_layouts import assumptions_of, length_of_row
from advisor.evidence.source.warps.exchange_effects import know_exchange_effects
from advisor.evidence.source.warps.lane_addresses import SECTOR_BYTES
from advisor.evidence.source.warps.lanes import LanePattern, lane_pattern
from advisor.evidence.source.warps.row_lengths import extents_of
from advisor.evidence.source.warps.row_parts import know_row_parts
from advisor.evidence.source.warps.thread_use import single_thread
from advisor.evidence.source.warps.traffic_shares import know_traffic
from advisor.evidence.source.warps.vector_rows import lacks_alignment
from advisor.model.records import Record, Value
from advisor.program.launches.block_shape import BlockShape
from advisor.program.syntax.tree_nodes import below

_THREADS = frozenset({"tid.x", "tid.y", "tid.z"})
_NOTHING: frozenset[str] = frozenset()


def access_records(
    facts: KernelFacts,
    groups: AccessGroups,
    shapes: Sequence[BlockShape],
    kernel: str,
    block_assumed: bool = False,
) -> list[Record]:
    """One record for each array access; of several block shapes the most favourable counts.

    `block_assumed` says that no launch tells the shapes.
    """
    rows = [_group(access) for access in facts.accesses]
    fields = _field_groups(facts, rows)
    named = _named_fields(facts)
    extents = {id(array): extents_of(array, groups.of(array)) for array in facts.arrays}
    found = []
    patterns: dict[object, LanePattern] = {}
    alike: dict[object, Record] = {}
    contexts: dict[object, dict[str, Value | None]] = {}
    carried = carried_loads(facts)
    by_many = loaded_by_many(facts, block_axes(facts, shapes))
    repeated = repeated_loads(facts)
    meeting = frozenset(loop.counter for barrier in facts.barriers for loop in barrier.place.loops)
    for position, access in enumerate(facts.accesses):
        element = access.element
        record = _record(access, kernel)
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
        if pattern is None:
            patterns[alike_lanes] = pattern = _best(access, facts, shapes, extents.get(id(access.array), ()))
        _know_pattern(record, access, pattern, assumptions_of(access.array, shapes))
        # Which element of its row an access meets makes no difference to what is around it.
        around = rows[position], *situation[1:5]
        if around not in contexts:
            contexts[around] = _context(access, facts)
        record.know("source", (), **contexts[around])
        record.know(
            "source", record_fields=float(fields.get(rows[position], 1)),
            named_fields=float(named.get(element, 0)),
            between_barriers=_between_barriers(access, groups, meeting),
            carried=position in carried, shared_by_threads=position in by_many,
            repeated=position in repeated, block_assumed=block_assumed,
        )  # fmt: skip
    know_exchange_effects(facts, found)
    know_row_parts(facts, found)
    know_traffic(facts, found)
    return found


def _best(
    access: Access, facts: KernelFacts, shapes: Sequence[BlockShape], extents: tuple[int | None, ...]
) -> LanePattern:
    patterns = [lane_pattern(access, facts.atoms, shape, extents) for shape in shapes]
    return min(patterns, key=lambda candidate: (candidate.sectors or 0, candidate.bank_conflict_ways or 0))


def _record(access: Access, kernel: str) -> Record:
    node = access.place.node
    place = f"{access.place.module.path}:{getattr(node, 'lineno', 0)}:{getattr(node, 'col_offset', 0)}"
    return Record(
        "access",
        f"{kernel}:{place}:{access.array.name}:{access.kind}",
        access.place.module.path,
        access.place.module.span(node),
        access.array.name,
        kernel,
    )


def _know_pattern(record: Record, access: Access, pattern: LanePattern, assumptions: tuple[str, ...]) -> None:
    if pattern.lane_axis == "slow" and pattern.lane_stride is None and length_of_row(access.array) is None:
        length = f"A row of `{access.array.name}` is taken to be at least {SECTOR_BYTES} bytes long."
        assumptions = (*assumptions, length)
    record.know(
        "source",
        assumptions,
        lane_axis=pattern.lane_axis,
        lane_stride=None if pattern.lane_stride is None else float(pattern.lane_stride),
        fast_axis_thread=pattern.fast_axis_thread,
        sectors_per_request=_number(pattern.sectors),
        ideal_sectors_per_request=_number(pattern.ideal_sectors),
        exchanged_sectors_per_request=_number(pattern.exchanged_sectors),
        exchange=pattern.exchange,
        bank_conflict_ways=_number(pattern.bank_conflict_ways),
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
        itemsize=_number(access.array.itemsize),
        dimensions=float(len(access.indices)) if access.indices else None,
    )


def _context(access: Access, facts: KernelFacts) -> dict[str, Value | None]:
    """What is known of an access by its place and by what its indices depend on."""
    atoms = facts.atoms
    of_indices = [atoms.depends(index.form) for index in access.indices]
    depends = _NOTHING.union(*of_indices)
    loops = access.place.loops
    last = atoms.depends(access.fastest.form) if access.fastest else frozenset()
    counters = {loop.counter for loop in loops}
    return {
        "guarded": is_guarded(access, atoms),
        "loop_depth": float(len(loops)),
        "loop_invariant": _same_address_again(access, depends),
        "reloaded_elements": _walked_again(access, depends),
        "thread_walks_fast_axis": bool(last & counters) and not last & _THREADS,
        "data_dependent": _data_decides(access, atoms),
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
    }


def _spans_no_more(access: Access, facts: KernelFacts) -> bool:
    """Whether thread indices and loops around are no more than the varying indices: an access per element."""
    varying = [index for index in access.indices if index.form.constant is None]
    return len(facts.thread_dimensions) + len(access.place.loops) <= len(varying)


def _same_address_again(access: Access, depends: frozenset[str]) -> bool:
    """Whether the innermost loop meets one address in each iteration; for an update also a loop further out,
    where the loops inside of it walk to their ends and do not search for the element.
    """
    for loop in reversed(access.place.loops):
        if loop.counter not in depends:
            return True
        if access.kind != "update" or _may_break(loop.node):
            return False
    return False


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


def _may_break(loop: ast.AST) -> bool:
    return any(isinstance(inner, ast.Break) for inner in below(loop))


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


def _number(value: int | None) -> float | None:
    return None if value is None else float(value)
