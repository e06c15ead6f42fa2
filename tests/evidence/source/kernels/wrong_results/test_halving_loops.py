"""Reductions that halve what is no power of two."""

from __future__ import annotations

import pytest
from surveying import records, value

KERNEL = """
TPB = 100

@cuda.jit
def k(a, out):
    s = cuda.shared.array(1024, np.float32)
    t = cuda.threadIdx.x
    s[t] = a[cuda.grid(1)]
    cuda.syncthreads()
    {start}
    while {test}:
        if {guard}:
            s[t] += s[t + h]
        cuda.syncthreads()
        {halve}
    if t == 0:
        out[cuda.blockIdx.x] = s[0]

def run(a, out):
    k[64, {block}](a, out)
"""


def halved(
    tmp_path, block="100", start="h = cuda.blockDim.x // 2", test="h > 0", guard="t < h", halve="h //= 2"
):
    text = KERNEL.format(block=block, start=start, test=test, guard=guard, halve=halve)
    (found,) = records(tmp_path, "loop", text)
    return value(found, "halves"), value(found, "odd_extent")


@pytest.mark.parametrize(
    "form",
    [
        {},
        {"start": "h = cuda.blockDim.x >> 1", "halve": "h >>= 1", "test": "h >= 1"},
        {"halve": "h = h // 2", "test": "h != 0"},
        {"start": "h = int(cuda.blockDim.x / 2)", "halve": "h = int(h / 2)"},
        {"block": "(100, 1)"},
    ],
)
def test_the_block_is_no_power_of_two(tmp_path, form):
    assert halved(tmp_path, **form) == ("blockDim.x", 100)


def test_a_number_is_no_power_of_two(tmp_path):
    assert halved(tmp_path, block="n", start="h = TPB // 2") == ("TPB", 100)
    assert halved(tmp_path, block="n", start="h = 96 // 2") == ("96", 96)


@pytest.mark.parametrize(
    "form",
    [
        {"block": "128"},
        {"block": "n"},
        {"guard": "t < h and t + h < 100"},
        {"halve": "h = (h + 1) // 2", "test": "h > 1"},
        {"halve": "h //= 4"},
        {"start": "h = 64 // 2"},
        {"start": "h = cuda.blockDim.y // 2"},
        {"start": "h = n // 2"},
        {"test": "t > 0"},
    ],
)
def test_nothing_is_left_out_for_certain(tmp_path, form):
    assert halved(tmp_path, **form) == ("", None)
