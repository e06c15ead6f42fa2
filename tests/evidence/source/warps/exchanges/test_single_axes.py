"""Launches with threads along one axis of the grid alone: nothing changes places with a single thread."""

from __future__ import annotations

from pathlib import Path

import pytest
from surveying import records, value

from advisor.evidence.source.analysis import analyse

KERNEL = """
@cuda.jit
def k(a):
    i, j = cuda.grid(2)
    rows, columns = cuda.gridsize(2)
    for row in range(i, 4096, rows):
        for column in range(j, 4096, columns):
            a[row, column] = 1

def main(a, n, grid, block):
    blocks = len(a)
    {launches}
"""
# 32 lanes in 32 rows of float32 take a sector each, and side by side 128 bytes, which are 4 sectors.
ALONE = (False, 32, None)
EXCHANGED = (True, 32, 4)


@pytest.mark.parametrize(
    ("launches", "told"),
    [
        ("k[16, 256](a)", ALONE),
        ("k[(16,), (256,)](a)", ALONE),
        ("k[(16, 1), (256, 1, 1)](a)", ALONE),
        ("k[blocks, 256](a)", ALONE),
        ("k[(n + 255) // 256, 256](a)", ALONE),
        ("k[-(-n // 256), 256](a)", ALONE),
        ("k[a.shape[0], 256](a)", ALONE),
        ("k[math.ceil(n / 256) + n, 256](a)", ALONE),
        ("k[16, 256](a)\n    k[32, 128](a)", ALONE),
        # Blocks along y take the columns.
        ("k[(16, 16), (256, 1)](a)", EXCHANGED),
        ("k[16, 256](a)\n    k[(16, 16), (256, 1)](a)", EXCHANGED),
        ("k[16, (32, 8)](a)", EXCHANGED),
        # Such grids may have two axes.
        ("k[grid, 256](a)", EXCHANGED),
        ("k[grid + (n,), 256](a)", EXCHANGED),
        ("k[(n,) * 2, 256](a)", EXCHANGED),
    ],
)
def test_what_the_launches_show(
    tmp_path: Path, launches: str, told: tuple[bool, float, float | None]
) -> None:
    (found,) = records(tmp_path, "access", KERNEL.format(launches=launches))
    metrics = ("fast_axis_thread", "sectors_per_request", "exchanged_sectors_per_request")
    assert tuple(value(found, one) for one in metrics) == told


def test_lanes_along_y_beside_a_single_thread_along_x(tmp_path: Path) -> None:
    text = (
        "@cuda.jit\ndef k(a):\n    i, j = cuda.grid(2)\n    a[j, i] = 1\n\n"
        "k[(1, 16), (1, 256)](np.zeros((4096, 9)))\n"
    )
    (found,) = records(tmp_path, "access", text)
    assert (value(found, "lane_axis"), value(found, "fast_axis_thread")) == ("slow", False)


def test_tests_do_not_tell_how_a_program_launches(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    head = "from numba import cuda\nimport numpy as np\n"
    program = tmp_path / "program.py"
    program.write_text(head + KERNEL.format(launches="pass"))
    tests = tmp_path / "tests" / "test_program.py"
    tests.write_text(head + "from program import k\n\ndef test_k():\n    k[16, 256](np.zeros((9, 9)))\n")
    (found,) = [one for one in analyse([program, tests], tmp_path).records if one.entity == "access"]
    assert value(found, "fast_axis_thread") is True
