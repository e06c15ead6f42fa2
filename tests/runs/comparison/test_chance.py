"""When two series of times differ by more than chance: by hand, and how often chance is taken for more."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.runs.comparison.significance import chance, least_chance, ratio_interval, student_quantile

_SHORT = st.lists(st.integers(1, 9).map(float), min_size=1, max_size=5)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ((1.0, 2.0), (3.0, 4.0), 2 / 6),  # {1, 2} and {3, 4} are 2 apart, no other of 6 divisions is
        ((1.0, 3.0), (2.0, 4.0), 4 / 6),  # these two 1 apart; {1, 4} and {2, 3} are not at all
        ((1.0, 4.0), (2.0, 3.0), 1.0),
        ((1.0,), (5.0, 6.0, 7.0), 1 / 4),
        ((6.0,), (1.0, 5.0, 7.0), 3 / 4),  # 1.7 apart, as are 5 (1 apart less), 7 (3) and 1 (5)
        ((1.0,) * 5, (2.0,) * 5, 2 / 252),
        ((2.0,) * 5, (2.0,) * 5, 1.0),
        ((2.0,), (2.0,), 1.0),
        ((2.0,), (3.0,), 1.0),
    ],
)
def test_by_hand(before: tuple[float, ...], after: tuple[float, ...], expected: float) -> None:
    assert chance(before, after, 1000) == pytest.approx(expected)


def test_the_least_that_lengths_allow() -> None:
    assert (least_chance(5, 5), least_chance(1, 3), least_chance(1, 1)) == (2 / 252, 1 / 4, 1.0)


@given(_SHORT, _SHORT)
def test_which_series_comes_first_and_the_unit_say_nothing(before: list[float], after: list[float]) -> None:
    found = chance(before, after, 1000)
    assert found == pytest.approx(chance(after, before, 1000))
    assert found == pytest.approx(chance([1024 * one for one in before], [1024 * one for one in after], 1000))
    assert least_chance(len(before), len(after)) <= found + 1e-12 <= 1.0 + 2e-12


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(1, 20).map(float), min_size=7, max_size=7))
def test_a_level_is_kept_for_any_times(values: list[float]) -> None:
    """Of all 35 ways in which chance may have put the values into series, no more than the level is told."""
    places = range(len(values))
    found = [
        chance([values[one] for one in first], [values[one] for one in places if one not in first], 1000)
        for first in combinations(places, 3)
    ]
    for level in (0.05, 0.2, 0.5):
        assert sum(one <= level for one in found) <= level * len(found)


def test_some_divisions_tell_nearly_what_all_do() -> None:
    before, after = (1.0, 2.0, 4.0, 7.0, 3.0, 3.5), (4.0, 5.0, 6.0, 8.0, 3.2, 9.0)
    every = chance(before, after, 924)  # of twelve times, six each
    assert chance(before, after, 923) == pytest.approx(every, abs=0.03)


def noisy(random: np.random.Generator, number: int = 20) -> list[float]:
    """Times with a spread of 5%, of which one in twenty is three times as long."""
    values = random.lognormal(0.0, 0.05, number)
    values[random.random(number) < 0.05] *= 3.0
    return list(map(float, values))


def test_false_alarms_stay_below_the_level() -> None:
    """1,000 pairs of one distribution, at 95%: 50 are expected, and 64 are two standard deviations more."""
    random = np.random.default_rng(3)
    alarms = sum(chance(noisy(random), noisy(random), 300) <= 0.05 for _ in range(1000))
    assert 30 <= alarms <= 64


def test_a_slowdown_is_found_all_the_same() -> None:
    random = np.random.default_rng(4)
    quiet = [random.lognormal(0.0, 0.05, 20) for _ in range(200)]
    found = sum(
        chance(list(first), list(second * 1.1), 300) <= 0.05
        for first, second in zip(quiet[::2], quiet[1::2], strict=True)
    )
    assert found >= 95


@pytest.mark.parametrize("lengths", [(1000, 1000), (1000, 5), (3, 700), (40, 1000)])
def test_long_series_of_one_distribution(lengths: tuple[int, int]) -> None:
    random = np.random.default_rng(5)
    found = [chance(noisy(random, lengths[0]), noisy(random, lengths[1]), 200) for _ in range(20)]
    assert sum(one <= 0.05 for one in found) <= 4
    assert max(found) > 0.3


def test_long_series_that_differ() -> None:
    random = np.random.default_rng(6)
    assert chance(noisy(random, 1000), [1.2 * one for one in noisy(random, 1000)], 400) < 0.01


@pytest.mark.parametrize(("before", "after"), [((), (1.0,)), ((1.0,), ())])
def test_no_times_are_refused(before: tuple[float, ...], after: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="times"):
        chance(before, after, 100)


@pytest.mark.parametrize(("degrees", "known"), [(4, 2.776), (9, 2.262), (19, 2.093), (1000, 1.962)])
def test_quantiles_of_student(degrees: int, known: float) -> None:
    """Those of the tables, at 97.5%."""
    assert student_quantile(0.975, degrees) == pytest.approx(known, abs=0.01)


@pytest.mark.parametrize("number", [5, 20])
def test_the_interval_holds_the_ratio_as_often_as_it_says(number: int) -> None:
    """400 pairs whose means are 1.5 apart: 380 are expected within, and 371 are two deviations fewer."""
    random = np.random.default_rng(7)
    held = 0
    for _ in range(400):
        before, after = random.normal(1.0, 0.1, number), random.normal(1.5, 0.15, number)
        low, high = ratio_interval(list(before), list(after), 400, 0.95)
        held += low <= 1.5 <= high
    assert held >= 371
