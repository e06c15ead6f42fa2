"""Loops in which each thread walks a range of an array of its own, which data gives."""

from __future__ import annotations

import pytest
from surveying import records, value

RANGES = {
    "from one offset to the next": ("for j in range(first[i], first[i + 1]):\n    s += x[j]", True),
    "counted from the offset": ("for j in range(size[i]):\n    s += x[first[i] + j]", True),
    "backwards": ("end = np.int32(first[i])\nfor j in range(size[i]):\n    s += x[end - 1 - j]", True),
    "in a while loop": ("j = first[i]\nwhile j < first[i + 1]:\n    s += x[j]\n    j += 1", True),
    "in a row of all": ("for j in range(first[i], first[i + 1]):\n    s += x[n, j]", True),
    "every second one, in a while loop": (
        "j = first[i]\nwhile j < first[i + 1]:\n    s += x[j]\n    j += 2",
        False,
    ),
    "every second one": ("for j in range(size[i]):\n    s += x[first[i] + 2 * j]", False),
    "as many for each thread": ("for j in range(n):\n    s += x[first[i] + j]", False),
    "of one range for all": ("for j in range(first[n], first[n + 1]):\n    s += x[j]", False),
    "along columns": ("for j in range(first[i], first[i + 1]):\n    s += x[j, i]", False),
    "a window of a loaded width": (
        "w = size[0]\nfor j in range(max(i - w, 0), i + w):\n    s += x[j]",
        False,
    ),
    "moved by what all threads load": (
        "w = size[0]\nfor j in range(i + w, i + w + size[i]):\n    s += x[j]",
        False,
    ),
    "by an index": ("for j in range(first[i], first[i + 1]):\n    s += x[y[j]]", False),
    "a block for each range": (
        "b, t = cuda.blockIdx.x, cuda.threadIdx.x\n"
        "for j in range(first[b] + t, first[b + 1], 256):\n    s += x[j]",
        False,
    ),
}


@pytest.mark.parametrize("name", RANGES)
def test_ranges_that_data_gives(tmp_path, name):
    body, expected = RANGES[name]
    text = "@cuda.jit\ndef k(x, y, first, size, n, out):\n    i = cuda.grid(1)\n    s = np.float32(0)\n"
    text += "".join(f"    {line}\n" for line in body.splitlines()) + "    out[i] = s\n"
    found = [one for one in records(tmp_path, "access", text) if one.label == "x"]
    assert {value(one, "own_range") for one in found} == {expected}
