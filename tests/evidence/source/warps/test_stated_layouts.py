"""A signature says how arrays lie in memory, which decides what the lanes of a warp touch together."""

from __future__ import annotations

from pathlib import Path

import pytest
from surveying import records, value

# A thread walks along a row; neighbouring threads are one row apart.
KERNEL = """
@cuda.jit({signature})
def k(a, out):
    i = cuda.grid(1)
    if i < out.size:
        s = 0.0
        for j in range(out.size):
            s += a[i, j]
        out[i] = s
"""


@pytest.mark.parametrize(
    ("signature", "sectors"),
    [
        # 32 neighbours of eight bytes lie in eight sectors, 32 rows in 32.
        ('\'void(Array(float64, 2, "F"), Array(float64, 1, "C"))\'', 8.0),
        ("'void(float64[::1, :], float64[::1])'", 8.0),
        ("'void(Array(float32, 2, \"F\"), float32[::1])'", 4.0),
        ("[(types.Array(types.float64, 2, 'F'), types.float64[::1])]", 8.0),
        ('\'void(Array(float64, 2, "C"), Array(float64, 1, "C"))\'', 32.0),
        ("'void(float64[:, ::1], float64[::1])'", 32.0),
        ("'void(float64[:, :], float64[:])'", 32.0),
        ("", 32.0),
    ],
)
def test_sectors_of_a_stated_layout(tmp_path: Path, signature: str, sectors: float) -> None:
    text = "from numba import types\n" + KERNEL.format(signature=signature)
    (load,) = [one for one in records(tmp_path, "access", text) if one.label == "a"]
    assert value(load, "sectors_per_request") == sectors


def test_typings_that_disagree_say_nothing(tmp_path: Path) -> None:
    signature = "['void(float64[::1, :], float64[::1])', 'void(float64[:, ::1], float64[::1])']"
    (load,) = [
        one for one in records(tmp_path, "access", KERNEL.format(signature=signature)) if one.label == "a"
    ]
    assert value(load, "sectors_per_request") == 32.0


@pytest.mark.parametrize("signature", ["'void(float64[::1, :]'", "given()", "'(a, b)'", "float64[:, 1]"])
def test_signatures_that_are_none_are_left_alone(tmp_path: Path, signature: str) -> None:
    found = records(tmp_path, "access", KERNEL.format(signature=signature))
    assert [one.label for one in found] == ["a", "out"]
