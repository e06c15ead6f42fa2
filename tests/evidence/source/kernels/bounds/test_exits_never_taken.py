"""Exits that no thread of a launch takes, as its sizes show, and exits that some take or may take."""

from __future__ import annotations

from pathlib import Path

import pytest
from surveying import records, value

KERNEL = """
@cuda.jit
def k(a, n):
    i, j = cuda.grid(2)
    if {test}:
        return
    cuda.syncthreads()
    a[i, j] = 0

import math
blocks, threads = 16, 8
"""
# 4 x 2 blocks of 16 x 8 threads are 64 x 16 positions.
LAUNCH = "k[(4, 2), (16, 8)](np.zeros({shape}), {n})"


def _leaves(folder: Path, test: str, launch: str) -> object:
    (barrier,) = records(folder, "barrier", KERNEL.format(test=test) + launch + "\n")
    return value(barrier, "after_divergent_exit")


@pytest.mark.parametrize(
    ("test", "shape", "n", "leaves"),
    [
        ("i >= a.shape[0] or j >= a.shape[1]", (64, 16), 0, False),
        ("i >= a.shape[0] or j >= a.shape[1]", (65, 17), 0, False),
        ("i >= a.shape[0] or j >= a.shape[1]", (63, 16), 0, True),
        ("i >= a.shape[0] or j >= a.shape[1]", (64, 15), 0, True),
        # Threads leave that are outside along both axes: there are none while one axis fits.
        ("i >= a.shape[0] and j >= a.shape[1]", (64, 15), 0, False),
        ("i >= a.shape[0] and j >= a.shape[1]", (63, 15), 0, True),
        ("i >= n", (64, 16), 64, False),
        ("i >= n", (64, 16), 63, True),
        ("i > n", (64, 16), 63, False),
        ("n <= i", (64, 16), 64, False),
        ("i < 0 or i >= n", (64, 16), 64, False),
        ("i < 1 or i >= n", (64, 16), 64, True),
        # 63 - i is at least 0, and i - 64 + 1 is at most 0.
        ("63 - i < 0", (64, 16), 0, False),
        ("62 - i < 0", (64, 16), 0, True),
        # What data, a remainder or an equality says is not known of each thread.
        ("i >= n or a[0, 0] > 0", (64, 16), 64, True),
        ("i >= n or i % 2 == 1", (64, 16), 64, True),
        ("i >= n or i == 5 or i != j", (64, 16), 64, True),
        ("not 0 <= i < n", (64, 16), 64, True),
        ("i >= m", (64, 16), 64, True),
    ],
)
def test_whether_threads_leave(
    tmp_path: Path, test: str, shape: tuple[int, int], n: int, leaves: bool
) -> None:
    assert _leaves(tmp_path, test, LAUNCH.format(shape=shape, n=n)) is leaves


@pytest.mark.parametrize(
    ("launch", "leaves"),
    [
        ("k[blocks, threads](np.zeros((128, 1)), 0)", False),
        ("k[blocks, threads](np.zeros((127, 1)), 0)", True),
        ("k[blocks, threads](np.zeros((128, 1)), 0)\nk[1, 32](np.zeros((32, 1)), 0)", False),
        ("k[blocks, threads](np.zeros((128, 1)), 0)\nk[1, 32](np.zeros((31, 1)), 0)", True),
        ("k[blocks, threads](np.zeros((128, 1)), 0)\nk[1, 32](np.load('a.npy'), 0)", True),
        ("x = np.zeros((96, 1))\nk[math.ceil(x.shape[0] / threads), threads](x, 0)", False),
        ("x = np.zeros((97, 1))\nk[math.ceil(x.shape[0] / threads), threads](x, 0)", True),
        ("k[blocks, len(open('size').read())](np.zeros((128, 1)), 0)", True),
        ("", True),
    ],
)
def test_all_launches_have_to_fit(tmp_path: Path, launch: str, leaves: bool) -> None:
    assert _leaves(tmp_path, "i >= a.shape[0] or j >= a.shape[1]", launch) is leaves


def test_the_else_that_leaves(tmp_path: Path) -> None:
    text = (
        "@cuda.jit\ndef k(a):\n    i = cuda.grid(1)\n    if i < a.size:\n        a[i] = 0\n    else:\n"
        "        return\n    cuda.syncthreads()\n\nk[2, 32](np.zeros({}))\n"
    )
    for elements, leaves in ((64, False), (63, True)):
        (barrier,) = records(tmp_path, "barrier", text.format(elements))
        assert value(barrier, "after_divergent_exit") is leaves
