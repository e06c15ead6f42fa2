"""Lanes are moved to an axis that has enough elements for them."""

from __future__ import annotations

from pathlib import Path

import pytest
from surveying import access, value

PICTURE = """
@cuda.jit
def k(out):
    x, y, z = cuda.grid(3)
    if x < out.shape[0] and y < out.shape[1]:
        out[x, y, z] = 1

def main(rows, columns):
    out = np.zeros((rows, columns, {colours}), np.uint8)
    k[(rows // 32, columns // 32, {blocks}), {block}](out)
"""


@pytest.mark.parametrize(
    ("colours", "blocks", "block", "exchange"),
    [
        # Three colours, a block for each: no warp has more than three lanes there.
        ("3", "3", "(32, 32)", "threadIdx.x and threadIdx.y"),
        ("31", "31", "(32, 32, 1)", "threadIdx.x and threadIdx.y"),
        ("32", "32", "(32, 32)", "threadIdx.x and threadIdx.z"),
        ("3", "1", "(32, 8, 3)", "threadIdx.x and threadIdx.z"),
        ("depth", "depth", "(32, 32)", "threadIdx.x and threadIdx.z"),
    ],
)
def test_which_indices_change_places(
    tmp_path: Path, colours: str, blocks: str, block: str, exchange: str
) -> None:
    text = PICTURE.format(colours=colours, blocks=blocks, block=block)
    assert (
        value(access(tmp_path, text.replace("columns):", "columns, depth):"), "out"), "exchange") == exchange
    )


def test_without_another_axis_nothing_changes_places(tmp_path: Path) -> None:
    text = """
@cuda.jit
def k(out):
    x, y = cuda.grid(2)
    if x < out.shape[0]:
        out[x, y] = 1

def main(rows):
    out = np.zeros((rows, 3), np.uint8)
    k[(rows // 32, 3), (32, 1)](out)
"""
    assert value(access(tmp_path, text, "out"), "exchange") is None
