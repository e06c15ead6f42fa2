"""Barriers of a block between accesses of different blocks to the same elements."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from surveying import records, value

ACROSS = {
    "set to zero, then counted in": """
        counts[i] = 0
        cuda.syncthreads()
        cuda.atomic.add(counts, keys[i], 1)
    """,
    "counted in, then read": """
        cuda.atomic.add(counts, keys[i], 1)
        cuda.syncthreads()
        counts[i] = counts[i] * 2
    """,
    "stored, then gathered": """
        counts[i] = keys[i]
        cuda.syncthreads()
        out[i] = counts[keys[i]]
    """,
    "stored, then all added up": """
        counts[i] = keys[i]
        cuda.syncthreads()
        for j in range(counts.size):
            out[i] += counts[j]
    """,
    "stored in steps of the grid, then all added up": """
        for j in range(i, n, cuda.gridsize(1)):
            counts[j] = keys[j]
        cuda.syncthreads()
        for j in range(n):
            out[i] += counts[j]
    """,
    "neighbours read, then stored": """
        mean = (counts[i - 1] + counts[i + 1]) // 2
        cuda.syncthreads()
        counts[i] = mean
    """,
    "a sum of each block, then all added up": """
        if cuda.threadIdx.x == 0:
            counts[cuda.blockIdx.x] = keys[i]
        cuda.syncthreads()
        if i == 0:
            for b in range(cuda.gridDim.x):
                out[0] += counts[b]
    """,
}
APART = {
    "elements of its own": """
        counts[i] = 0
        cuda.syncthreads()
        counts[i] += keys[i]
    """,
    "another array": """
        counts[i] = 0
        cuda.syncthreads()
        out[keys[i]] = 1
    """,
    "a row of the block": """
        table[cuda.blockIdx.x, cuda.threadIdx.x] = 0
        cuda.syncthreads()
        cuda.atomic.add(table, (cuda.blockIdx.x, keys[i]), 1)
    """,
    "a barrier of the grid": """
        counts[i] = 0
        cuda.cg.this_grid().sync()
        cuda.atomic.add(counts, keys[i], 1)
    """,
    "the last block, found by an atomic": """
        counts[i] = keys[i]
        done = cuda.atomic.add(out, 0, 1)
        cuda.syncthreads()
        if done == cuda.gridDim.x - 1:
            for j in range(counts.size):
                out[1] += counts[j]
    """,
    "shared memory": """
        tile = cuda.shared.array(256, 'int32')
        tile[cuda.threadIdx.x] = keys[i]
        cuda.syncthreads()
        out[i] = tile[keys[i]]
    """,
    "loads alone": """
        first = counts[i]
        cuda.syncthreads()
        out[i] = first + counts[keys[i]]
    """,
}


def _barrier(folder: Path, body: str) -> tuple[object, object]:
    head = "@cuda.jit\ndef k(keys, counts, table, out, n):\n    i = cuda.grid(1)\n"
    (found,) = records(folder, "barrier", head + textwrap.indent(textwrap.dedent(body), "    "))
    return value(found, "between_blocks"), value(found, "array_of_other_blocks")


@pytest.mark.parametrize("body", ACROSS.values(), ids=ACROSS)
def test_elements_of_other_blocks(tmp_path: Path, body: str) -> None:
    assert _barrier(tmp_path, body) == (True, "counts")


@pytest.mark.parametrize("body", APART.values(), ids=APART)
def test_elements_that_no_other_block_uses(tmp_path: Path, body: str) -> None:
    assert _barrier(tmp_path, body) == (False, None)


@pytest.mark.parametrize(
    ("launch", "single"),
    [
        ("k[1, 256](d)", True),
        ("k[(1, 1), 256](d)", True),
        ("k[4, 256](d)", False),
        ("k[n, 256](d)", None),
        ("pass", None),
    ],
)
def test_whether_launches_have_one_block(tmp_path: Path, launch: str, single: bool | None) -> None:
    kernel = "@cuda.jit\ndef k(a):\n    a[cuda.grid(1)] = 0\n"
    text = f"{kernel}\ndef run(a, n):\n    d = cuda.to_device(a)\n    {launch}\n"
    (kernel,) = records(tmp_path, "kernel", text)
    assert value(kernel, "single_block") is single
