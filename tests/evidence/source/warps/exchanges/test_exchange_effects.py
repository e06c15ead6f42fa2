"""Whether exchanging the thread indices mends a kernel or only moves the slow accesses to another array."""

from __future__ import annotations

from pathlib import Path

import pytest
from surveying import records, value


@pytest.mark.parametrize(
    ("body", "moves"),
    [
        (("b[i, j] = a[j, i]",), True),
        (("b[j, i] = a[i, j]",), True),
        (("b[i, j] = a[i, j]",), False),
        # Two arrays in the wrong order, one in the right one.
        (("b[i, j] = a[i, j] + c[j, i]",), False),
        # Read in a loop, the one in the right order counts for more.
        (("for m in range(n):", "    a[m] = c[j, i] + m", "b[i, j] = 1"), True),
        (("for m in range(n):", "    b[m, j] += c[i, j]", "a[j, i] = 1"), False),
        # A vector along the lanes suffers nothing that counts.
        (("b[i, j] = c[i]",), False),
        # Places that are loaded or computed lie anywhere before and after an exchange.
        (("b[i, j] = a[j, int(n / (i + 1.0))]",), False),
        (("b[i, j] = a[j, int(c[i])]",), False),
        (("b[i, j] = a[j, i * n]",), False),
        # Each lane has a sector of its own before and after: 8 elements of 4 bytes. With 7 some share one.
        (("b[i, j] = a[j, 8 * i]",), False),
        (("b[i, j] = a[j, 7 * i]",), True),
        (("b[i, j] = a[j, i + n]",), True),
        (("b[i, j] = a[j, n - i]",), True),
    ],
)
def test_what_an_exchange_does_to_the_kernel(tmp_path: Path, body: tuple[str, ...], moves: bool) -> None:
    text = "@cuda.jit\ndef k(a, b, c, n):\n    i, j = cuda.grid(2)\n" + "".join(
        f"    {one}\n" for one in body
    )
    found = [value(one, "exchange_moves_problem") for one in records(tmp_path, "access", text)]
    assert {one for one in found if one is not None} == {moves}


def test_nothing_is_said_of_accesses_along_the_fast_axis(tmp_path: Path) -> None:
    text = "@cuda.jit\ndef k(a, b):\n    i, j = cuda.grid(2)\n    b[j, i] = a[j, i]\n"
    assert {value(one, "exchange_moves_problem") for one in records(tmp_path, "access", text)} == {None}


def test_a_column_major_array_turns_the_transpose_into_a_plain_copy(tmp_path: Path) -> None:
    kernel = "@cuda.jit\ndef k(a, b):\n    i, j = cuda.grid(2)\n    b[j, i] = a[i, j]\n"
    host = "def run(p):\n    a = cuda.to_device(np.asfortranarray(p))\n    k[(8, 8), (16, 16)](a, p)\n"
    found = records(tmp_path, "access", kernel + host)
    # Half of a row of 16 lanes: two rows of 64 bytes, two sectors each.
    assert [value(one, "sectors_per_request") for one in found] == [4, 4]
