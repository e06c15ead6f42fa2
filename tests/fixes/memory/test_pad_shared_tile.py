"""Tiles in shared memory with one column more."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from fixing import fixed
from hypothesis import given, settings
from hypothesis import strategies as st
from simulated_runs import SimulatedRuns

FIX = "pad-shared-tile"
HEAD = "import numpy as np\nfrom numba import cuda, float32\n\n"
TURN = """
@cuda.jit
def turn(a, out):
    tile = cuda.shared.array((32, 32), float32)  # a block of a
    x = cuda.threadIdx.x
    y = cuda.threadIdx.y
    row = cuda.blockIdx.y * 32 + y
    column = cuda.blockIdx.x * 32 + x
    if row < a.shape[0] and column < a.shape[1]:
        tile[y, x] = a[row, column]
    cuda.syncthreads()
    row = cuda.blockIdx.y * 32 + x
    column = cuda.blockIdx.x * 32 + y
    if row < a.shape[0] and column < a.shape[1]:
        out[column, row] = tile[x, y]
"""
RUN = """
def run(a):
    out = cuda.device_array(a.shape[::-1], a.dtype)
    turn[(a.shape[1] // 32 + 1, a.shape[0] // 32 + 1), (32, 32)](cuda.to_device(a), out)
    return out.copy_to_host()
"""
NAMED = "TILE = 32  # rows\n" + TURN.replace("(32, 32)", "(TILE, TILE)")
SUMS = """
SIDE = 16
ROW = 2 * SIDE
@cuda.jit
def turn(a, out):
    tile = cuda.shared.array(shape=(3, SIDE, ROW), dtype=np.float64)
    lane = cuda.threadIdx.x
    for k in range(32):
        tile[1, lane, k] = a[0, k]
    total = 0.0
    for k in range(SIDE):
        total += tile[1, lane, k]
    if cuda.grid(1) < out.shape[0]:
        out[cuda.grid(1), 0] = total
"""
SUMS_RUN = """
def run(a):
    out = cuda.device_array((a.shape[1], a.shape[0]), a.dtype)
    turn[9, 16](cuda.to_device(np.resize(a, (1, 32))), out)
    return out.copy_to_host()[:, :1]
"""
CHANGES = {
    "a column around the corner": (
        TURN.replace("tile[x, y]", "tile[x, (y + 32) % 32]") + RUN,
        TURN.replace("tile[x, y]", "tile[x, (y + 32) % 32]").replace("(32, 32)", "(32, 33)") + RUN,
    ),
    "numbers": (TURN + RUN, TURN.replace("(32, 32)", "(32, 33)") + RUN),
    "a constant of the module": (
        NAMED + RUN,
        NAMED.replace("(TILE, TILE)", "(TILE, PADDED_TILE)").replace(
            "rows\n", "rows\nPADDED_TILE = TILE + 1\n"
        )
        + RUN,
    ),
    "the padded constant is there": (
        NAMED.replace("\n", "\nPADDED_TILE = TILE + 1\n", 1) + RUN,
        NAMED.replace("\n", "\nPADDED_TILE = TILE + 1\n", 1).replace("(TILE, TILE)", "(TILE, PADDED_TILE)")
        + RUN,
    ),
    "another meaning of the name": (
        NAMED.replace("\n", "\nPADDED_TILE = 7\n", 1) + RUN,
        NAMED.replace("\n", "\nPADDED_TILE_2 = TILE + 1\nPADDED_TILE = 7\n", 1).replace(
            "(TILE, TILE)", "(TILE, PADDED_TILE_2)"
        )
        + RUN,
    ),
    "three axes, by keyword": (
        SUMS + SUMS_RUN,
        SUMS.replace("SIDE, ROW)", "SIDE, PADDED_ROW)").replace("SIDE\n@", "SIDE\nPADDED_ROW = ROW + 1\n@")
        + SUMS_RUN,
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_padded(tmp_path: Path, name: str) -> None:
    before, after = CHANGES[name]
    assert fixed(tmp_path, FIX, HEAD + before) == HEAD + after


KEPT = {
    "padded already": CHANGES["numbers"][1],
    "rows only": TURN.replace("tile[x, y]", "tile[y, x]") + RUN,
    "every other word of a row": TURN.replace("tile[y, x]", "tile[y, 2 * x]").replace("[x, y]", "[y, 2 * x]")
    + RUN,
    "the shape is asked for": TURN.replace("= tile[x, y]", "= tile[x, y] * tile.shape[1]") + RUN,
    "its length": TURN.replace("= tile[x, y]", "= tile[x, y] * len(tile)") + RUN,
    "passed on": TURN.replace("= tile[x, y]", "= tile[x, y] + first(tile)") + RUN,
    "another name": TURN.replace("= tile[x, y]", "= tile[x, y]\n    other = tile") + RUN,
    "a row at a time": TURN.replace("= tile[x, y]", "= tile[x, y] + tile[x][0]") + RUN,
    "counted from the end": TURN.replace("= tile[x, y]", "= tile[x, y] + tile[x, -1]") + RUN,
    "perhaps counted from the end": TURN.replace("= tile[x, y]", "= tile[x, y] + tile[x, y - 1]") + RUN,
    "perhaps so under a name": TURN.replace("    x = ", "    w = cuda.threadIdx.y - 1\n    x = ").replace(
        "= tile[x, y]", "= tile[x, y] + tile[x, w]"
    )
    + RUN,
    "past the end of a row": TURN.replace("tile[y, x] =", "tile[0, y * 32 + x] =") + RUN,
    "a wider block": TURN + RUN.replace("(32, 32)]", "(64, 16)]"),
    "a column from data": TURN.replace("= tile[x, y]", "= tile[x, int(a[0, 0])]") + RUN,
    "a column from the host": TURN.replace("(a, out)", "(a, out, shift)").replace(
        "= tile[x, y]", "= tile[x, shift]"
    )
    + RUN.replace("to_device(a), out", "to_device(a), out, 1"),
    "a loop of unknown length": TURN.replace(
        "= tile[x, y]", "= tile[x, y]\n    for k in range(a.shape[0]):\n        out[0, 0] = tile[x, k]"
    )
    + RUN,
    "no launch in sight": TURN,
    "a shape by name": "SHAPE = (32, 32)\n" + TURN.replace("array((32, 32)", "array(SHAPE") + RUN,
    "a side of the kernel's own": TURN.replace("    tile =", "    side = 32\n    tile =").replace(
        "array((32, 32)", "array((side, side)"
    )
    + RUN,
    "no room": TURN.replace("array((32, 32)", "array((384, 32)") + RUN,
    "two tiles of a name": TURN.replace(
        "    cuda.sync", "    if row < 0:\n        tile = cuda.shared.array((32, 32), float32)\n    cuda.sync"
    )
    + RUN,
}  # fmt: skip


@pytest.mark.parametrize("name", KEPT)
def test_left_alone(tmp_path: Path, name: str) -> None:
    before = HEAD + KEPT[name]
    assert fixed(tmp_path, FIX, before) == before


@given(
    rows=st.integers(1, 70),
    columns=st.integers(1, 70),
    name=st.sampled_from(sorted(CHANGES)),
    seed=st.integers(0, 99),
)
@settings(max_examples=8, deadline=None)
def test_same_results(simulated: SimulatedRuns, rows: int, columns: int, name: str, seed: int) -> None:
    a = np.random.default_rng(seed).standard_normal((rows, columns), dtype=np.float32)
    before, after = (simulated.call(HEAD + text, "run", a) for text in CHANGES[name])
    np.testing.assert_array_equal(before, after)
    if name != "three axes, by keyword":
        np.testing.assert_array_equal(before, a.T)
