"""Records of a kernel's loops: which stage tiles, and whether threads could share the iterations."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from advisor.evidence.source.kernel_walk.affine_forms import THREAD
from advisor.evidence.source.kernel_walk.kernel_facts import Access, AccessGroups, KernelFacts, LoopUse
from advisor.evidence.source.kernels.bounds.launch_sized_loops import elements_left_out
from advisor.evidence.source.kernels.bounds.tiles import know_left_out_tiles
from advisor.evidence.source.kernels.carried_values import carries_values
from advisor.evidence.source.kernels.placed_records import record_at
from advisor.evidence.source.kernels.summing_loops import draws_samples, summed_alike, sums_elements
from advisor.evidence.source.kernels.wrong_results.halving_loops import odd_extent
from advisor.model.compilation_unit import StatedLaunch
from advisor.model.records import Record
from advisor.program.syntax.statement_places import begin
from advisor.program.syntax.tree_nodes import below

_THREADS = ("tid.x", "tid.y", "tid.z")
_Position = tuple[int, int]


def loop_records(
    facts: KernelFacts, groups: AccessGroups, launches: Sequence[StatedLaunch], kernel: str
) -> list[Record]:
    """One record for each loop."""
    found = []
    for loop in facts.loops:
        inside = groups.inside(loop.context.counter)
        conditional = any(
            name.startswith(("tid.", "bid."))
            for condition in loop.place.conditions
            for name in condition.depends
        )
        trips = any(name.startswith(("tid.", "bid.")) for name in loop.context.trips)
        record = record_at("loop", kernel, loop.place, "while" if loop.context.is_while else "for")
        header = loop.place.node
        if isinstance(header, ast.For | ast.While):
            last = header.iter if isinstance(header, ast.For) else header.test
            span = loop.place.module.span(header)
            end = loop.place.module.span(last)
            record.span = type(span)(span.line, span.column, end.end_line, end.end_column)
        same = loop.stores and not (loop.body_depends_on_thread or conditional or trips)
        thread_trips = any(name in loop.context.trips for name in _THREADS)
        halved, odd = odd_extent(loop, launches) or ("", None)
        record.know(
            "source",
            lane_dependent_trips=thread_trips and (loop.context.trips_loaded or loop.context.is_while),
            depth=len(loop.place.loops) + 1,
            halves=halved,
            odd_extent=odd,
            over_range=loop.context.over_range,
            steps_by_grid=loop.context.steps_by_grid,
            iterations=loop.context.trip_count,
            walks_elements=walks_elements(loop, inside, facts),
            shareable=is_shareable(loop, inside, facts),
            draws_samples=draws_samples(loop, inside),
            stages_tile=stages_tile(loop, inside, facts),
            ends_with_grid=ends_with_grid(loop, inside, facts),
            summed_alike=summed_alike(loop, inside, facts),
            every_thread_same=None if same and facts.calls_unknown else same,
        )
        know_left_out_tiles(loop, inside, facts, record)
        left = elements_left_out(loop, inside, facts, launches)
        record.know(
            "source",
            launch_size_counted=left.count if left else "",
            left_out_array=left.array if left else "",
            left_out_axis=left.axis if left else None,
            elements_reached=left.reached if left else None,
            elements_there=left.elements if left else None,
        )
        found.append(record)
    return found


def stages_tile(loop: LoopUse, accesses: Sequence[Access], facts: KernelFacts) -> bool:
    """Whether each iteration stores what it loads from global memory to a shared array, passes a barrier of
    this loop, and reads the array behind it.

    A value that an earlier iteration loaded is a tile fetched ahead, as is a store to one half of the array
    while the other is read; neither counts. `accesses` are those in the loop.
    """
    node = loop.place.node
    if not facts.barriers or not isinstance(node, ast.For | ast.While):
        return False
    counter, module = loop.context.counter, loop.place.module
    inside = {id(access.place.node): access for access in accesses if access.place.module is module}
    barriers = [
        begin(barrier.place.node)
        for barrier in facts.barriers
        if barrier.place.module is module
        and barrier.place.loops
        and barrier.place.loops[-1].counter == counter
    ]
    reads = [
        (id(access.array), begin(access.place.node))
        for access in inside.values()
        if access.array.space == "shared" and access.kind == "load"
    ]
    return any(
        any(stored < barrier and any(a == array and barrier < at for a, at in reads) for barrier in barriers)
        for array, stored in _filled(node, inside)
    )


def _filled(loop: ast.For | ast.While, inside: dict[int, Access]) -> Iterator[tuple[int, _Position]]:
    """The shared arrays that the loop stores loaded elements to, by identity, and where."""
    fetched: set[str] = set()
    for statement in (one for part in loop.body for one in below(part)):
        if not isinstance(statement, ast.Assign):
            continue
        loaded = any(
            (access := inside.get(id(inner))) is not None
            and access.array.space == "global"
            and access.kind == "load"
            for inner in below(statement.value)
        )
        named = isinstance(statement.value, ast.Name) and statement.value.id in fetched
        for target in statement.targets:
            access = inside.get(id(target))
            if isinstance(target, ast.Name) and loaded:
                fetched.add(target.id)
            elif access is not None and access.array.space == "shared" and (loaded or named):
                yield id(access.array), begin(target)


def ends_with_grid(loop: LoopUse, inside: Sequence[Access], facts: KernelFacts) -> bool:
    """Whether a loop over tiles of a matrix has as many iterations as the grid has blocks: each thread loads,
    in a row or column of its own, the element at its place in the tile.
    """
    return loop.context.counts_blocks and any(
        access.array.space == "global" and len(access.indices) > 1 and _is_in_tile(access, loop, facts)
        for access in inside
    )


def _is_in_tile(access: Access, loop: LoopUse, facts: KernelFacts) -> bool:
    """Whether one index is a thread's place in an iteration's tile, and another its place in the grid."""
    counter = loop.context.counter
    for index in access.indices:
        terms = dict(index.form.terms)
        threads = [name for name in THREAD if terms.get((name,)) == 1]
        tile = any(
            counter in monomial and (coefficient > 1 or len(monomial) > 1)
            for monomial, coefficient in terms.items()
        )
        others = (other for other in access.indices if other is not index)
        if threads and tile and not any(name.startswith("bid.") for name in index.form.atoms()):
            return any(
                name.startswith("bid.") for other in others for name in facts.atoms.depends(other.form)
            )
    return False


def walks_elements(loop: LoopUse, inside: Sequence[Access], facts: KernelFacts) -> bool:
    """Whether an outermost loop over a range, as long as values of the kernel or a constant say, goes from
    element to element of an array that the kernel is given; `inside` are the accesses in the loop.
    """
    return (
        not loop.place.loops
        and loop.context.over_range
        and _length_is_told(loop)
        and any(access.array.parameter and _follows(access, loop, facts) for access in inside)
    )


def is_shareable(loop: LoopUse, inside: Sequence[Access], facts: KernelFacts) -> bool:
    """Whether more threads could share the iterations: the loop steps by the grid's size, each iteration
    stores elements of its own and needs no value of another, or all of them add up elements; `inside` are
    the accesses in it.
    """
    return (
        loop.context.steps_by_grid
        or _has_independent_iterations(loop, inside, facts)
        or sums_elements(loop, inside, facts)
    )


def _has_independent_iterations(loop: LoopUse, inside: Sequence[Access], facts: KernelFacts) -> bool:
    node = loop.place.node
    if not isinstance(node, ast.For) or not loop.context.over_range or not _length_is_told(loop):
        return False
    if facts.threads_meet or _may_end_early(node) or carries_values(node):
        return False
    stores = [one for one in inside if one.kind != "load" and one.array.space != "local"]
    counter = loop.context.counter
    adds = any(around.counter == counter for atomic in facts.atomics for around in atomic.place.loops)
    if not (stores or adds) or not all(_follows(one, loop, facts) for one in stores):
        return False
    places = [(id(one.array), one.indices) for one in stores]
    arrays = {array for array, _ in places}
    return all((id(one.array), one.indices) in places for one in inside if id(one.array) in arrays)


def _length_is_told(loop: LoopUse) -> bool:
    return loop.context.trip_count is not None or loop.context.of_values


def _follows(access: Access, loop: LoopUse, facts: KernelFacts) -> bool:
    counter = loop.context.counter
    return any(counter in facts.atoms.depends(index.form) for index in access.indices)


def _may_end_early(loop: ast.For) -> bool:
    """Whether a `break` of this loop or a `return` may leave out iterations."""
    inner: set[ast.AST] = set()
    for node in (one for statement in loop.body for one in below(statement)):
        if isinstance(node, ast.Return) or (isinstance(node, ast.Break) and node not in inner):
            return True
        if isinstance(node, ast.For | ast.While):
            inner.update(below(node))
    return False
