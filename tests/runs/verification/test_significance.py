"""Paired times: their ratio, and when its interval leaves no doubt."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.runs.verification.comparison import Comparison
from advisor.runs.verification.significance import Ratio, paired_ratio
from advisor.runs.verification.verdicts import Judgement, by_measurement


def test_without_spread_the_interval_is_a_point() -> None:
    found = paired_ratio([3.0, 6.0] * 5, [1.5, 3.0] * 5, 2000, 0.95)
    assert (found.mean, found.low, found.high, found.pairs) == pytest.approx((2.0, 2.0, 2.0, 10))


def test_so_few_pairs_exclude_no_ratio() -> None:
    # Of the 2 ** 4 ways to exchange four pairs two are as far apart as any can be: 12.5%.
    found = paired_ratio([3.0, 6.0, 3.0, 6.0], [1.5, 3.0, 1.5, 3.0], 2000, 0.95)
    assert (found.mean, found.low, found.high) == (pytest.approx(2.0), 0.0, float("inf"))
    # Of six pairs it is 3.1%.
    assert paired_ratio([2.0] * 6, [1.0] * 6, 2000, 0.95).low == pytest.approx(2.0)


def test_the_ends_are_where_the_test_turns() -> None:
    # Here all 2 ** 8 exchanges of eight differences are tried for one centre after another.
    differences = np.arange(-1.0, 7.0)
    signs = np.array([[1 - 2 * (at >> bit & 1) for bit in range(8)] for at in range(256)])

    def rejected(centre: float) -> bool:
        moved = differences - centre
        return (abs(signs @ moved) >= abs(moved.sum()) - 1e-9).mean() <= 0.05

    ends = [c for c in np.arange(-2.0, 7.0, 0.01) if not rejected(c)]
    found = paired_ratio(np.exp(differences), np.ones(8), 20_000, 0.95)
    assert np.log(found.low) == pytest.approx(ends[0], abs=0.1)
    assert np.log(found.high) == pytest.approx(ends[-1], abs=0.1)


def test_the_mean_is_geometric() -> None:
    # 4 and 1 times as long: twice as long on the average.
    assert paired_ratio([4.0, 1.0], [1.0, 1.0], 100, 0.95).mean == pytest.approx(2.0)


def test_pairs_take_out_what_both_runs_share() -> None:
    random = np.random.default_rng(1)
    load = random.uniform(1.0, 10.0, 20)  # a machine that others use
    found = paired_ratio(
        1.1 * load * random.normal(1, 0.01, 20), load * random.normal(1, 0.01, 20), 2000, 0.95
    )
    assert 1.08 < found.low < 1.1 < found.high < 1.12


def test_the_interval_of_equal_versions_holds_one_as_often_as_it_says() -> None:
    # One run in twenty takes three times as long. Of 400 intervals 380 are to hold 1, give or take thrice
    # 4.4; percentile bootstraps of such times hold it in 352.
    random = np.random.default_rng(2)
    inside = 0
    for _ in range(400):
        series = random.normal(1, 0.05, (2, 20)) * np.where(random.random((2, 20)) < 0.05, 3, 1)
        found = paired_ratio(*series, 400, 0.95)
        inside += found.low <= 1.0 <= found.high
    assert 367 <= inside <= 393


@given(st.lists(st.tuples(st.floats(0.01, 100), st.floats(0.01, 100)), min_size=6, max_size=30))
def test_exchanging_the_series_inverts_the_ratio(pairs) -> None:
    one = paired_ratio([a for a, _ in pairs], [b for _, b in pairs], 200, 0.9)
    other = paired_ratio([b for _, b in pairs], [a for a, _ in pairs], 200, 0.9)
    assert one.mean * other.mean == pytest.approx(1.0)
    assert one.low * other.high == pytest.approx(1.0, rel=1e-6)


@pytest.mark.parametrize(("before", "after"), [([], []), ([1.0], [1.0, 2.0]), ([0.0, 1.0], [1.0, 1.0])])
def test_what_cannot_be_compared(before, after) -> None:
    with pytest.raises(ValueError):
        paired_ratio(before, after, 10, 0.95)


def test_times_of_a_gpu_decide_only_with_their_whole_interval() -> None:
    outputs = Comparison("equal", 1)
    predicted = Judgement(
        "predicted faster", 2.0, 1.0, outputs, "1 output equal bit by bit", "simulated on X"
    )

    def verdict(mean: float, low: float, high: float) -> str:
        return by_measurement(predicted, Ratio(mean, low, high, 20), 1.0, 1.0, "Y").verdict

    assert verdict(1.5, 1.4, 1.6) == "measured faster"
    assert verdict(1.5, 0.9, 2.6) == "no difference"
    assert verdict(1.001, 1.0005, 1.002) == "no difference"  # surely faster, but by too little to count
    assert verdict(0.7, 0.6, 0.8) == "measured slower"
    assert verdict(0.7, 0.4, 1.1) == "no difference"
    told = by_measurement(predicted, Ratio(1.5, 1.4, 1.6, 20), 3.0, 2.0, "Y")
    assert told.evidence == "measured on Y" and told.speedup == 1.5
    # A measured difference counts however far predictions are off.
    assert verdict(1.1, 1.05, 1.15) == "measured faster"
    assert told.detail == "1 output equal bit by bit; 1.400 to 1.600 x in 20 pairs of runs"
