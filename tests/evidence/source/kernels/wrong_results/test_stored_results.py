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
)


EMPTY = (
    "pass\n",
    "v = i + 1\n",
    "n += 1\n",
    "s[cuda.threadIdx.x] = i\n    cuda.syncthreads()\n    v = s[0]\n",
    "if i < n:\n        return\n",
    "for j in range(n):\n        v = math.sqrt(twice(j))\n",
)
# Threads wait, so that how long the kernel takes is seen.
WAITING = ("cuda.nanosleep(n)\n",)


def told(tmp_path, body: str, metric: str):
    found = records(tmp_path, "kernel", f"{HEAD}    {body}")
    return value(next(one for one in found if one.label == "k"), metric)


@pytest.mark.parametrize("body", NOTHING)
def test_nothing_is_left(tmp_path, body):
    assert told(tmp_path, body, "stores_nothing") is True
    assert told(tmp_path, body, "without_effect") is False
    assert told(tmp_path, body, "leaves_nothing") is True


@pytest.mark.parametrize("body", SOMETHING)
def test_something_may_be(tmp_path, body):
    assert told(tmp_path, body, "stores_nothing") is False
    assert told(tmp_path, body, "leaves_nothing") is False


@pytest.mark.parametrize("body", EMPTY)
def test_nothing_is_loaded_either(tmp_path, body):
    assert told(tmp_path, body, "stores_nothing") is False
    assert told(tmp_path, body, "leaves_nothing") is True
    assert told(tmp_path, body, "without_effect") is True


def test_a_stub_does_nothing_and_has_nothing_to_report(tmp_path):
    for body in ("pass", '"""Later."""', "return"):
        (found,) = records(tmp_path, "kernel", f"@cuda.jit\ndef k(a):\n    {body}\n")
        metrics = ("does_nothing", "leaves_nothing", "without_effect", "stores_nothing")
        assert [value(found, one) for one in metrics] == [True, True, False, False]


@pytest.mark.parametrize("body", WAITING)
def test_time_is_left(tmp_path, body):
    assert told(tmp_path, body, "leaves_nothing") is False
