"""Which launches are looked at access by access: enough to see what varies, few of many."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from advisor.evidence.simulated.launches.close_looks import CloseLooks
from advisor.evidence.simulated.simt.counts import Statistics

ONE = (1, 1, 1)


def counted(lanes: int, closely: bool) -> Statistics:
    """The counts of a launch of one block."""
    return Statistics(ONE, ONE, 1, 1, int(closely), True, lane_instructions=lanes)


def looked_at(launches: list[tuple[bytes, int]]) -> list[int]:
    """The numbers, from 1, of the launches that are looked at; each is given with its scalars and lanes."""
    looks, found = CloseLooks(), []
    for number, (scalars, lanes) in enumerate(launches, 1):
        closely = looks.wants("shape", scalars)
        found += [number] * closely
        looks.ran("shape", scalars, counted(lanes, closely))
    return found


def test_of_equal_launches_the_first_and_then_powers_of_two():
    assert looked_at([(b"1", 100)] * 40) == [1, 2, 3, 4, 8, 16, 32]


def test_new_numbers_are_looked_at_until_there_are_enough():
    found = looked_at([(bytes([number]), 100) for number in range(100)])
    assert found == [*range(1, 17), 32, 64]


def test_after_a_launch_that_counted_otherwise_the_next_is_looked_at():
    launches = [(b"1", 100)] * 5 + [(b"1", 101)] * 10
    assert looked_at(launches) == [1, 2, 3, 4, 7, 8]


def test_after_a_much_heavier_launch_the_next_is_looked_at():
    launches = [(bytes([number]), 100) for number in range(70)]
    launches += [(b"1", 1000)] * 20
    assert looked_at(launches)[-2:] == [64, 72]


def test_shapes_are_apart():
    looks = CloseLooks()
    for _ in range(6):
        looks.ran("one", b"", counted(1, looks.wants("one", b"")))
    assert not looks.wants("one", b"")
    assert looks.wants("another", b"")


@given(st.lists(st.tuples(st.binary(max_size=2), st.integers(1, 10**9)), max_size=400))
def test_few_of_many_are_looked_at(launches):
    # 16, a launch for each power of two of the number, and one for each doubling of the work.
    assert len(looked_at(launches)) <= 16 + 9 + 30
