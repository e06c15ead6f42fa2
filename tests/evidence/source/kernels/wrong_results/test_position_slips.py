"""Indices put together from block and thread so that several blocks meet, and those that keep them apart."""

from __future__ import annotations

import pytest
from surveying import records, value

WRONG = (
    ("cuda.threadIdx.x + cuda.blockIdx.x", "blockIdx.x + threadIdx.x"),
    ("cuda.threadIdx.x * cuda.blockDim.x + cuda.blockIdx.x", "threadIdx.x * blockDim.x + blockIdx.x"),
    ("cuda.blockIdx.x * cuda.gridDim.x + cuda.threadIdx.x", "blockIdx.x * gridDim.x + threadIdx.x"),
    ("cuda.threadIdx.x + cuda.blockDim.y * cuda.blockIdx.x", "blockIdx.x * blockDim.y + threadIdx.x"),
    ("cuda.blockIdx.y + cuda.threadIdx.y", "blockIdx.y + threadIdx.y"),
)
RIGHT = (
    "cuda.grid(1)",
    "cuda.threadIdx.x + cuda.blockIdx.x * cuda.blockDim.x",
    "cuda.threadIdx.x * cuda.gridDim.x + cuda.blockIdx.x",
    # The tile of another block, as a transposition stores it.
    "cuda.threadIdx.x + cuda.blockIdx.y * cuda.blockDim.x",
    "cuda.threadIdx.y + cuda.blockIdx.x * cuda.blockDim.y",
    "cuda.blockIdx.x",
    "cuda.threadIdx.x",
    "cuda.blockIdx.x * n + cuda.blockIdx.x + cuda.threadIdx.x",
)


def slip(tmp_path, index: str, use: str = "out[i] = a[i]", block: str = "128", grid: str = "64"):
    text = f"""
    @cuda.jit
    def k(a, out, n):
        i = {index}
        t = cuda.threadIdx.x
        {use}

    def run(a, out):
        k[{grid}, {block}](a, out, 3)
    """
    stores = [one for one in records(tmp_path, "access", text) if value(one, "kind") != "load"]
    return stores[-1]


@pytest.mark.parametrize(("index", "written"), WRONG)
def test_blocks_meet(tmp_path, index, written):
    found = slip(tmp_path, index)
    assert value(found, "position_slip") == written
    axis = written[-1]
    assert value(found, "position_meant") == f"blockIdx.{axis} * blockDim.{axis} + threadIdx.{axis}"


@pytest.mark.parametrize("index", RIGHT)
def test_blocks_are_apart(tmp_path, index):
    assert value(slip(tmp_path, index), "position_slip") == ""


@pytest.mark.parametrize(
    "use",
    [
        "out[cuda.blockIdx.x, i] = a[i]",
        "if t == 0: out[i] = a[i]",
        "if t < 2: out[i] = a[i]",
        "out[t + cuda.grid(1)] = a[i]",
    ],
)
def test_something_else_keeps_them_apart(tmp_path, use):
    assert value(slip(tmp_path, WRONG[0][0], use), "position_slip") == ""


def test_a_window_that_is_only_read_may_overlap(tmp_path):
    assert value(slip(tmp_path, WRONG[0][0], "out[cuda.grid(1)] = a[i]"), "position_slip") == ""


@pytest.mark.parametrize(
    ("slipped", "block", "grid", "fits"),
    [
        (0, "128", "64", False),
        (0, "1", "64", True),
        (0, "128", "1", True),
        (1, "64", "64", True),
        (2, "64", "64", True),
        (2, "64", "63", False),
        (3, "(16, 16)", "(4, 4)", True),
        (3, "(16, 8)", "(4, 4)", False),
        (0, "n", "64", False),
    ],
)
def test_launches_may_make_it_right(tmp_path, slipped, block, grid, fits):
    assert value(slip(tmp_path, WRONG[slipped][0], block=block, grid=grid), "position_fits") is fits


def test_without_a_launch_it_is_open(tmp_path):
    text = f"@cuda.jit\ndef k(out):\n    out[{WRONG[0][0]}] = 1\n"
    assert value(records(tmp_path, "access", text)[0], "position_fits") is None
