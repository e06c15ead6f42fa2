"""Records of a kernel's loops."""

from __future__ import annotations

import ast

from advisor.evidence.source.kernel_walk.kernel_facts import KernelFacts
from advisor.evidence.source.kernels.access_groups import AccessGroups
from advisor.evidence.source.kernels.loop_sharing import is_shareable, walks_elements
from advisor.evidence.source.kernels.placed_records import record_at
from advisor.evidence.source.kernels.staged_tiles import stages_tile
from advisor.model.records import Record

_THREADS = ("tid.x", "tid.y", "tid.z")


def loop_records(facts: KernelFacts, groups: AccessGroups, kernel: str) -> list[Record]:
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
        record.know(
            "source",
            lane_dependent_trips=thread_trips and (loop.context.trips_loaded or loop.context.is_while),
            depth=float(len(loop.place.loops) + 1),
            over_range=loop.context.over_range,
            steps_by_grid=loop.context.steps_by_grid,
            iterations=None if loop.context.trip_count is None else float(loop.context.trip_count),
            walks_elements=walks_elements(loop, inside, facts),
            shareable=is_shareable(loop, inside, facts),
            stages_tile=stages_tile(loop, inside, facts),
            every_thread_same=None if same and facts.calls_unknown else same,
        )
        found.append(record)
    return found
