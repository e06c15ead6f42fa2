"""Tests that choose one thread of a block, in the kernel and around the device functions that it calls."""

from __future__ import annotations

import pytest
from surveying import records, value

ONE = [
    "i < 1", "i <= 0", "1 > i", "0 >= i", "not i", "i == 0", "not i >= 1", "not (i > 0)", "i < LEAST",
    "i < 1 and n > 4", "not (i > 0 or n < 4)",
]  # fmt: skip
MORE = [
    "i < 2", "i <= 1", "2 > i", "1 >= i", "not n", "n < 1", "i > 0", "1 <= i", "not i < 1", "i < 1 or n > 4",
    "i < n", "i", "i < SIZE", "i - 1 < 1", "i % 32 < 1", "-i < 1", "i * n < 1", "cuda.blockIdx.x < 1",
    "0 <= i < 1000",
]  # fmt: skip
NAMES = "LEAST = 1\nSIZE = 64\n"


def _chosen(tmp_path, body: str, position: str = "cuda.grid(1)") -> object:
    text = f"{NAMES}@cuda.jit\ndef k(a, n):\n    i = {position}\n{body}"
    (found,) = [r for r in records(tmp_path, "access", text) if value(r, "kind") == "update"]
    return value(found, "single_thread")


@pytest.mark.parametrize(("tests", "alone"), [(ONE, True), (MORE, False)])
def test_what_a_branch_encloses(tmp_path, tests, alone):
    for test in tests:
        assert _chosen(tmp_path, f"    if {test}:\n        a[0] += 1\n") is alone, test


@pytest.mark.parametrize(
    "position", ["cuda.threadIdx.x", "cuda.threadIdx.x + cuda.blockIdx.x * cuda.blockDim.x"]
)
def test_the_first_thread_by_any_count(tmp_path, position):
    assert _chosen(tmp_path, "    if i < 1:\n        a[0] += 1\n", position) is True


@pytest.mark.parametrize("position", ["cuda.blockIdx.x", "cuda.threadIdx.x // 32", "cuda.threadIdx.x * n"])
def test_counts_that_many_threads_share(tmp_path, position):
    assert _chosen(tmp_path, "    if i < 1:\n        a[0] += 1\n", position) is False


@pytest.mark.parametrize(
    ("test", "alone"),
    [
        ("i >= 1", True), ("i > 0", True), ("1 <= i", True), ("0 < i", True), ("i", True),
        ("not i < 1", True), ("i != 0", True), ("i >= 1 or n < 1", True), ("not (i < 1 and n > 4)", True),
        ("i >= 2", False), ("i > 1", False), ("i < 1", False), ("not i", False), ("i >= n", False),
        ("i >= 1 and n < 1", False), ("n", False),
    ],
)  # fmt: skip
def test_what_a_return_leaves(tmp_path, test, alone):
    assert _chosen(tmp_path, f"    if {test}:\n        return\n    a[0] += 1\n") is alone


def test_the_rest_of_a_choice_is_for_the_others(tmp_path):
    assert _chosen(tmp_path, "    if i < 1:\n        n = 2\n    else:\n        a[0] += 1\n") is False
    assert _chosen(tmp_path, "    if i >= 1:\n        n = 2\n    else:\n        a[0] += 1\n") is True


@pytest.mark.parametrize(("bound", "alone"), [("1", True), ("n", False)])
def test_a_guard_holds_in_the_functions_called_behind_it(tmp_path, bound, alone):
    text = f"""
    @cuda.jit(device=True)
    def eliminate(a):
        for j in range(8):
            a[j] -= a[0]

    @cuda.jit(device=True)
    def invert(a):
        eliminate(a)

    @cuda.jit
    def k(a, n):
        i = cuda.grid(1)
        if i < {bound}:
            invert(a)
    """
    (found,) = [r for r in records(tmp_path, "access", text) if value(r, "kind") == "update"]
    assert value(found, "single_thread") is alone


@pytest.mark.parametrize(("test", "alone"), [("i < 1", True), ("i >= 1", False), ("i < 2", False)])
def test_a_branch_of_one_lane(tmp_path, test, alone):
    (found,) = records(
        tmp_path, "branch", f"@cuda.jit\ndef k(a):\n    i = cuda.grid(1)\n    if {test}:\n        a[i] = 1\n"
    )
    assert value(found, "single_lane") is alone
