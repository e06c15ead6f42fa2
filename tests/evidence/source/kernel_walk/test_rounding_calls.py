"""Numbers that rounding makes, as Numba types them for CUDA."""

from __future__ import annotations

from pathlib import Path

import pytest
from surveying import records, value

KERNEL = """
@cuda.jit
def k(a, out):
    i = cuda.grid(1)
    for j in range(9):
        out[i, j] = {number} % (i + 1)
"""


@pytest.mark.parametrize(
    ("number", "integer"),
    [
        ("round(a[i, j])", True),
        ("int(math.floor(a[i, j]))", True),
        ("math.floor(a[i, j])", False),
        ("math.ceil(a[i, j])", False),
        ("np.floor(a[i, j])", False),
    ],
)
def test_the_remainder_of_a_rounded_number(tmp_path: Path, number: str, integer: bool) -> None:
    found = records(tmp_path, "operation", KERNEL.format(number=number))
    (remainder,) = [one for one in found if value(one, "operator") == "modulo"]
    assert (value(remainder, "integer_operands") or False) is integer
