"""Sizes of elements that the source does not state, by what the kernel does with them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from surveying import records, value

from advisor.program.arrays.element_types import itemsize_of

KERNEL = """
@cuda.jit(device=True)
def part(z):
    return z.imag

@cuda.jit
def k(c, out, n):
    i = cuda.grid(1)
    if i < n:
        {body}

def main(c, out, n):
    k[8, 256](c, out, n)
"""


def load(folder: Path, body: str, text: str = KERNEL):
    return next(one for one in records(folder, "access", text.format(body=body)) if one.label == "c")


@pytest.mark.parametrize(
    ("body", "least", "most"),
    [
        # 32 neighbours of 8 bytes lie in eight sectors, of 16 bytes in sixteen.
        ("out[i] = c[i].real", 8, 16),
        ("out[i] = c[i].real * c[i].real + c[i].imag * c[i].imag", 8, 16),
        ("z = c[i]\n        out[i] = z.imag", 8, 16),
        ("out[i] = part(c[i])", 8, 16),
        # Only tested, they are truth values of one byte: 32 neighbours lie in one sector.
        ("if c[i]:\n            out[i] = 1", 1, None),
        ("if not c[i]:\n            return\n        out[i] = 1", 1, None),
        # Compared with a number, they may be numbers of any size, also where they are tested elsewhere.
        ("if c[i] == 1:\n            out[i] = 1", 4, 8),
        ("if c[i]:\n            out[i] = c[i] * 2", 4, 8),
        # Nothing tells that the elements are complex.
        ("out[i] = c[i]", 4, 8),
        ("out[i] = abs(c[i])", 4, 8),
        ("out[i] = c[i] * n.real", 4, 8),
        ("out[i] = 1 if c[i] > 3 else c[i]", 4, 8),
    ],
)
def test_what_the_kernel_does_tells_the_size(tmp_path: Path, body: str, least: int, most: int | None) -> None:
    reading = load(tmp_path, body).readings["sectors_per_request"]
    assert (reading.value, reading.most) == (least, most)
    size = "one byte" if most is None else f"{least} to {most} bytes"
    assert f"Array `c` is taken to be C-contiguous with elements of {size}." in reading.assumptions


def test_a_type_that_a_launch_states_comes_first(tmp_path: Path) -> None:
    text = KERNEL.replace("def main(c, out, n):", "def main(out, n):\n    c = np.zeros(4096, np.float32)")
    reading = load(tmp_path, "out[i] = c[i].real", text).readings["sectors_per_request"]
    assert (reading.value, reading.most) == (4, None)
    assert value(load(tmp_path, "out[i] = c[i].real", text), "itemsize") == 4


@pytest.mark.parametrize(
    "name",
    ["f2", "<f4", ">f8", "|u1", "i1", "i2", "=i8", "u2", "u4", "b1", "c8", "c16", "half", "single", "double",
     "csingle", "cdouble", "byte", "ubyte", "short", "ushort", "intc", "uintc", "longlong", "ulonglong",
     "bool", "float16", "float32", "float64", "int8", "uint16", "int32", "uint64", "complex64", "complex128"],
)  # fmt: skip
def test_the_bytes_of_types_are_those_of_numpy(name: str) -> None:
    assert itemsize_of(name) == np.dtype(name).itemsize


@pytest.mark.parametrize("name", ["object", "str", "f", "<", "", None])
def test_other_names_are_no_types(name: str | None) -> None:
    assert itemsize_of(name) is None
