"""Which sizes of an array the sides of a grid come from, and whether the kernel walks along them so."""

from __future__ import annotations

import pytest
from surveying import records, value

PROGRAM = """
@cuda.jit
def k(a):
    x, y = cuda.grid(2)
    if y < a.shape[0] and x < a.shape[1]:
        a[y, x] = 1

def sides(shape, block):
    return (shape[0] // block, shape[1] // block)

def turned(shape):
    return tuple(-(-size // 8) for size in shape), (8, 8)

def main(a, b, n):
"""
EXCHANGED = {
    "written out": "k[(a.shape[0] // 8, a.shape[1] // 8), (8, 8)](a)",
    "sizes with names": "rows, columns = a.shape\nk[(rows // 8, columns // 8), (8, 8)](a)",
    "a function that gets the shape": "k[sides(a.shape, 8), (8, 8)](a)",
    "a part of what a function returns": "grid, block = turned(a.shape)\nk[grid, block](a)",
    "a shape with a name": "shape = a.shape\nk[(shape[0] // 8, shape[1] // 8), (8, 8)](a)",
}
OTHERS = {
    "the kernel's way": "k[(a.shape[1] // 8, a.shape[0] // 8), (8, 8)](a)",
    "one size for both": "k[(a.shape[0] // 8, a.shape[0] // 8), (8, 8)](a)",
    "sizes of another array": "k[(b.shape[0] // 8, b.shape[1] // 8), (8, 8)](a)",
    "the larger size": "m = max(a.shape)\nk[(m // 8, m // 8), (8, 8)](a)",
    "both sizes in one side": "k[(a.shape[0] + a.shape[1], a.shape[1]), (8, 8)](a)",
    "numbers": "k[(16, 8), (8, 8)](a)",
    "a grid bound to itself": "grid = (1, 1)\nwhile n:\n    grid = grid\n    n -= 1\nk[grid, (8, 8)](a)",
    "a grid from elsewhere": "k[n, (8, 8)](a)",
}


def exchanged(folder, body: str):
    text = PROGRAM + "\n".join("    " + line for line in body.splitlines()) + "\n"
    (launch,) = records(folder, "launch", text)
    return value(launch, "exchanged_array")


@pytest.mark.parametrize("name", EXCHANGED)
def test_the_grid_has_rows_where_threads_walk_along_columns(tmp_path, name):
    assert exchanged(tmp_path, EXCHANGED[name]) == "a"


@pytest.mark.parametrize("name", OTHERS)
def test_other_grids(tmp_path, name):
    assert exchanged(tmp_path, OTHERS[name]) is None
