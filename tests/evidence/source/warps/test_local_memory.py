"""Sectors of local arrays, each computed by hand.

Local memory has the words of four bytes of neighbouring lanes side by side (CUDA C++ Programming Guide, Local
Memory): 32 lanes at one index meet 128 bytes for each word of the element, four sectors.
"""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from surveying import records, value

KERNEL = """
@cuda.jit
def k(a, out, n):
    i = cuda.grid(1)
    tx = cuda.threadIdx.x
    t = cuda.local.array({shape}, {dtype})
    for j in range(n):
        t[{index}] = a[i]

def main(a, out, n):
    k[8, {block}](a, out, n)
"""


def stored(folder: Path, index: str, dtype: str, shape: str = "64", block: int = 256):
    text = KERNEL.format(index=index, dtype=dtype, shape=shape, block=block)
    (found,) = [one for one in records(folder, "access", text) if one.label == "t"]
    assert value(found, "space") == "local"
    return found


@pytest.mark.parametrize(
    ("dtype", "sectors"),
    [("np.float32", 4), ("np.int32", 4), ("np.float64", 8), ("np.complex64", 8), ("np.complex128", 16),
     # A word holds four bytes of one lane, and nothing of its neighbours.
     ("np.int8", 4), ("np.float16", 4)],
)  # fmt: skip
@pytest.mark.parametrize("index", ["j", "0", "3 * j + 1", "n"])
def test_one_index_in_all_lanes(tmp_path, index, dtype, sectors):
    found = stored(tmp_path, index, dtype)
    assert value(found, "sectors_per_request") == sectors
    assert value(found, "ideal_sectors_per_request") == sectors


@pytest.mark.parametrize(
    ("index", "dtype", "sectors"),
    [
        # Eight neighbouring lanes at eight words: a sector for each lane.
        ("tx", "np.float32", 32),
        ("tx", "np.float64", 64),
        # Four neighbouring lanes are within the bytes of one word.
        ("tx", "np.int8", 8),
        ("2 * tx", "np.int8", 16),
        ("4 * tx", "np.int8", 32),
    ],
)
def test_an_index_for_each_lane(tmp_path, index, dtype, sectors):
    assert value(stored(tmp_path, index, dtype), "sectors_per_request") == sectors


def test_rows_of_a_local_array(tmp_path):
    assert value(stored(tmp_path, "j, 1", "np.float32", "(4, 2)"), "sectors_per_request") == 4
    assert value(stored(tmp_path, "tx % 4, 1", "np.float32", "(4, 2)"), "sectors_per_request") is None


def test_a_block_of_eight_threads(tmp_path):
    assert value(stored(tmp_path, "j", "np.float32", block=8), "sectors_per_request") == 1
    # A warp of 32 and one of 16 lanes.
    assert value(stored(tmp_path, "j", "np.float32", block=48), "sectors_per_request") == 3


def test_an_index_that_data_gives_is_not_known(tmp_path):
    found = stored(tmp_path, "int(a[i])", "np.float32")
    assert value(found, "sectors_per_request") is None
    assert value(found, "index_kind") == "indirect"


def test_no_row_for_each_lane_and_no_exchange(tmp_path):
    found = stored(tmp_path, "tx, int(a[i])", "np.float32", "(64, 64)")
    assert value(found, "sectors_per_request") is None
    assert value(found, "lane_stride") is None


@pytest.mark.parametrize(
    ("body", "loops"),
    [
        ("own[0] = a[i]", 0),
        # Each iteration has an element of its own.
        ("for j in range(n):\n    own[j] = a[j]", 0),
        ("for j in range(n):\n    own[2 * j + 1] = a[j]", 0),
        ("for j in range(n):\n    for m in range(j):\n        own[m] += own[j]", 1),
        # Data, or a counter of the kernel's own, brings it back.
        ("for j in range(n):\n    own[int(a[j])] += 1", 1),
        ("m = 0\nfor j in range(n):\n    own[m] = a[j]\n    m = (m + 1) & 7", 1),
        ("for j in range(n):\n    for m in range(9):\n        own[0] += a[m]", 2),
    ],
)
def test_loops_that_come_back_to_elements_of_an_array(tmp_path, body, loops):
    lines = "own = cuda.local.array(9, np.float32)\nunused = cuda.local.array(9, np.float32)\n" + body
    text = "@cuda.jit\ndef k(a, n, out):\n    i = cuda.grid(1)\n" + textwrap.indent(lines, "    ")
    found = {one.label: value(one, "loops_back") for one in records(tmp_path, "array", text)}
    assert (found["own"], found["unused"]) == (loops, 0)


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("own = {made}", ["own"]),
        ("own: object = {made}", ["own"]),
        ("own, other = {made}, {made}", ["own", "other"]),
        ("[n, own] = 0, {made}", ["own"]),
        ("own, (n, other) = {made}, (0, {made})", ["own", "array"]),
    ],
)
def test_names_of_arrays(tmp_path, line, names):
    text = "@cuda.jit\ndef k(a):\n    " + line.format(made="cuda.local.array(9, np.float32)") + "\n"
    assert [one.label for one in records(tmp_path, "array", text)] == names
