"""Generator states from which several threads of a launch draw, and states of one thread each."""

from __future__ import annotations

from pathlib import Path

import pytest
from surveying import records, value

IMPORTS = """
from numba.cuda.random import xoroshiro128p_normal_float64 as normal, xoroshiro128p_uniform_float32 as uniform

@cuda.jit(device=True)
def drawn(states, i):
    return uniform(states, i) + normal(states, i)
"""

SHARED = {
    "a state for each column": (
        "x, y = cuda.grid(2)\nif y < out.shape[0]:\n    out[y, x] = uniform(states, x)",
        ["blockIdx.y and threadIdx.y"],
    ),
    "a state for each thread of a block": (
        "i = cuda.grid(1)\nout[i] = uniform(states, cuda.threadIdx.x)", ["blockIdx.x"],
    ),
    "a state for each block": (
        "i = cuda.grid(1)\nout[i] = uniform(states, cuda.blockIdx.x)", ["threadIdx.x"],
    ),
    "one state": ("i = cuda.grid(1)\nout[i] = uniform(states, 0)", ["blockIdx.x and threadIdx.x"]),
    "in a device function": (
        "x, y = cuda.grid(2)\nout[y, x] = drawn(states, y)", ["blockIdx.x and threadIdx.x"] * 2,
    ),
    "held by a tuple": (
        "x, y = cuda.grid(2)\nown = (states[x],)\nout[y, x] = normal(own, 0)", ["blockIdx.y and threadIdx.y"],
    ),
    "behind an exit by order": (
        "x, y = cuda.grid(2)\nif b[y] * y < 0:\n    return\nout[y, x] = uniform(states, x)",
        ["blockIdx.y and threadIdx.y"],
    ),
    "added up": (
        "x, y = cuda.grid(2)\ncuda.atomic.add(out, (y, x), uniform(states, x))",
        ["blockIdx.y and threadIdx.y"],
    ),
}  # fmt: skip

OWN = {
    "one for each thread": "i = cuda.grid(1)\nout[i] = uniform(states, i)",
    "in a loop by the grid": (
        "i = cuda.grid(1)\nfor j in range(i, out.size, cuda.gridsize(1)):\n    out[j] = uniform(states, i)"
    ),
    "one for each element": (
        "i = cuda.grid(1)\nfor j in range(i, out.size, cuda.gridsize(1)):\n    out[j] = uniform(states, j)"
    ),
    "of two axes": "x, y = cuda.grid(2)\nout[y, x] = uniform(states, y * out.shape[1] + x)",
    "wrapped around": "x, y = cuda.grid(2)\nout[y, x] = uniform(states, (y * 640 + x) % states.size)",
    "by one thread of the block": (
        "r, t = cuda.blockIdx.x, cuda.threadIdx.x\nif t == 0:\n    out[r, t] = uniform(states, r)"
    ),
    "by the first row of threads": "x, y = cuda.grid(2)\nif y == 0:\n    out[y, x] = uniform(states, x)",
    "by every other row": "x, y = cuda.grid(2)\nif y % 2 == b[0]:\n    out[y, x] = uniform(states, x)",
    "an index of the data": "i = cuda.grid(1)\nout[i] = uniform(states, b[i])",
    "the same work in each row": "x, y = cuda.grid(2)\nout[x] = uniform(states, x)",
    "states of two axes": "x, y = cuda.grid(2)\nout[y, x] = uniform(states[y], x)",
    "an index from elsewhere": "i = cuda.grid(1)\nout[i] = uniform(states, elsewhere())",
}


def _kernel(body: str) -> str:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return f"{IMPORTS}\n@cuda.jit\ndef kernel(states, out, b):\n{lines}"


def _shared(folder: Path, body: str) -> list[object]:
    found = records(folder, "draw", _kernel(body))
    assert found
    return [value(one, "shared_along") for one in found if value(one, "shares_state")]


@pytest.mark.parametrize(("body", "along"), SHARED.values(), ids=SHARED)
def test_threads_that_share_a_state(body: str, along: list[str], tmp_path: Path) -> None:
    assert _shared(tmp_path, body) == along


@pytest.mark.parametrize("body", OWN.values(), ids=OWN)
def test_states_of_one_thread(body: str, tmp_path: Path) -> None:
    assert _shared(tmp_path, body) == []


@pytest.mark.parametrize(
    ("index", "alone"), [("cuda.threadIdx.x", True), ("cuda.blockIdx.x", False), ("0", False)]
)
def test_whether_blocks_alone_share_a_state(index: str, alone: bool, tmp_path: Path) -> None:
    (found,) = records(tmp_path, "draw", _kernel(f"i = cuda.grid(1)\nout[i] = uniform(states, {index})"))
    assert (value(found, "by_blocks_alone"), value(found, "array")) == (alone, "states")


def test_other_functions_draw_nothing(tmp_path: Path) -> None:
    assert records(tmp_path, "draw", _kernel("i = cuda.grid(1)\nout[i] = math.sqrt(b[i])")) == []
