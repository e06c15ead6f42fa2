"""Which atomic operations one lane does for its whole warp: ptxas adds up whole numbers of a warp itself."""

from __future__ import annotations

from collections.abc import Mapping

from advisor.model.records import Record


def note_warp_aggregation(merged: Mapping[str, Mapping[str, Record]]) -> None:
    """Note of each atomic whether the machine code of its line combines or counts lanes as well."""
    lines = {(one.owner, one.path, one.span.line): one for one in merged.get("line", {}).values()}
    for atomic in merged.get("atomic", {}).values():
        line = lines.get((atomic.owner, atomic.path, atomic.span.line))
        counts = {} if line is None else line.readings
        updates, sums = counts.get("atomic_instructions"), counts.get("warp_sum_instructions")
        if updates is not None and sums is not None and updates.value:
            atomic.know("compiled", aggregated=bool(sums.value))
