"""Updates of elements that data chooses: which choices different data have in common."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from surveying import access, value

# Each stores the place of an update of `bins` in `at`.
SHARED = """
at = int((x[i] - low) / width)
""", """
at = math.floor(x[i])
""", """
at = keys[i] % 16
""", """
at = keys[i] // 4
""", """
at = keys[i] >> 3
""", """
at = keys[i] & 7
""", """
at = x[i] > low
""", """
at = rank[keys[i] // 4]
""", """
at = keys[i] // 4 + 1
""", """
nearest = low
at = 0
for k in range(n):
    if abs(x[i] - x[k]) < nearest:
        nearest = abs(x[i] - x[k])
        at = k
""", """
at = 0
if x[i] > low:
    at = 1
""", """
at = order[i]
if x[i] > low:
    at = keys[i] // 4
"""  # fmt: skip
ONE_EACH = """
at = order[i]
""", """
at = order[i] + 1
""", """
at = int(x[i])
""", """
at = order[i] * 2
""", """
at = order[min(i, n - 1)]
""", """
at = 0
for k in range(n):
    if order[k] == i:
        at = k
"""  # fmt: skip


def _update(folder: Path, body: str) -> object:
    kernel = (
        "@cuda.jit('void(float64[:], int64[:], int64[:], int64[:], int64[:], float64, float64, int64)')\n"
        "def count(x, keys, order, rank, bins, low, width, n):\n"
        "    i = cuda.grid(1)\n"
        "    if i < n:\n"
    )
    text = kernel + textwrap.indent(body.strip() + "\nbins[at] += 1\n", " " * 8)
    found = access(folder, text, "bins")
    assert value(found, "data_dependent") is True
    return value(found, "many_to_one")


@pytest.mark.parametrize("body", SHARED)
def test_different_data_give_one_place(tmp_path: Path, body: str) -> None:
    assert _update(tmp_path, body) is True


@pytest.mark.parametrize("body", ONE_EACH)
def test_each_place_may_occur_once(tmp_path: Path, body: str) -> None:
    assert _update(tmp_path, body) is False


def test_a_row_for_each_thread_keeps_threads_apart(tmp_path: Path) -> None:
    found = access(
        tmp_path,
        """
        @cuda.jit
        def count(keys, bins):
            i = cuda.grid(1)
            if i < keys.size:
                bins[i * 16 + keys[i] % 16] += 1
        """,
        "bins",
    )
    assert value(found, "many_to_one") is False
