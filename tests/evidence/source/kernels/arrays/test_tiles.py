"""Loops that fetch a tile, wait and use it, and shared arrays whose rows are whole vectors."""

from __future__ import annotations

from pathlib import Path

import pytest
from surveying import records, value

HEAD = """
@cuda.jit
def k(a, out, n):
    s = cuda.shared.array((2, 64), "float32")
    t = cuda.threadIdx.x
    v = a[t]
    for m in range(n):
"""


def stages(folder: Path, *lines: str) -> object:
    """What is said of the first loop, whose body the lines are."""
    body = "\n".join("        " + line for line in lines)
    return value(records(folder, "loop", f"{HEAD}{body}\n        out[t] = v\n")[0], "stages_tile")


@pytest.mark.parametrize(
    "lines",
    [
        ("s[0, t] = a[m]", "cuda.syncthreads()", "v += s[0, 63 - t]", "cuda.syncthreads()"),
        ("u = a[m] * 2", "s[0, t] = u", "cuda.syncthreads()", "v += s[0, 0]"),
        ("if t < n:", "    s[0, t] = a[m]", "cuda.syncthreads()", "for j in range(64):", "    v += s[0, j]"),
        ("for j in range(t, 64, 32):", "    s[0, j] = a[m + j]", "cuda.syncthreads()", "v += s[0, 0]"),
    ],
)
def test_a_tile_is_fetched_waited_for_and_used(tmp_path: Path, lines: tuple[str, ...]) -> None:
    assert stages(tmp_path, *lines) is True


@pytest.mark.parametrize(
    "lines",
    [
        # Fetched by the iteration before.
        ("s[0, t] = v", "cuda.syncthreads()", "v = a[m]", "out[m] = s[0, 0]", "cuda.syncthreads()"),
        # Into one half, while the other is read.
        ("s[m % 2, t] = a[m]", "v += s[1 - m % 2, 0]", "cuda.syncthreads()"),
        # No barrier in this loop.
        ("s[0, t] = a[m]", "v += s[0, t]"),
        # Nothing comes from global memory.
        ("s[0, t] = v * 2", "cuda.syncthreads()", "v += s[0, 63 - t]", "cuda.syncthreads()"),
        # Nobody reads it in this loop.
        ("s[0, t] = a[m]", "cuda.syncthreads()", "v += 1"),
        # Another barrier's loop.
        ("s[0, t] = a[m]", "for j in range(3):", "    cuda.syncthreads()", "    v += s[0, 0]"),
    ],
)
def test_what_is_no_such_loop(tmp_path: Path, lines: tuple[str, ...]) -> None:
    assert stages(tmp_path, *lines) is False


@pytest.mark.parametrize(
    ("declaration", "expected"),
    [
        ('cuda.shared.array((32, 32), "float32")', True),
        ('cuda.shared.array(64, "float64")', True),
        ('cuda.shared.array(6, "int64")', True),
        ('cuda.shared.array((32, 33), "float32")', False),
        ('cuda.shared.array(7, "int64")', False),
        ('cuda.shared.array(8, "complex128")', False),
        ('cuda.shared.array((32, 32), "float32", alignment=16)', False),
        ('cuda.shared.array((32, 32), "float32", 16)', False),
        ('cuda.shared.array(shape=(32, 32), dtype="float32")', True),
        ('cuda.local.array(32, "float32")', False),
        ('cuda.shared.array(0, "float32")', None),
        ("cuda.shared.array(32, n)", None),
    ],
)
def test_rows_of_whole_vectors(tmp_path: Path, declaration: str, expected: bool | None) -> None:
    index = "0, 0" if "((" in declaration or "=(" in declaration else "0"
    text = f"@cuda.jit\ndef k(out, n):\n    s = {declaration}\n    out[0] = s[{index}]\n"
    (found,) = [one for one in records(tmp_path, "access", text) if one.label == "s"]
    assert value(found, "row_of_vectors") is expected
