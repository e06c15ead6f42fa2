"""Values that an assumption may make larger are told as a range, and judged by the smaller end."""

from __future__ import annotations

import pytest

from advisor.model.records import Record
from advisor.model.text.source_text import Span
from advisor.rules.units import find_unit, format_range, format_value


@pytest.mark.parametrize(
    ("least", "most", "unit", "text"),
    [
        (4, 8, "sectors/request", "4 to 8 sectors/request"),
        (1, 4, "sectors/request", "1 to 4 sectors/request"),
        (0.25, 0.5, "ratio", "25% to 50%"),
        (512, 2048, "byte", "512 B to 2 KiB"),
        (1024, 2048, "byte", "1 to 2 KiB"),
        (3, 12, "count", "3 to 12"),
    ],
)
def test_how_a_range_is_written(least: float, most: float, unit: str, text: str) -> None:
    found = find_unit(unit)
    assert found is not None and format_range(least, most, found) == text


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (1, "sectors/request", "1 sector/request"),
        (1.5, "sectors/request", "1.5 sectors/request"),
        (0, "sectors/request", "0 sectors/request"),
        (32, "sectors/request", "32 sectors/request"),
        (1, "requests", "1 request"),
        (1, "ms", "1 ms"),
        (1, "flop/byte", "1 FLOP/byte"),
        (1, "count", "1"),
    ],
)
def test_one_of_a_unit_is_no_plural(value: float, unit: str, text: str) -> None:
    found = find_unit(unit)
    assert found is not None and format_value(value, found) == text


def test_only_larger_values_of_what_is_known_are_noted() -> None:
    record = Record("access", "a", "k.py", Span(1, 1, 1, 2), "a")
    record.know("source", sectors=4.0, ideal=4.0)
    record.may_be(sectors=8.0, ideal=4.0, unknown=3.0, missing=None)
    assert {name: reading.most for name, reading in record.readings.items()} == {
        "sectors": 8.0,
        "ideal": None,
    }
