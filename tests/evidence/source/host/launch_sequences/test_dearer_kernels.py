"""A kernel of few operations beside one whose threads each walk all of an array: who waits for it?"""

from __future__ import annotations

from pathlib import Path

import pytest
from surveying import records, value

KERNELS = """
@cuda.jit
def move(x, v, n):
    i = cuda.grid(1)
    if i < x.size:
        for axis in range(3):
            x[i] += v[i] * axis

@cuda.jit
def forces(x, f, n):
    i = cuda.grid(1)
    if i < x.size:
        for j in range({length}):
            f[i] += x[{index}]

def run(a, steps, n):
    x, v, f = cuda.to_device(a), cuda.to_device(a), cuda.to_device(a)
    blocks = (a.size + 127) // 128
"""
BOTH = (
    "    for _ in range(steps):\n        move[blocks, 128](x, v, n)\n        forces[blocks, 128](x, f, n)\n"
)


def beside(folder: Path, body: str, length: str = "x.size", index: str = "j") -> list[object]:
    text = KERNELS.format(length=length, index=index) + body
    return [value(one, "beside_walk") for one in records(folder, "launch", text)]


def test_each_thread_walks_all(tmp_path: Path) -> None:
    assert beside(tmp_path, BOTH) == [True, False]


def test_each_block_walks_all(tmp_path: Path) -> None:
    assert beside(tmp_path, BOTH, "n", "j * 128 + cuda.threadIdx.x") == [True, False]


@pytest.mark.parametrize(
    ("length", "index"),
    [
        ("8", "j"),
        ("f[i]", "j"),
        # The threads share the array.
        ("x.size", "i + j"),
        # Nothing is walked.
        ("x.size", "i"),
        ("i", "j"),
    ],
)
def test_loops_that_are_no_such_walk(tmp_path: Path, length: str, index: str) -> None:
    assert beside(tmp_path, BOTH, length, index) == [False, False]


@pytest.mark.parametrize(
    "body",
    [
        "    move[blocks, 128](x, v, n)\n    forces[blocks, 128](x, f, n)\n",
        "    for _ in range(steps):\n        move[blocks, 128](x, v, n)\n"
        "    for _ in range(steps):\n        forces[blocks, 128](x, f, n)\n",
        # Fewer threads may walk less in all.
        "    for _ in range(steps):\n        move[blocks, 128](x, v, n)\n        forces[1, 128](x, f, n)\n",
        "    for _ in range(steps):\n" + 2 * "        forces[blocks, 128](x, f, n)\n",
    ],
)
def test_launches_that_are_not_beside_each_other(tmp_path: Path, body: str) -> None:
    assert beside(tmp_path, body) == [False, False]


def test_beside_a_kernel_that_is_not_known(tmp_path: Path) -> None:
    body = "    from elsewhere import other\n" + BOTH.replace("forces", "other")
    assert beside(tmp_path, body) == [None, False]
