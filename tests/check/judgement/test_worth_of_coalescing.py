"""How loud a finding about the order of threads is, by what the block makes of its sectors."""

from __future__ import annotations

import sys

import pytest
from advisor_command import AdvisorHere

# The rows lie along k. Of a block of 1 x 4 x 64 a warp has 4 rows of 8 elements, of one of 32 x 1 x 1 a row
# for each lane.
PROGRAM = """\
from numba import cuda, float32, void


@cuda.jit(void(float32[:, :, :], float32[:, :, :], float32[:, :, :], float32[:]))
def step(h, e, c, width):
    i, j, k = cuda.grid(3)
    if i > 0 and i < h.shape[0] and j > 0 and j < h.shape[1] and k > 0 and k < h.shape[2]:
        h[i, j, k] = h[i, j, k] + (e[i, j, k] - e[i, j, k - 1]) * c[i, j, k] / width[k]


def run(h, e, c, width, n, steps):
    for _ in range(steps):
        step[{grid}, {block}](h, e, c, width)
"""
RULE = ("--select", "transposed-index")


@pytest.fixture
def synthesising() -> AdvisorHere:
    """The command, in this process, with launches that are made up."""
    if sys.platform not in ("linux", "win32"):
        pytest.skip("NVIDIA publishes no compiler packages for this system")
    return AdvisorHere(synthesis=True)


def test_other_warps_of_the_block_use_the_rest_of_each_sector(synthesising, tmp_path):
    grid = "(n, (n + 3) // 4, (n + 63) // 64)"
    (tmp_path / "k.py").write_text(PROGRAM.format(grid=grid, block=(1, 4, 64)))
    found = synthesising.check(*RULE, cwd=tmp_path).findings
    assert {one["severity"] for one in found} <= {"info"}
    for one in found:
        # DRAM moves the same bytes in any order.
        assert one["gain"]["basis"] == "predicted"
        assert one["gain"]["speedup"] < 1.1


def test_no_other_thread_of_the_block_uses_the_rest(synthesising, tmp_path):
    (tmp_path / "k.py").write_text(PROGRAM.format(grid="((n + 31) // 32, n, n)", block=(32, 1, 1)))
    (finding,) = synthesising.check(*RULE, cwd=tmp_path).findings
    assert finding["severity"] == "warning"
    assert finding["gain"]["speedup"] > 2
