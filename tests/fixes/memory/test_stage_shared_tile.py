"""Transposes that go through a tile in shared memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from fixing import fixed
from hypothesis import given, settings
from hypothesis import strategies as st
from simulated_runs import SimulatedRuns

FIX = "stage-shared-tile"
HEAD = "import numpy as np\nfrom numba import cuda\n\n"
RUN = """
def run(a):
    out = cuda.device_array(a.shape[::-1], a.dtype)
    grid = (max(a.shape) // 16 + 1, max(a.shape) // 16 + 1)
    turn[grid, (16, 16)](cuda.to_device(a), out)
    return out.copy_to_host()
"""
STORES = '''
@cuda.jit
def turn(a, out):
    """Turns a."""
    i, j = cuda.grid(2)
    if i < out.shape[0] and j < out.shape[1]:
        out[i, j] = a[j, i]
'''
STORES_STAGED = '''
@cuda.jit
def turn(a, out):
    """Turns a."""
    tile = cuda.shared.array((16, 17), a.dtype)
    i, j = cuda.grid(2)
    if i < out.shape[0] and j < out.shape[1]:
        tile[cuda.threadIdx.y, cuda.threadIdx.x] = a[j, i]
    cuda.syncthreads()
    i = cuda.blockIdx.x * 16 + cuda.threadIdx.y
    j = cuda.blockIdx.y * 16 + cuda.threadIdx.x
    if i < out.shape[0] and j < out.shape[1]:
        out[i, j] = tile[cuda.threadIdx.x, cuda.threadIdx.y]
'''
LOADS = """
@cuda.jit
def turn(a, out):
    i, j = cuda.grid(2)
    if i < a.shape[0] and j < a.shape[1]:
        out[j, i] = a[i, j]
"""
LOADS_STAGED = """
@cuda.jit
def turn(a, out):
    tile = cuda.shared.array((16, 17), a.dtype)
    i = cuda.blockIdx.x * 16 + cuda.threadIdx.y
    j = cuda.blockIdx.y * 16 + cuda.threadIdx.x
    if i < a.shape[0] and j < a.shape[1]:
        tile[cuda.threadIdx.y, cuda.threadIdx.x] = a[i, j]
    cuda.syncthreads()
    i, j = cuda.grid(2)
    if i < a.shape[0] and j < a.shape[1]:
        out[j, i] = tile[cuda.threadIdx.x, cuda.threadIdx.y]
"""
BY_HAND = """
@cuda.jit
def turn(a, out):
    row = cuda.threadIdx.y + cuda.blockIdx.y * cuda.blockDim.y
    column = cuda.blockDim.x * cuda.blockIdx.x + cuda.threadIdx.x
    if row < a.shape[0]:
        if column < a.shape[1]:
            out[column, row] = a[row, column]
"""
BY_HAND_STAGED = """
@cuda.jit
def turn(a, out):
    tile = cuda.shared.array((16, 17), a.dtype)
    row = cuda.threadIdx.y + cuda.blockIdx.y * cuda.blockDim.y
    column = cuda.blockDim.x * cuda.blockIdx.x + cuda.threadIdx.x
    if row < a.shape[0]:
        if column < a.shape[1]:
            tile[cuda.threadIdx.y, cuda.threadIdx.x] = a[row, column]
    cuda.syncthreads()
    column = cuda.blockIdx.x * 16 + cuda.threadIdx.y
    row = cuda.blockIdx.y * 16 + cuda.threadIdx.x
    if row < a.shape[0]:
        if column < a.shape[1]:
            out[column, row] = tile[cuda.threadIdx.x, cuda.threadIdx.y]
"""
WHOLE = """
tile = 3
@cuda.jit
def turn(a, out):
    i, j = cuda.grid(2)
    out[i, j] = a[j, i]
"""
WHOLE_STAGED = """
tile = 3
@cuda.jit
def turn(a, out):
    tile_2 = cuda.shared.array((16, 17), a.dtype)
    i, j = cuda.grid(2)
    tile_2[cuda.threadIdx.y, cuda.threadIdx.x] = a[j, i]
    cuda.syncthreads()
    i = cuda.blockIdx.x * 16 + cuda.threadIdx.y
    j = cuda.blockIdx.y * 16 + cuda.threadIdx.x
    out[i, j] = tile_2[cuda.threadIdx.x, cuda.threadIdx.y]
"""
BLOCK = "SIDE = 32\n"
LARGE_RUN = RUN.replace("(16, 16)", "(SIDE, SIDE)")
CHANGES = {
    "slow stores": (STORES + RUN, STORES_STAGED + RUN),
    "slow loads": (LOADS + RUN, LOADS_STAGED + RUN),
    "indices by hand, conditions in each other": (BY_HAND + RUN, BY_HAND_STAGED + RUN),
    "a block of another size": (
        BLOCK + LOADS + LARGE_RUN,
        BLOCK + LOADS_STAGED.replace("(16, 17)", "(32, 33)").replace(" 16", " 32") + LARGE_RUN,
    ),
    "no condition, and a name that is taken": (WHOLE + RUN, WHOLE_STAGED + RUN),
}


@pytest.mark.parametrize("name", CHANGES)
def test_staged(tmp_path: Path, name: str) -> None:
    before, after = CHANGES[name]
    assert fixed(tmp_path, FIX, HEAD + before) == HEAD + after


KEPT = {
    "a plain copy": STORES.replace("a[j, i]", "a[i, j]") + RUN,
    "a block that is not square": STORES + RUN.replace("(16, 16)", "(32, 8)"),
    "blocks of two sizes": STORES + RUN + RUN.replace("(16, 16)", "(32, 32)").replace("run", "again"),
    "a block that a caller gives": STORES
    + RUN.replace("(16, 16)", "block").replace("run(a)", "run(a, block)"),
    "no launch": STORES,
    "in place": STORES.replace("a[j, i]", "out[j, i]") + RUN,
    "an early return": STORES.replace("        out", "        return\n    if i < out.size:\n        out")
    + RUN,
    "a sum": STORES.replace("] = a", "] += a") + RUN,
    "more than a copy": STORES.replace("a[j, i]", "a[j, i] * 2") + RUN,
    "another statement": STORES.replace("        out", "        j = j\n        out") + RUN,
    "a branch for the rest": STORES.replace("a[j, i]", "a[j, i]\n    else:\n        out[0, 0] = 1") + RUN,
    "a condition on elements": STORES.replace("if i", "if a[j, i] > 0 and i") + RUN,
    "a condition on the thread": STORES.replace("if i", "if cuda.threadIdx.x < 9 and i") + RUN,
    "shifted": STORES.replace("a[j, i]", "a[j, i + 1]") + RUN,
    "three axes": STORES.replace("a[j, i]", "a[j, i, 0]") + RUN,
    "comments that would lose their place": STORES.replace("        out", "        # Turned.\n        out")
    + RUN,
    "a global array": STORES.replace("turn(a, out)", "turn(b, out)") + RUN,
}


@pytest.mark.parametrize("name", KEPT)
def test_left_alone(tmp_path: Path, name: str) -> None:
    before = HEAD + KEPT[name]
    assert fixed(tmp_path, FIX, before) == before


@given(
    rows=st.integers(1, 50),
    columns=st.integers(1, 50),
    name=st.sampled_from([one for one in CHANGES if one != "no condition, and a name that is taken"]),
    kind=st.sampled_from(["float32", "float64", "uint8", "complex64"]),
)
@settings(max_examples=10, deadline=None)
def test_same_results(simulated: SimulatedRuns, rows: int, columns: int, name: str, kind: str) -> None:
    a = (np.random.default_rng(rows).random((rows, columns)) * 200).astype(kind)
    before, after = (simulated.call(HEAD + text, "run", a) for text in CHANGES[name])
    np.testing.assert_array_equal(before, after)
    np.testing.assert_array_equal(before, a.T)
