"""Metrics that say whether the sectors of an access serve again, or another order of threads needs fewer."""

from __future__ import annotations

import pytest

from advisor.check.rulebook import rulebook_for
from advisor.evidence.metrics.tables import build_tables
from advisor.model.records import Record
from advisor.model.settings.config import Config
from advisor.model.text.source_text import Span
from advisor.rules.checking.computed_metrics import fill_in

RULEBOOK = rulebook_for(Config())
# 32 sectors where 8 would do: four elements share a sector, in rows of 15 doubles.
TOGETHER = {
    "sectors_per_request": 32.0, "ideal_sectors_per_request": 8.0, "used_together": 2.0, "lane_stride": 15,
    "itemsize": 8, "named_fields": 1,
}  # fmt: skip
SERVE = {
    "two elements of a sector of four": ({}, True),
    "one element": ({"used_together": 1.0}, False),
    "of a row of 128 bytes": ({"lane_stride": 16}, False),
    "rows of any length": ({"lane_stride": None}, True),
    "eight fields of four bytes": ({"used_together": 1.0, "named_fields": 8, "itemsize": 4}, True),
    "seven of them": ({"used_together": 1.0, "named_fields": 7, "itemsize": 4}, False),
    "four fields of eight bytes": ({"used_together": 1.0, "named_fields": 4}, True),
    "not counted": ({"sectors_per_request": None, "named_fields": None}, None),
}
SLOW = {
    "lane_axis": "slow", "fast_axis_thread": True, "sectors_per_request": 32.0,
    "exchanged_sectors_per_request": 25.0, "exchange_moves_problem": False,
}  # fmt: skip
EXCHANGE = {
    "25 of 32 sectors": ({}, True),
    "26 of them": ({"exchanged_sectors_per_request": 26.0}, False),
    "another array has them then": (
        {"exchanged_sectors_per_request": 32.0, "exchange_moves_problem": True},
        True,
    ),
    "along the fast axis": ({"lane_axis": "fast"}, False),
    "no other thread index": ({"fast_axis_thread": False}, False),
}


def truth(metric: str, values: dict[str, object]) -> bool | None:
    """The value of a metric of an access, None where it is unknown."""
    kernel, access = (Record(entity, entity, "a.py", Span(1), "k", owner) for entity, owner in
                      (("kernel", None), ("access", "kernel")))  # fmt: skip
    access.know("source", **{name: value for name, value in values.items() if value is not None})
    tables = build_tables([kernel, access], RULEBOOK.owner_entity())
    fill_in(RULEBOOK, tables)
    value = tables["access"].columns[metric].values[0]
    return None if value != value else bool(value == 1.0)


@pytest.mark.parametrize("name", SERVE)
def test_sectors_that_serve_again(name: str) -> None:
    changed, expected = SERVE[name]
    assert truth("sectors_serve_again", {**TOGETHER, **changed}) is expected


@pytest.mark.parametrize("name", EXCHANGE)
def test_an_exchange_that_would_do(name: str) -> None:
    changed, expected = EXCHANGE[name]
    assert truth("exchange_would_do", {**SLOW, **changed}) is expected


@pytest.mark.parametrize(("threads", "share"), [(108 * 2048, 1.0), (27 * 2048, 0.25), (None, None)])
def test_share_of_the_places_for_threads(threads: int | None, share: float | None) -> None:
    records = [
        Record("kernel", "k", "a.py", Span(1), "k", None),
        Record("launch", "l", "a.py", Span(2), "k", "k"),
    ]
    records[1].know(
        "source", other_threads=threads, **({"blocks": threads / 64, "block_threads": 64} if threads else {})
    )
    records.append(Record("device", "d", "", Span(1), "d", None))
    records[2].know("source", sm_count=108, max_threads_per_sm=2048)
    tables = build_tables(records, RULEBOOK.owner_entity())
    fill_in(RULEBOOK, tables)
    for metric in ("share_of_places", "others_share_of_places"):
        column = tables["launch"].columns.get(metric)
        value = None if column is None else column.values[0]
        assert (None if value is None or value != value else value) == share
