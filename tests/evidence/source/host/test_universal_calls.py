"""What a call of a universal function copies that another call copies as well."""

from __future__ import annotations

from pathlib import Path

import pytest
from surveying import records, value

MADE = """
from numba import vectorize

@vectorize(["float32(float32)"], target="cuda")
def f(a):
    return a

@vectorize(["float32(float32, float32)"], target="cuda")
def g(a, b):
    return a

def run(n, given):
    here = np.ones(n, dtype=np.float32)
    there = cuda.to_device(here)
"""


@pytest.mark.parametrize(
    ("body", "arrays", "copied"),
    [
        # Each with the arrays, and of a needless copy: the function that returned it, its name, or the array
        # that each iteration copies, or that another call copies.
        ("return f(here)", "here", None),
        ("x = g(here, here)", "here, here", None),
        ("x = f(here)\nf(x)", "x", ("f", "x", None, None)),
        ("x = f(here)\nx = there\nf(x)", None, None),
        ("x = f(there)\nf(x)", None, None),
        ("x = f(given)\nf(x)", None, None),
        ("x = f(here, out=there)\nf(x)", None, None),
        ("g(2.0, f(here))", "f(here)", ("f", "f(here)", None, None)),
        ("f(here)\ng(2.0, here)", "here", (None, None, None, "here")),
        ("f(here)\nhere = np.zeros(n)\ng(2.0, here)", "here", None),
        ("for i in range(9):\n g(i, here)", "here", (None, None, "here", None)),
        ("for i in range(9):\n here = np.full(n, i)\n g(i, here)", "here", None),
    ],
)
def test_copies_that_are_done_twice(
    tmp_path: Path, body: str, arrays: str | None, copied: tuple[str | None, ...] | None
) -> None:
    text = MADE + "".join(f"    {line}\n" for line in body.split("\n"))
    last = max(records(tmp_path, "universal_call", text), key=lambda one: (one.span.line, -one.span.column))
    assert value(last, "host_array_names") == arrays
    names = ("returned_by", "returned_array", "copied_each_iteration", "copied_again")
    assert tuple(value(last, name) for name in names) == (copied or (None,) * 4)


@pytest.mark.parametrize(
    ("body", "elements"),
    [
        ("x = np.ones(40)\ny = f(x)\nf(y)", 40),
        ("x = np.ones(40)\nz = np.ones(50)\ny = f(x)\ng(y, z)", 50),
        ("y = f(here)\nf(y)", None),
        ("x = np.ones(40)\ny = f(x)\ng(y, here)", None),
    ],
)
def test_the_size_of_what_a_chain_copies(tmp_path: Path, body: str, elements: int | None) -> None:
    text = MADE + "".join(f"    {line}\n" for line in body.split("\n"))
    last = records(tmp_path, "universal_call", text)[-1]
    assert value(last, "largest_host_array") == elements
