"""Conflicts are those of the lanes that conditions let through."""

from __future__ import annotations

from pathlib import Path

import pytest
from surveying import records, value

KERNEL = """
@cuda.jit
def k(out, n):
    t = cuda.threadIdx.x
    s = cuda.shared.array(1024, "float32")
    s[t] = 1
    cuda.syncthreads()
    {test}
        out[t] = s[t * 32]

def main(out, n):
    k[8, 32](out, n)
"""


@pytest.mark.parametrize(
    ("test", "ways"),
    [
        ("if True:", 32),
        ("if t < 2:", 2),
        ("if t <= 2:", 3),
        ("if not t >= 2:", 2),
        ("if t < 4 and t < n:", 4),
        ("if 8 <= t < 12:", 4),
        ("if t == 0:", 1),
        # How many lanes `n` lets through is not known, so that it may be all.
        ("if t < n:", 32),
        ("if t < 2 or n:", 32),
    ],
)
def test_ways_of_a_column(tmp_path: Path, test: str, ways: float) -> None:
    found = records(tmp_path, "access", KERNEL.format(test=test))
    (load,) = [one for one in found if one.label == "s" and value(one, "kind") == "load"]
    assert value(load, "bank_conflict_ways") == ways
