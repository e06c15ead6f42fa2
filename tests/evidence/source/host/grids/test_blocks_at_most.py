"""Grids that grow with the data up to a number, and launches of one block beside larger ones."""

from __future__ import annotations

import pytest
from surveying import records, value

PROGRAM = """
MOST = 64

@cuda.jit
def k(a):
    a[cuda.grid(1)] = 1

def main(a, n, some, other):
"""


def launches(folder, body: str):
    text = PROGRAM + "\n".join("    " + line for line in body.splitlines()) + "\n"
    return records(folder, "launch", text)


@pytest.mark.parametrize(
    "body",
    [
        "k[min(n // 128, 64), 128](a)",
        "k[min(n // 128, MOST), 128](a)",
        "k[int(min(MOST, a.size)), 128](a)",
        "blocks = min(n, 128, MOST)\nk[blocks, 128](a)",
        "grid = (min(n, MOST),)\nk[grid, 128](a)",
    ],
)
def test_a_number_that_the_grid_does_not_exceed(tmp_path, body):
    (launch,) = launches(tmp_path, body)
    assert (value(launch, "blocks"), value(launch, "grid_constant")) == (64, True)


@pytest.mark.parametrize(
    "body",
    [
        "k[max(n // 128, 64), 128](a)",
        "k[min(n, some), 128](a)",
        "k[n, 128](a)",
        "k[min(n, 64) + some, 128](a)",
        "blocks = min(n, 64)\nif some:\n    blocks = n\nk[blocks, 128](a)",
    ],
)
def test_a_grid_that_the_source_leaves_open(tmp_path, body):
    (launch,) = launches(tmp_path, body)
    assert (value(launch, "blocks"), value(launch, "grid_constant")) == (None, False)


def test_one_block_beside_many(tmp_path):
    found = launches(tmp_path, "k[n // 128, 128](a[:n])\nk[1, 128](a[n:])")
    assert [value(one, "beside_larger_launch") for one in found] == [False, True]


@pytest.mark.parametrize(
    "body", ["k[1, 128](a)\nk[1, 64](n)", "other[n, 128](a)\nk[1, 128](n)", "k[n, 128](a)\nk[1, 128](a)"]
)
def test_one_block_alone(tmp_path, body):
    assert not any(value(one, "beside_larger_launch") for one in launches(tmp_path, body) if one.label == "k")
