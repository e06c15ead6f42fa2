"""How much of its row a thread uses: elements at constant places, and rows that go to unknown functions."""

from __future__ import annotations

from pathlib import Path

import pytest
from surveying import records, value


def found(tmp_path: Path, *body: str, metric: str = "used_together") -> list[object]:
    text = "@cuda.jit\ndef k(a, b, n):\n    i = cuda.grid(1)\n" + "".join(f"    {one}\n" for one in body)
    return [value(one, metric) for one in records(tmp_path, "access", text) if value(one, "array") == "a"]


@pytest.mark.parametrize(
    ("body", "used"),
    [
        ("b[i] = a[i, 0] + a[i, 1] + a[i, 2] + a[i, 3]", [4, 4, 4, 4]),
        ("b[i] = a[i][0] + a[i][3]", [2, 2]),
        ("b[i] = a[i, 0] * a[i, 0]", [1, 1]),
        # Nine elements of four bytes are 36: the ninth shares no 32 bytes with the first.
        ("b[i] = a[i, 0] + a[i, 7] + a[i, 8]", [2, 2, 2]),
        ("b[i] = a[i, 0] + a[i, 100]", [1, 1]),
        # Where the end of a row of unknown length lies is not known.
        ("b[i] = a[i, 0] + a[i, -1] + a[i, -2]", [1, 2, 2]),
        # Rows of their own, and places that are not constant.
        ("b[i] = a[i, 0] + a[i + 1, 1]", [1, 1]),
        ("b[i] = a[i, n] + a[i, n + 1]", [1, 1]),
        ("b[i] = a[0] + a[1]", [1, 1]),
        # A gather, and a list of rows that the thread walks over.
        ("for m in range(n): b[i] += a[int(b[m]), 0] + a[int(b[m]), 1]", [1, 1]),
        ("for m in range(n): b[i] += a[i, m, 0] + a[i, m, 1]", [1, 1]),
        ("for m in range(n): j = int(b[m]); b[i] += a[j, 0] + a[j, 1]", [2, 2]),
    ],
)
def test_elements_at_constant_places(tmp_path: Path, body: str, used: list[int]) -> None:
    assert found(tmp_path, body) == used


@pytest.mark.parametrize(
    ("body", "handed"),
    [
        (("p = a[i]", "b[i] = p[3]", "unknown(p)"), True),
        (("b[i] = a[i, 3]", "unknown(a[i])"), True),
        (("p = a[i]", "b[i] = p[3]", "unknown(p[2])"), False),
        (("b[i] = a[i, 3]", "unknown(a[i + 1])"), False),
        (("b[i] = a[i, 3]", "unknown(b[i])"), False),
        (("b[i] = a[i, 3]", "unknown(a)"), False),
        (("b[i] = a[i, 3]", "math.sqrt(a[i])"), False),
    ],
)
def test_rows_that_go_to_a_function_that_is_not_known(
    tmp_path: Path, body: tuple[str, ...], handed: bool
) -> None:
    assert found(tmp_path, *body, metric="row_handed_on")[0] is handed
