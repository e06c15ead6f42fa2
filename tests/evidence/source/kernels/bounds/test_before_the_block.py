"""The halo before a block: elements that each block of a rounded grid has, and those behind it."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from surveying import records, value

START = "first = cuda.blockIdx.x * cuda.blockDim.x\nt = cuda.threadIdx.x\n"
BEFORE = [
    "out[0] = x[first - 2]",
    "out[0] = x[first]",
    "if t < 2:\n    out[0] = x[first - 2 + t]",
    "if t <= 2:\n    out[0] = x[first + t - 2]",
    "if t == 0:\n    out[0] = x[first + t]",
]
BEHIND = [
    "out[0] = x[first + t]",
    "out[0] = x[first - 2 + t]",
    "if t < 4:\n    out[0] = x[first - 2 + t]",
    "if t > 2:\n    out[0] = x[first - 2 + t]",
    # Another axis of the block.
    "if cuda.threadIdx.y < 2:\n    out[0] = x[first + t - 2]",
]


def _guarded(folder: Path, body: str) -> object:
    text = "@cuda.jit\ndef k(x, out):\n" + textwrap.indent(START + body, "    ")
    return next(value(one, "guarded") for one in records(folder, "access", text) if one.label == "x")


@pytest.mark.parametrize("body", BEFORE[2:])
def test_before_the_block(tmp_path: Path, body: str) -> None:
    assert _guarded(tmp_path, body) is True


@pytest.mark.parametrize("body", BEHIND)
def test_behind_its_first_thread(tmp_path: Path, body: str) -> None:
    assert not _guarded(tmp_path, body)
