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
        ("return f(here)", "here", None),
        ("x = g(here, here)", "here, here", None),
        ("x = f(here)\nf(x)", "x", "`f` has just copied `x` back"),
        ("x = f(here)\nx = there\nf(x)", None, None),
        ("x = f(there)\nf(x)", None, None),
        ("x = f(given)\nf(x)", None, None),
        ("x = f(here, out=there)\nf(x)", None, None),
        ("g(2.0, f(here))", "f(here)", "`f` has just copied `f(here)` back"),
        ("f(here)\ng(2.0, here)", "here", "`here` is copied by another call as well"),
        ("f(here)\nhere = np.zeros(n)\ng(2.0, here)", "here", None),
        ("for i in range(9):\n g(i, here)", "here", "`here` is copied in every turn of the loop"),
        ("for i in range(9):\n here = np.full(n, i)\n g(i, here)", "here", None),
    ],
)
def test_copies_that_are_done_twice(
    tmp_path: Path, body: str, arrays: str | None, copied: str | None
) -> None:
    text = MADE + "".join(f"    {line}\n" for line in body.split("\n"))
    last = max(records(tmp_path, "universal_call", text), key=lambda one: (one.span.line, -one.span.column))
    assert (value(last, "host_array_names"), value(last, "copied_again")) == (arrays, copied)


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
