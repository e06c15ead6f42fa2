"""The launch that a kernel is judged by is the one that takes longest, not the one with most instructions."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

from advisor.evidence.metrics.launch_weight import launch_weight
from advisor.evidence.simulated.launches.judged_launch import (
    counted_launches,
    judged_launch,
    launches_as_long,
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
    return judged_of([row(number, one, number) for number, one in enumerate(launches, 1)])


def judged_of(rows: list[LaunchRow]) -> int:
    weighed = weighed_launches(counted_launches(rows), partial(launch_weight, device=DEVICE))
    return judged_launch(weighed).row.number


def with_look(counted: Statistics, l1_hits: int) -> Statistics:
    """The counts with a look at 100 sectors, of which so many hit L1 and no other hits L2."""
    look = {"l1_sectors": 100, "l1_hits": l1_hits, "l2_sectors": 100 - l1_hits, "looked_up": 25}
    return replace(counted, accesses=[replace(one, **look) for one in counted.accesses])


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


def test_many_short_launches_outweigh_a_long_one():
    short, long = statistics(slots=10**6, sectors=10**5), statistics(slots=10**6, sectors=10**6)
    rows = [row(1, long, 1), *(row(number, short, 2) for number in range(2, 5))]
    assert judged_of(rows) == 1
    rows += [row(number, short, 2) for number in range(5, 40)]
    assert judged_of(rows) == 2


def test_what_accesses_cost_makes_a_launch_the_heavier():
    # Both load each of 32 MB eight times; one has most of it in L1, the other asks L2 ten times as often.
    hitting = with_look(statistics(slots=1_100_000, sectors=8_000_000), l1_hits=90)
    missing = with_look(statistics(slots=10**6, sectors=8_000_000), l1_hits=0)
    hitting.loaded_sectors = missing.loaded_sectors = 1_000_000
    assert judged(hitting, missing) == judged(missing, hitting) + 1 == 2


def test_of_a_launch_without_a_look_accesses_cost_what_they_do_in_the_most_similar():
    seen = with_look(statistics(slots=10**6, sectors=10**6), l1_hits=50)
    other = with_look(statistics(slots=10**9, sectors=10**6), l1_hits=0)
    unseen = statistics(slots=11 * 10**5, sectors=10**6, detailed=0)
    found = []

    def weigh(counted: Statistics) -> tuple[float, ...]:
        found.append([one.l1_hits for one in counted.accesses])
        return (1.0,)

    rows = [row(number, one, number) for number, one in enumerate([seen, other, unseen], 1)]
    weighed_launches(counted_launches(rows), weigh)
    assert found == [[50], [0], [50]]


def test_launches_that_hit_otherwise_in_the_caches_are_not_one():
    same = statistics(slots=10**6, sectors=10**6)
    hitting, missing = with_look(same, l1_hits=50), with_look(same, l1_hits=0)
    unseen = replace(same, detailed=0)
    rows = [row(1, hitting, 1), row(2, missing, 2), row(3, unseen, 3), row(4, hitting, 1)]
    # Nothing says which of the two the one without a look is like.
    assert [one.launches for one in counted_launches(rows)] == [2, 1, 1]


def test_launches_as_long_are_those_of_the_judged_one_that_take_as_long_as_all():
    rows = [row(1, statistics(slots=10, sectors=9), 1)]
    rows += [row(number, statistics(slots=30, sectors=9), 2) for number in (2, 3)]
    weighed = weighed_launches(counted_launches(rows), lambda counted: (counted.warp_instructions / 10.0,))
    # 1 s, and twice 3 s: as long as 7 / 3 of the longer.
    judged = judged_launch(weighed)
    assert judged.row.number == 2
    assert launches_as_long(weighed, judged, 3) == pytest.approx(7 / 3)
    # Another three without counts take the mean of these.
    assert launches_as_long(weighed, judged, 6) == pytest.approx(14 / 3)


def test_places_are_those_of_all_that_are_equal():
    one = statistics(slots=10, sectors=9)
    rows = [replace(row(number, one, 1), launch_line=line) for number, line in enumerate([9, 9, 12], 1)]
    (counted,) = counted_launches(rows)
    assert counted.places == {("k.py", 9): 2, ("k.py", 12): 1}
