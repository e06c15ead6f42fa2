"""Outputs before and after: when they are equal, equal within rounding, or different."""

from __future__ import annotations

import numpy as np
import pytest

from advisor.runs.verification.comparison import compare
from advisor.runs.verification.numbers import verification_numbers

TOLERANCE = {"float32": 1e-5, "float64": 1e-12}
A = np.array([1.0, -2.0, 4.0], np.float32)


def agreement(one, other, name="k:1:out"):
    return compare({name: np.asarray(one)}, {name: np.asarray(other)}, TOLERANCE)


def test_equal_bit_by_bit() -> None:
    found = agreement(A, A.copy())
    assert (found.agreement, found.arrays, found.largest) == ("equal", 1, 0.0)
    assert agreement([np.nan, 1.0], [np.nan, 1.0]).agreement == "equal"


def test_the_largest_difference_is_relative_to_the_largest_magnitude() -> None:
    # 1e-5 of 4 is allowed: 4e-5 in any element.
    found = agreement(A, A + np.array([3e-5, 0, 0], np.float32))
    assert found.agreement == "within tolerance"
    assert found.largest == pytest.approx(3e-5 / 4, rel=0.01)
    assert agreement(A, A + np.array([5e-5, 0, 0], np.float32)).agreement == "different"


DIFFERENT = [
    ([1, 2, 3], [1, 2, 4], "1 of 3 elements differ, most at [2]: 3 before, 4 after"),
    ([1.0, 2.0], [1.0, np.nan], "1 of 2 elements differ, most at [1]: 2.0 before, nan after"),
    ([0.0, 0.0], [0.0, 1e-30], "1 of 2 elements differ"),
    ([np.inf, 1.0], [-np.inf, 1.0], "1 of 2 elements differ"),
    ([[1.0, 2.0]], [[1.0], [2.0]], "shape (1, 2) became (2, 1)"),
    ([True, False], [True, True], "1 of 2 elements differ, most at [1]: False before, True after"),
]


@pytest.mark.parametrize(("one", "other", "said"), DIFFERENT)
def test_different(one, other, said) -> None:
    found = agreement(one, other)
    assert found.agreement == "different"
    assert said in found.detail and "`out` of k" in found.detail


def test_an_output_that_only_one_side_wrote_is_a_difference() -> None:
    found = compare({"k:1:a": A, "k:2:a": A}, {"k:1:a": A}, TOLERANCE)
    assert found.agreement == "different"
    assert found.detail == "only before the change `a` of k in launch 2 was written"


def test_what_a_workload_returns_is_compared_alone() -> None:
    one = {"result['x']": A, "k:1:scratch": A}
    assert compare(one, {"result['x']": A, "k:1:scratch": 2 * A}, TOLERANCE).agreement == "equal"
    assert compare(one, {"result['x']": 2 * A}, TOLERANCE).agreement == "different"


def test_nothing_to_compare_is_not_equal() -> None:
    assert compare({}, {}, TOLERANCE).agreement == "not comparable"


def test_the_shipped_tolerances_are_those_of_rounding() -> None:
    for name, allowed in verification_numbers().tolerance.items():
        eps = float(np.finfo(name).eps)
        assert 4 * eps < allowed < 2e5 * eps, name


def test_another_number_of_launches_cannot_be_set_side_by_side() -> None:
    found = compare({"k:1:a": A, "k:2:a": A}, {"k:1:a": A}, TOLERANCE, {"k"})
    assert found.agreement == "not comparable"
    assert found.detail.startswith("k is launched another number of times")
    # What other kernels wrote, and what the workload returned, is compared as ever.
    assert compare({"j:1:a": A}, {"j:1:a": A + 1}, TOLERANCE, {"k"}).agreement == "different"
    assert (
        compare({"result": A, "k:2:a": A}, {"result": A, "k:1:a": A}, TOLERANCE, {"k"}).agreement == "equal"
    )
