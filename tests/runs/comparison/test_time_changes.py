"""Times of two runs, and when a change is more than chance."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kept_history import fingerprint

from advisor.evidence.metrics.prediction_error import prediction_error
from advisor.runs.comparison.numbers import comparing_numbers
from advisor.runs.comparison.significance import ratio_interval
from advisor.runs.comparison.time_changes import TimeChange, needed_times, time_change

LIMITS = comparing_numbers().changes


def times(mean: float, spread: float = 0.02, number: int = 20, seed: int = 1) -> tuple[float, ...]:
    chance = random.Random(seed)
    return tuple(mean * (1.0 + chance.uniform(-spread, spread)) for _ in range(number))


def change(before: object, after: object, comparable: bool = True) -> TimeChange:
    found = time_change(before, after, comparable, LIMITS)  # type: ignore[arg-type]
    assert found is not None
    return found


def test_slower_beyond_chance_and_an_alert_from_one_and_a_half() -> None:
    found = change(fingerprint(samples=times(2.0)), fingerprint(samples=times(2.5, seed=2)))
    assert (found.verdict, found.alert) == ("slower", False)
    assert found.interval is not None
    assert found.interval.low < 1.25 < found.interval.high
    assert change(fingerprint(samples=times(2.0)), fingerprint(samples=times(3.2, seed=2))).alert


def test_exactly_the_limit_is_an_alert() -> None:
    assert change(fingerprint(samples=(2.0,) * 5), fingerprint(samples=(3.0,) * 5)).alert
    assert not change(fingerprint(samples=(2.0,) * 5), fingerprint(samples=(2.999,) * 5)).alert


def test_faster() -> None:
    found = change(fingerprint(samples=times(2.0)), fingerprint(samples=times(1.0, seed=2)))
    assert (found.verdict, found.alert) == ("faster", False)


@pytest.mark.parametrize("ratio", [1.0, 1.02, 0.98])
def test_a_small_change_is_none(ratio: float) -> None:
    found = change(fingerprint(samples=(2.0,) * 20), fingerprint(samples=(2.0 * ratio,) * 20))
    assert found.verdict == "no difference"


def test_a_large_change_within_the_noise_is_none() -> None:
    before, after = times(2.0, 0.9, 5), times(2.2, 0.9, 5, seed=7)
    assert change(fingerprint(samples=before), fingerprint(samples=after)).verdict == "no difference"


def test_too_few_times_leave_it_open_but_an_alert_is_told() -> None:
    found = change(fingerprint(samples=(2.0, 2.0)), fingerprint(samples=(4.0, 4.0)))
    assert (found.verdict, found.interval, found.alert) == ("not known", None, True)
    assert not change(fingerprint(samples=(2.0, 2.0)), fingerprint(samples=(2.5, 2.5))).alert


def test_the_more_kernels_the_less_is_left_to_chance() -> None:
    """Five times each that share none: 2 of the 252 divisions are as far apart, 0.0079, within 0.05 / 6."""
    before, after = fingerprint(samples=(2.0,) * 5), fingerprint(samples=(2.5,) * 5)
    verdicts = {
        compared: getattr(time_change(before, after, True, LIMITS, compared), "verdict", None)
        for compared in (1, 6, 7)
    }
    assert verdicts == {1: "slower", 6: "slower", 7: "not known"}
    # 2 / 924 for six times, 2 / 3432 for seven.
    assert [needed_times(LIMITS, compared) for compared in (0, 1, 7, 50)] == [5, 5, 6, 7]


def test_one_outlier_is_no_slowdown() -> None:
    """A mean 1.45 times as large by one launch: of the 20 times the outlier is in either half."""
    before, after = times(2.0, number=10), (*times(2.0, number=9, seed=2), 11.0)
    found = change(fingerprint(samples=before), fingerprint(samples=after))
    assert found.ratio > 1.4
    assert found.verdict == "no difference"


def test_times_of_no_spread_at_all() -> None:
    assert change(fingerprint(samples=(2.0,) * 5), fingerprint(samples=(2.0,) * 5)).interval == (1.0, 1.0)


def predicted(time: float) -> TimeChange:
    """The change from a predicted time of 2 ms."""
    return change(*(fingerprint(samples=(one,), source="simulated") for one in (2.0, time)))


ERROR = prediction_error().ratio


@pytest.mark.parametrize(
    ("ratio", "verdict"),
    [
        (1.0, "no difference"),
        (1.02, "no difference"),
        (1.1, "cannot tell"),
        (1 / 1.1, "cannot tell"),
        (ERROR * 0.99, "cannot tell"),
        (ERROR * 1.01, "slower"),
        (0.99 / ERROR, "faster"),
        (1.01 / ERROR, "cannot tell"),
    ],
)
def test_a_prediction_tells_what_lies_beyond_its_error(ratio: float, verdict: str) -> None:
    found = predicted(2.0 * ratio)
    assert found.verdict == verdict
    assert found.interval == (pytest.approx(ratio / ERROR), pytest.approx(ratio * ERROR))


def test_what_cannot_be_told_is_no_alert() -> None:
    assert not predicted(2.0 * 1.4).alert
    assert predicted(2.0 * 1.6).alert


def test_other_devices_are_not_judged() -> None:
    found = change(fingerprint(samples=(2.0,) * 9), fingerprint(samples=(9.0,) * 9), comparable=False)
    assert (found.verdict, found.ratio, found.alert) == ("not comparable", 4.5, False)


def test_one_shape_by_the_launch_another_by_all_launches() -> None:
    before = fingerprint(samples=(1.0,) * 5, launches=10)
    alike = change(before, fingerprint(samples=(1.0,) * 5, launches=20))
    assert (alike.of_all, alike.ratio) == (False, 1.0)
    batched = change(before, fingerprint(samples=(4.0,) * 5, launches=1, grid=3910))
    assert (batched.of_all, batched.before, batched.after, batched.verdict) == (True, 10.0, 4.0, "faster")
    assert batched.interval == (pytest.approx(0.4), pytest.approx(0.4))


def test_without_a_time_there_is_no_change() -> None:
    assert time_change(fingerprint(samples=()), fingerprint(), True, LIMITS) is None


def test_the_interval_is_the_same_for_the_same_times() -> None:
    first = ratio_interval(times(1.0), times(2.0), 500, 0.95)
    assert first == ratio_interval(times(1.0), times(2.0), 500, 0.95)


@pytest.mark.parametrize(
    ("before", "after"), [((), (1.0,)), ((1.0,), ()), ((0.0,), (1.0,)), ((1.0,), (-1.0,))]
)
def test_series_without_times_are_refused(before: tuple[float, ...], after: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="times"):
        ratio_interval(before, after, 100, 0.95)


_TIMES = st.lists(st.floats(1e-3, 1e3), min_size=1, max_size=30)


@given(_TIMES, _TIMES)
def test_the_interval_lies_between_the_extremes(before: list[float], after: list[float]) -> None:
    low, high = ratio_interval(before, after, 200, 0.95)
    assert low <= high
    assert min(after) / max(before) <= low * (1 + 1e-9)
    assert high <= max(after) / min(before) * (1 + 1e-9)
