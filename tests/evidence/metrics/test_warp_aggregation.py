"""Atomics that the machine code does once for a warp."""

from __future__ import annotations

import pytest

from advisor.evidence.metrics.tables import merge_records
from advisor.evidence.metrics.warp_aggregation import note_warp_aggregation
from advisor.model.records import Record
from advisor.model.text.source_text import Span


@pytest.mark.parametrize(
    ("updates", "sums", "aggregated"),
    [(1.0, 1.0, True), (2.0, 0.0, False), (0.0, 1.0, None), (None, None, None)],
)
def test_what_the_line_says_of_an_atomic(
    updates: float | None, sums: float | None, aggregated: bool | None
) -> None:
    atomic = Record("atomic", "a", "a.py", Span(3), "cuda.atomic.add", "k")
    line = Record("line", "l", "a.py", Span(3), "line 3", "k")
    line.know("compiled", atomic_instructions=updates, warp_sum_instructions=sums)
    merged = merge_records([atomic, line, Record("line", "other", "b.py", Span(3), "line 3", "k")])
    note_warp_aggregation(merged)
    reading = merged["atomic"]["a"].readings.get("aggregated")
    assert (None if reading is None else reading.value) is aggregated
