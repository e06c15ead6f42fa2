"""Blocks that are stated to `forall`, or chosen by conditions, and lanes of their warps without a thread."""

from __future__ import annotations

import pytest
from surveying import records, value

KERNEL = """
@cuda.jit
def scale(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] *= 2

"""


def launched(folder, text: str):
    (launch,) = records(folder, "launch", KERNEL + text)
    return launch


@pytest.mark.parametrize(
    ("call", "threads"),
    [
        ("scale.forall(n, 1)", 1.0),
        ("scale.forall(n, tpb=96)", 96.0),
        ("scale.forall(n)", None),
        ("scale.forall(n, 0)", None),
        ("made['scale'].forall(n, 1)", 1.0),
    ],
)
def test_the_second_argument_of_forall_is_the_block(tmp_path, call, threads):
    text = f"def main(n, a, made):\n    {call}(a)\n"
    launch = launched(tmp_path, text)
    assert value(launch, "block_threads") == threads
    assert value(launch, "blocks") is None


def test_forall_of_something_unknown_without_a_block_is_no_launch(tmp_path):
    assert records(tmp_path, "launch", KERNEL + "def main(n, a, made):\n    made.forall(n)(a)\n") == []


@pytest.mark.parametrize(
    ("threads", "share"),
    [(1, 31 / 32), (16, 1 / 2), (32, 0.0), (48, 16 / 64), (100, 28 / 128), (484, 28 / 512)],
)
def test_lanes_without_a_thread(tmp_path, threads, share):
    launch = launched(tmp_path, f"def main(n, a):\n    scale[n, {threads}](a)\n")
    assert value(launch, "idle_lane_share") == pytest.approx(share)


@pytest.mark.parametrize(
    ("block", "smallest"),
    [
        ("(1 if n < 256 else 32, 1 if m < 256 else 32)", 1.0),
        # The same condition chooses both: 8 x 32 or 32 x 8.
        ("(8 if n < m else 32, 32 if n < m else 8)", 256.0),
        ("(m, 1 if n < 256 else 32)", None),
    ],
)
def test_blocks_whose_sides_are_chosen_each(tmp_path, block, smallest):
    text = f"def main(n, m, a):\n    block = {block}\n    scale[n, block](a)\n"
    launch = launched(tmp_path, text)
    assert value(launch, "block_threads") is None
    assert value(launch, "smallest_block_threads") == smallest
