"""The intervals of predictions: by hand, and the factors that are shipped beside the page that has them."""

from __future__ import annotations

import math
import runpy
import sys
from pathlib import Path

import pytest

from advisor.evidence.metrics.prediction_error import (
    Interval,
    prediction_error,
    ratio_interval,
    time_interval,
)
from advisor.model.data_files import knowledge_folder

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[3]
BENCHMARK = runpy.run_path(str(ROOT / "benchmarks" / "published" / "measured_errors.py"))


def test_an_interval_reaches_as_far_down_as_up_by_its_factor() -> None:
    known = prediction_error()
    found = ratio_interval(3.0)
    assert (found.low, found.high) == pytest.approx((3.0 / known.ratio, 3.0 * known.ratio))
    found = time_interval(0.5)
    assert (found.low, found.high) == pytest.approx((0.5 / known.time, 0.5 * known.time))


@pytest.mark.parametrize(
    ("interval", "holds"),
    [(Interval(0.9, 1.1), True), (Interval(1.0, 2.0), True), (Interval(1.01, 2.0), False),
     (Interval(0.4, 0.99), False)],
)  # fmt: skip
def test_an_interval_that_holds_one_tells_no_order(interval: Interval, holds: bool) -> None:
    assert interval.holds_one is holds


def test_the_shipped_factors_are_those_of_the_page() -> None:
    data = tomllib.loads((knowledge_folder() / "machine" / "prediction_error.toml").read_text("utf-8"))
    page = (ROOT / "docs" / "quality" / "published-times.md").read_text("utf-8")
    rows = {"ratio": "ratios of two kernels", "time": "times of one kernel"}
    for name, what in rows.items():
        assert f"| {what} | {data[name]['of']} | {data[name]['within']:.2f} x |" in page
    assert f"{data['share']:.0%} lie within" in page
    # The page's words, and those on fixes, name the factors too.
    assert f"within a factor of {data['ratio']['within']:.2f} of the predicted ones" in page
    fixes = (ROOT / "docs" / "fixes.md").read_text("utf-8")
    assert f"(a factor of {data['ratio']['within']:.2f})" in fixes
    running = (ROOT / "docs" / "running-without-a-gpu.md").read_text("utf-8")
    assert (
        f"{data['share']:.0%} of published times lie within a factor of {data['time']['within']:.2f}"
        in running
    )
    low, high = ratio_interval(3.57).low, ratio_interval(3.57).high
    assert f"3.57 x means {low:.2f} to {high:.2f} x" in fixes


def test_a_factor_holds_its_share_of_the_open_errors() -> None:
    # Eleven errors, a factor of 2 ** 0 to 2 ** 10 either way: 80% of them lie within 2 ** 8.
    errors = [(-1) ** power * math.log(2.0) * power for power in range(11)]
    aside, later = [0.0, math.log(200.0), -math.log(300.0)], [math.log(257.0)]
    found = BENCHMARK["within"](errors, aside, later, share=0.8)
    assert found.factor == pytest.approx(2.0**8)
    assert (found.open, found.others) == (11, ((3, 2), (1, 0)))


@pytest.mark.parametrize(
    ("value", "unit", "work", "taken"),
    [
        (2.0, "ms", None, 2.0),
        (2.0, "us", None, 2e-3),
        (100.0, "GB/s", 1e8, 1.0),  # 0.1 GB at 100 GB/s
        (1.0, "GiB/s", 2.0**20, 1000 / 1024),
        (500.0, "GFLOP/s", 1e9, 2.0),
        (500.0, "GFLOP/s", None, None),
    ],
)
def test_a_measured_rate_is_a_time_by_what_it_counts(value, unit, work, taken) -> None:
    found = BENCHMARK["milliseconds"](value, unit, work)
    assert found == (taken if taken is None else pytest.approx(taken))
