"""Along a border one place of the grid's axis does something: one lane of a row, and few of all threads."""

from __future__ import annotations

from pathlib import Path

import pytest
from surveying import records, value

KERNEL = """
@cuda.jit
def k(out, m, n):
    x, y = cuda.grid(2)
    {test}
        out[x, y] = 1

def main(n):
    out = np.zeros((4096, 4096), np.float32)
    k[(128, 128), (32, 32)](out, np.zeros((4096, 4096), np.int32), n)
"""


def store(folder: Path, test: str) -> tuple[object, object, object]:
    (found,) = [one for one in records(folder, "access", KERNEL.format(test=test)) if one.label == "out"]
    names = ("sectors_per_request", "exchanged_sectors_per_request", "sparse")
    sectors, exchanged, sparse = (value(found, name) for name in names)
    return sectors, exchanged, sparse


@pytest.mark.parametrize(
    "test",
    [
        "if x == 0:",
        "if x == n - 1:",
        "if x == 5 and y < n:",
        "if x == 0 or x == n - 1:",
        "if (x == 0 or x == 513) and (y >= 1 and y <= n):",
        "if not x != 0:",
        "if x != n:\n        return\n    if True:",
    ],
)
def test_one_lane_of_a_row_has_one_sector(tmp_path: Path, test: str) -> None:
    assert store(tmp_path, test) == (1, 4, True)


@pytest.mark.parametrize("test", ["if y == 0:", "if y == 0 or y == n - 1:"])
def test_an_exchange_leaves_a_lane_for_each_request(tmp_path: Path, test: str) -> None:
    assert store(tmp_path, test) == (32, 32, True)


@pytest.mark.parametrize(
    "test",
    [
        "if x < n:",
        "if x != 0:",
        # Several lanes of one warp.
        "if x == 0 or x == 1:",
        "if x == 0 or x == 31:",
        # One of the two holds for each of the lanes.
        "if x == 0 or y == 0:",
        # Another place for each lane, as far as is known.
        "if x == m[y, x]:",
    ],
)
def test_other_conditions_leave_all_lanes(tmp_path: Path, test: str) -> None:
    sectors, exchanged, sparse = store(tmp_path, test)
    assert (sectors, exchanged) == (32, 4)
    assert not sparse


def test_one_thread_of_each_block_is_no_border(tmp_path: Path) -> None:
    sectors, _, sparse = store(tmp_path, "if cuda.threadIdx.x == 0:")
    assert (sectors, sparse) == (1, False)


def test_the_one_thread_of_a_row_that_walks_it_is_no_border(tmp_path: Path) -> None:
    sectors, _, sparse = store(tmp_path, "for y in range(n if x == 5 else 0):\n      if x == 5:")
    assert (sectors, sparse) == (1, False)
