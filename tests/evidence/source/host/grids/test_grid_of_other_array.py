"""Grids with the size of an axis along which the kernel's threads walk in a loop."""

from __future__ import annotations

import pytest
from surveying import records, value

PROGRAM = """
@cuda.jit
def k(a, b, out):
    row, column = cuda.grid(2)
    if row < out.shape[0] and column < out.shape[1]:
        for i in range(a.shape[1]):
            out[row, column] += a[row, i] * b[i, column]

@cuda.jit
def sums(a, out):
    row = cuda.grid(1)
    if row < out.shape[0]:
        for i in range(a.shape[0]):
            out[row] += a[i]

def main(a, b, out, n):
    small, large = np.zeros((8, 8)), np.zeros((8, 64))
"""
OTHER = {
    "the inner size": ("k[(a.shape[0] // 8, a.shape[1] // 8), (8, 8)](a, b, out)", ("y", "a.shape[1]", None)),
    "that of the other factor": (
        "k[(b.shape[0] // 8, b.shape[1] // 8), (8, 8)](a, b, out)",
        ("x", "b.shape[0]", None),
    ),
    "a copy": (
        "d = cuda.to_device(a)\nk[(a.shape[0] // 8, a.shape[1] // 8), (8, 8)](d, b, out)",
        ("y", "a.shape[1]", None),
    ),
    "one axis": ("sums[a.shape[0] // 8, 8](a, out)", ("x", "a.shape[0]", None)),
    "sizes that differ": (
        "k[(large.shape[0] // 8, large.shape[1] // 8), (8, 8)](large, b, small)",
        ("y", "a.shape[1]", True),
    ),
}
RIGHT = {
    "the result's sizes": "k[(out.shape[0] // 8, out.shape[1] // 8), (8, 8)](a, b, out)",
    "rows and columns": "k[(a.shape[0] // 8, b.shape[1] // 8), (8, 8)](a, b, out)",
    "sizes that are equal": "k[(small.shape[0] // 8, small.shape[1] // 8), (8, 8)](small, b, small)",
    "numbers": "k[(8, 8), (8, 8)](a, b, out)",
    "a size from elsewhere": "k[(n, n), (8, 8)](a, b, out)",
    "the larger of both": "k[(max(a.shape), max(a.shape)), (8, 8)](a, b, out)",
    "an array that the kernel does not get": "k[(n.shape[0], n.shape[1]), (8, 8)](a, b, out)",
}


def launch(folder, body: str):
    text = PROGRAM + "\n".join("    " + line for line in body.splitlines()) + "\n"
    (record,) = records(folder, "launch", text)
    return record


@pytest.mark.parametrize("name", OTHER)
def test_a_size_that_is_walked_in_a_loop(tmp_path, name):
    body, expected = OTHER[name]
    found = launch(tmp_path, body)
    assert (
        value(found, "other_size_axis"),
        value(found, "other_size"),
        value(found, "other_size_differs"),
    ) == expected


@pytest.mark.parametrize("name", RIGHT)
def test_sizes_of_what_the_kernel_stores(tmp_path, name):
    assert value(launch(tmp_path, RIGHT[name]), "other_size") == ""
