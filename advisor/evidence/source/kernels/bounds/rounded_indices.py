"""Indices without a bound, along axes of the grid that the launches in sight round up to whole blocks."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.evidence.source.kernel_walk.index_bounds import unbounded_axes
from advisor.evidence.source.kernel_walk.kernel_facts import KernelFacts
from advisor.model.records import Record
from advisor.program.launches.launched_as import LaunchedAs


def know_rounded_indices(facts: KernelFacts, launched: LaunchedAs, records: Sequence[Record]) -> None:
    """Say of each access, whose record stands at its place, whether no condition bounds an index along an
    axis that a launch rounds up, and whether all such axes have blocks of one thread.
    """
    single = frozenset(
        axis
        for axis in "xyz"
        if launched.blocks and all(getattr(block, axis) == 1 for block in launched.blocks)
    )
    for access, record in zip(facts.accesses, records, strict=True):
        axes = unbounded_axes(access, facts.atoms) if access.array.space == "global" else frozenset()
        record.know(
            "source",
            rounded_index=bool(axes & launched.rounded_axes) or None,
            in_blocks_of_one=bool(axes) and axes <= single,
        )
