"""Arrays that are filled before a launch that stores every element."""

from __future__ import annotations

import pytest
from surveying import records, value

PROGRAM = """
import cupy as cp

@cuda.jit
def double(x, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = 2 * x[i]

@cuda.jit
def some(x, out):
    i = cuda.grid(1)
    if i < out.size and x[i] > 0:
        out[i] = 2 * x[i]

@cuda.jit
def add(x, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] += x[i]

def main(x, other):
    blocks = (x.size + 255) // 256
"""


def filled(folder, body: str):
    text = PROGRAM + "\n".join("    " + line for line in body.splitlines()) + "\n"
    found = records(folder, "launch", text)[-1]
    return value(found, "filled_arrays"), value(found, "fills_are_copied")


@pytest.mark.parametrize(
    ("body", "copied"),
    [
        ("out = cuda.to_device(np.zeros_like(x))\ndouble[blocks, 256](x, out)", True),
        ("zeros = np.zeros(x.size)\nout = cuda.to_device(zeros)\ndouble[blocks, 256](x, out)", True),
        ("out = cuda.to_device(np.full(x.size, 7))\ndouble[blocks, 256](x, out)\nreturn out", True),
        ("out = other\nzeros = np.zeros(9)\nout.copy_to_device(zeros)\ndouble[blocks, 256](x, out)", True),
        ("out = other\nout[:] = 0\ndouble[blocks, 256](x, out)", False),
        ("out = other\nout.fill(0)\nn = x.size\ndouble[blocks, 256](x, out)", False),
        ("out = cp.zeros(x.size)\ndouble[blocks, 256](x, out)", False),
    ],
)
def test_every_element_is_stored(tmp_path, body, copied):
    assert filled(tmp_path, body) == ("out", copied)


@pytest.mark.parametrize(
    "body",
    [
        "out = cuda.to_device(np.zeros_like(x))\nsome[blocks, 256](x, out)",
        "out = cuda.to_device(np.zeros_like(x))\nadd[blocks, 256](x, out)",
        "out = other\nout[:9] = 0\ndouble[blocks, 256](x, out)",
        "out = other\nout[:] = 0\nother(out)\ndouble[blocks, 256](x, out)",
        "out = other\nout.copy_to_device(other)\ndouble[blocks, 256](x, out)",
        "out = cuda.device_array_like(x)\ndouble[blocks, 256](x, out)",
        "out = cuda.to_device(np.empty_like(x))\ndouble[blocks, 256](x, out)",
        "out = cuda.to_device(np.zeros_like(x))\ndouble[9, 256](x, out)",
        "out = cuda.to_device(np.zeros_like(x))\nother(out)\ndouble[blocks, 256](x, out)",
        "zeros = np.zeros(x.size)\nout = cuda.to_device(zeros)\ndouble[blocks, 256](x, out)\nreturn zeros",
        "out = cuda.to_device(np.zeros_like(x))\ndouble[blocks, 256](out, out)",
    ],
)
def test_what_was_filled_in_is_needed(tmp_path, body):
    assert filled(tmp_path, body)[0] == ""
