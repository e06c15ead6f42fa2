"""What is known of accesses through pointers, by hand."""

from __future__ import annotations

import pytest

from advisor.evidence.simulated.launches.readings.line_readings import line_readings
from advisor.evidence.simulated.launches.readings.pointer_readings import plain_name, pointer_readings
from advisor.evidence.simulated.simt.counts import AccessCounts, Statistics


def values(kind: str, lanes: int, requests: int = 10) -> dict[str, object]:
    access = AccessCounts("k.py", 3, "x", "global", kind, requests=requests, lanes=lanes, sectors=requests)
    counted = Statistics((1, 1, 1), (32, 1, 1), 1, 1, 1, True, accesses=[access])
    lines = line_readings("k", counted, (), lambda path, line: (path, line + 1), ())
    (found,) = pointer_readings(lines, counted, lambda path, line: (path, line + 1))
    assert found.line == 4
    return found.values


@pytest.mark.parametrize(
    ("kind", "lanes", "single", "sparse"),
    [("load", 320, False, False), ("load", 160, False, False), ("load", 150, False, None),
     ("store", 10, True, None), ("atomic", 10, True, None), ("atomic", 320, False, None)],
)  # fmt: skip
def test_lanes_say_who_takes_part(kind, lanes, single, sparse):
    found = values(kind, lanes)
    assert (found["single_thread"], found.get("sparse")) == (single, sparse)
    assert (found["space"], found["array"]) == ("global", "x")


def test_a_pointer_has_no_rows():
    found = values("load", 320)
    assert (found["in_row"], found["fast_axis_thread"], found["row_handed_on"]) == (False, False, False)
    assert "in_row" not in values("atomic", 320)


def test_nothing_is_said_of_an_access_that_no_lane_came_to():
    assert "single_thread" not in values("load", 0, requests=0)


@pytest.mark.parametrize(
    ("mangled", "plain"),
    [
        ("_ZZ5sgemmE2sB", "sB"),
        ("_ZZ5scaleIfEvPT_E4tile", "tile"),
        ("_ZZ1kE2E1", "E1"),
        ("_ZZ4blurE4tile_0", "tile"),
        ("_ZZ4blurE4tileX", "_ZZ4blurE4tileX"),
        ("tile", "tile"),
        ("", ""),
    ],
)
def test_shared_arrays_are_called_as_in_the_source(mangled, plain):
    assert plain_name(mangled) == plain
