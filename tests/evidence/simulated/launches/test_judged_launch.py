"""The launch that a kernel is judged by is the one that takes longest, not the one with most instructions."""

from __future__ import annotations

from functools import partial

import pytest

from advisor.evidence.metrics.launch_weight import launch_weight
from advisor.evidence.simulated.launches.judged_launch import (
    counted_launches,
    judged_launch,
    weighed_launches,
)
from advisor.evidence.simulated.launches.store import LaunchRow
from advisor.evidence.simulated.simt.counts import AccessCounts, Statistics
from advisor.model.devices import find_device

DEVICE = find_device("a100-80gb")
GRID, BLOCK = (1000, 1, 1), (256, 1, 1)


def statistics(*, slots: int, sectors: int, detailed: int = 4, lanes: int | None = None) -> Statistics:
    """The counts of a launch with so many issue slots, and sectors that are loaded once each."""
    load = AccessCounts("k.py", 1, "a", "global", "load", requests=8000, sectors=sectors, ideal=sectors)
    return Statistics(
        GRID, BLOCK, 1000, 1000, detailed, True, warps=8000, warp_instructions=slots,
        lane_instructions=lanes or slots * 32, slots={"int": slots}, loaded_sectors=sectors, accesses=[load],
    )  # fmt: skip


def row(number: int, counted: Statistics | None, counts: int | None) -> LaunchRow:
    data = None if counted is None else counted.as_data()
    return LaunchRow(
        number, "k", "k.py", 1, "", "k.py", 9, GRID, BLOCK, 0, [], 0, 0.0, 0.0, statistics=data, counts=counts
    )


def judged(*launches: Statistics) -> int:
    """The number of the launch that is chosen, from 1."""
    rows = [row(number, one, number) for number, one in enumerate(launches, 1)]
    weighed = weighed_launches(counted_launches(rows), partial(launch_weight, device=DEVICE))
    return judged_launch(weighed).row.number


def test_many_sectors_outweigh_more_instructions():
    # 64 MB take 33 us at 1.9 TB/s; 1.1 million slots of 108 SMs with four a cycle at 1.41 GHz take 1.8 us.
    busy = statistics(slots=1_100_000, sectors=2_000)
    moving = statistics(slots=1_000_000, sectors=2_000_000)
    assert judged(busy, moving) == 2
    assert judged(moving, busy) == 1


def test_a_launch_looked_at_closely_is_taken_for_one_that_is_hardly_longer():
    assert (
        judged(statistics(slots=10**8, sectors=9), statistics(slots=101 * 10**6, sectors=9, detailed=0)) == 1
    )
    assert judged(statistics(slots=10**8, sectors=9), statistics(slots=2 * 10**8, sectors=9, detailed=0)) == 2


def test_without_any_close_look_the_longest_is_taken():
    assert judged(
        statistics(slots=10**6, sectors=9, detailed=0), statistics(slots=10**8, sectors=9, detailed=0)
    ) == 2  # fmt: skip


def test_launches_with_the_same_counts_are_one_with_their_number():
    one, other = statistics(slots=10**6, sectors=9), statistics(slots=10**6, sectors=10)
    plain = statistics(slots=10**6, sectors=9, detailed=0)
    rows = [row(1, plain, 1), row(2, one, 2), row(3, other, 3), row(4, plain, 1), row(5, None, None)]
    found = counted_launches(rows)
    assert [(each.row.number, each.launches) for each in found] == [(2, 3), (3, 1)]


def test_without_counts_there_is_no_such_launch():
    with pytest.raises(ValueError):
        judged()
