"""Which local arrays lie in local memory, by the machine code of the lines that use them."""

from __future__ import annotations

import pytest

from advisor.evidence.metrics.local_traffic import note_local_traffic
from advisor.evidence.metrics.tables import merge_records
from advisor.model.records import Record
from advisor.model.text.source_text import Span


def array(name: str, dynamic: bool = True, space: str = "local") -> Record:
    record = Record("array", f"array:{name}", "a.py", Span(1), name, "k")
    record.know("source", space=space, dynamic_index=dynamic, array_number=ord(name), bytes=128.0)
    return record


def access(name: str, line: int) -> Record:
    record = Record("access", f"{name}:{line}", "a.py", Span(line), name, "k")
    record.know("source", array=name, space="local", array_number=ord(name))
    return record


def line(number: int, loads: float, stores: float = 0.0) -> Record:
    record = Record("line", f"line:{number}", "a.py", Span(number), f"line {number}", "k")
    record.know("compiled", local_loads=loads, local_stores=stores)
    return record


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        # A line of its own with a load, or with a store.
        ([array("x"), access("x", 3), line(3, 1)], {"x": True}),
        ([array("x"), access("x", 3), line(3, 0, 2)], {"x": True}),
        # One line of several is enough: what was loaded before need not be loaded again.
        ([array("x"), access("x", 3), access("x", 4), line(3, 1), line(4, 0)], {"x": True}),
        ([array("x"), access("x", 3), access("x", 4), line(3, 0), line(4, 0)], {"x": False}),
        # The load of line 3 may be of either; only x has a line of its own.
        (
            [array("x"), array("y"), access("x", 3), access("y", 3), access("x", 4), line(3, 1), line(4, 0)],
            {"x": False, "y": None},
        ),
        # None of its lines does, whatever else these meet.
        ([array("x"), array("y"), access("x", 3), access("y", 3), line(3, 0)], {"x": False, "y": False}),
        # An array with constant indices takes no part.
        ([array("x"), array("y", dynamic=False), access("x", 3), access("y", 3), line(3, 1)], {"x": True}),
        ([array("x", space="shared"), access("x", 3), line(3, 1)], {"x": None}),
        # Not compiled.
        ([array("x"), access("x", 3)], {"x": None}),
    ],
)
def test_what_the_lines_say_of_each_array(records: list[Record], expected: dict[str, bool | None]) -> None:
    merged = merge_records(records)
    note_local_traffic(merged)
    for name, verdict in expected.items():
        reading = merged["array"][f"array:{name}"].readings.get("local_traffic")
        assert (None if reading is None else reading.value) is verdict


def kernel(local_bytes: float | None, spilled: float = 0.0) -> Record:
    record = Record("kernel", "k", "a.py", Span(1), "k")
    if local_bytes is not None:
        record.know("compiled", local_bytes=local_bytes, spill_store_bytes=spilled)
    return record


TOGETHER = [array("x"), array("y"), access("x", 3), access("y", 3), line(3, 1)]


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        ([kernel(128), *TOGETHER], {"x": True, "y": True}),
        ([kernel(256), *TOGETHER], {"x": False, "y": False}),
        # Spilled registers take local memory as well.
        ([kernel(256, 64), *TOGETHER], {"x": True, "y": True}),
        # What is known to lie there takes its room; what is known to be in registers takes none.
        ([kernel(128), *TOGETHER, access("x", 4), line(4, 1)], {"x": None, "y": True}),
        ([kernel(128), *TOGETHER, access("x", 4), line(4, 0)], {"x": None, "y": False}),
        ([kernel(None), *TOGETHER], {"x": None, "y": None}),
    ],
)
def test_which_find_no_room(records: list[Record], expected: dict[str, bool | None]) -> None:
    merged = merge_records(records)
    note_local_traffic(merged)
    found = {name: merged["array"][f"array:{name}"].value("without_room") for name in expected}
    assert found == expected
