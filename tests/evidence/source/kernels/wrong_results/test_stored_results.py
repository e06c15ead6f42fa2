"""Kernels that load elements and leave nothing behind."""

from __future__ import annotations

import pytest
from surveying import records, value

HEAD = """
@cuda.jit(device=True)
def put(a, i, v):
    a[i] = v

@cuda.jit(device=True)
def twice(v):
    return v * 2

@cuda.jit
def k(a, out, n):
    s = cuda.shared.array(64, np.float32)
    i = cuda.grid(1)
"""
NOTHING = (
    "n += a[i]\n",
    "out = a[i] * 2\n",
    "s[cuda.threadIdx.x] = a[i]\n    cuda.syncthreads()\n",
    "if i < n:\n        v = math.sqrt(twice(a[i]))\n",
)
SOMETHING = (
    "out[i] = a[i]\n",
    "a[i] += 1\n",
    "cuda.atomic.add(out, 0, a[i])\n",
    "put(out, i, a[i])\n",
    "print(a[i])\n",
    "unknown(out, a[i])\n",
    "out[i].x = a[i]\n",
    "assert a[i] > 0\n",
    "if a[i] < 0:\n        raise ValueError\n",
    # It loads nothing either, as one that measures what a launch costs.
    "v = i + 1\n",
)


def stores(tmp_path, body: str):
    found = records(tmp_path, "kernel", f"{HEAD}    {body}")
    return value(next(one for one in found if one.label == "k"), "stores_nothing")


@pytest.mark.parametrize("body", NOTHING)
def test_nothing_is_left(tmp_path, body):
    assert stores(tmp_path, body) is True


@pytest.mark.parametrize("body", SOMETHING)
def test_something_may_be(tmp_path, body):
    assert stores(tmp_path, body) is False
