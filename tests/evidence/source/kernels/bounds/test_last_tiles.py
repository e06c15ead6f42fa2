"""Loops over tiles: loads past the end in the last tile, and elements behind the last whole one."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from surveying import records, value

LOAD = "    s[t] = x[t + b * 16]\n"
PAST = [
    f"for b in range((n + 15) // 16):\n{LOAD}",
    f"for b in range((x.shape[0] + 16 - 1) // 16):\n{LOAD}",
    f"for b in range(math.ceil(n / 16)):\n{LOAD}",
    f"for b in range(int(math.ceil(n / 16))):\n{LOAD}",
    f"for b in range(int(np.ceil(n / 16))):\n{LOAD}",
    f"for b in range(-(-n // 16)):\n{LOAD}",
    f"for b in range((n - 1) // 16 + 1):\n{LOAD}",
    f"tiles = n // 16 + 1\nfor b in range(tiles):\n{LOAD}",
    "for b in range(0, n, 16):\n    s[t] = x[b + t]\n",
    "for b in range(0, n, cuda.blockDim.x):\n    s[t] = x[b + t]\n",
    "d = cuda.blockDim.x\nfor b in range((n + d - 1) // d):\n    s[t] = x[t + b * d]\n",
    # An inner loop walks the tile.
    "for b in range((n + 15) // 16):\n    for k in range(16):\n        s[t] += x[b * 16 + k]\n",
    # A guard of the thread's own position says nothing of the tile.
    f"if i >= n:\n    return\nfor b in range((n + 15) // 16):\n{LOAD}",
    # As far as a grid that is rounded up, also where its guard is passed along one axis.
    "j = cuda.blockIdx.y * 16\nif i >= n and j >= m:\n    return\nfor b in range(cuda.gridDim.x):\n"
    "    s[t] = x[t + b * 16]\n",
    "j = cuda.blockIdx.y * 16 + t\nif i >= n and j >= m:\n    return\nfor b in range(cuda.gridDim.x):\n"
    "    s[t] = x[i, t + b * 16]\n",
    "if i >= n:\n    return\nfor b in range(cuda.gridDim.x):\n    s[t] = x[t + b * cuda.blockDim.x]\n",
]
INSIDE = [
    "for b in range((n + 15) // 16):\n    if t + b * 16 < n:\n        s[t] = x[t + b * 16]\n",
    "for b in range((n + 15) // 16):\n    k = t + b * 16\n    if k >= n:\n        break\n    s[t] = x[k]\n",
    "for b in range((n + 15) // 16):\n    k = t + b * 16\n    s[t] = x[k] if k < n else 0\n",
    "for b in range((n + 15) // 16):\n    s[t] = x[min(t + b * 16, n - 1)]\n",
    "for b in range((n + 15) // 16):\n    if b * 16 + 16 <= n:\n        s[t] = x[t + b * 16]\n",
    # Each thread goes to the end by itself.
    "for k in range(t, n, 16):\n    s[t] = x[k]\n",
    "for b in range(0, n, 16):\n    for k in range(b, min(n, b + 16)):\n        s[t] += x[k]\n",
    # Whole tiles, and tiles of a number that is not known.
    f"for b in range(n // 16):\n{LOAD}",
    f"for b in range(m):\n{LOAD}",
    f"for b in range((n + 31) // 32):\n{LOAD}",
    f"for b in range(4):\n{LOAD}",
    # An array with an element of each thread of the grid.
    "x[i] = 1\nif i < n:\n    for b in range(cuda.gridDim.x):\n        s[t] += x[t + b * cuda.blockDim.x]\n",
    "for b in range(cuda.gridDim.x):\n    s[t] += x[t + b * cuda.blockDim.x]\n",
]
LEFT_OUT = [
    f"for b in range(n // 16):\n{LOAD}",
    f"for b in range(int(n / 16)):\n{LOAD}",
    f"for b in range(int(x.shape[0] / 16)):\n{LOAD}",
    f"for b in range(math.floor(n / 16)):\n{LOAD}",
    f"tiles = x.shape[0] // 16\nfor b in range(tiles):\n{LOAD}",
    "for b in range(n // 16):\n    for k in range(16):\n        s[t] += x[b * 16 + k]\n",
]
MET = [
    f"for b in range((n + 15) // 16):\n{LOAD}",
    f"for b in range(m):\n{LOAD}",
    f"for b in range(16):\n{LOAD}",
    f"for b in range(n // 32):\n{LOAD}",
    # The rest has a place of its own.
    f"for b in range(n // 16):\n{LOAD}if t < n % 16:\n    s[t] = x[n - n % 16 + t]\n",
    # No tiles: every sixteenth element, one in sixteen threads.
    "for b in range(n // 16):\n    s[t] += x[b * 16]\n",
    "for b in range(n // 16):\n    s[t] += x[b]\n",
]


def _any_of(folder: Path, body: str, entity: str, metric: str) -> bool:
    head = "@cuda.jit\ndef kernel(x, n, m):\n    t, i = cuda.threadIdx.x, cuda.grid(1)\n"
    head += "    s = cuda.shared.array(16, float32)\n"
    text = "import math\nimport numpy as np\n" + head + textwrap.indent(body, "    ")
    return any(value(one, metric) is True for one in records(folder, entity, text))


@pytest.mark.parametrize("body", PAST)
def test_a_load_past_the_end_in_the_last_tile(tmp_path: Path, body: str) -> None:
    assert _any_of(tmp_path, body, "access", "past_last_tile")


@pytest.mark.parametrize("body", INSIDE)
def test_a_load_that_is_inside_or_not_known_to_pass_the_end(tmp_path: Path, body: str) -> None:
    assert not _any_of(tmp_path, body, "access", "past_last_tile")


@pytest.mark.parametrize("body", LEFT_OUT)
def test_what_is_behind_the_last_whole_tile_is_left_out(tmp_path: Path, body: str) -> None:
    assert _any_of(tmp_path, body, "loop", "leaves_last_tile_out")


@pytest.mark.parametrize("body", MET)
def test_a_loop_that_leaves_no_tile_out(tmp_path: Path, body: str) -> None:
    assert not _any_of(tmp_path, body, "loop", "leaves_last_tile_out")
