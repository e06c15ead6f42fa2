"""Elements of shared memory that every thread of a block adds to one element."""

from __future__ import annotations

import pytest
from surveying import records, value

HEAD = """
@cuda.jit
def k(a, out, n):
    s = cuda.shared.array(64, np.float32)
    c = cuda.local.array(4, np.float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    s[t] = a[i]
    c[0] = a[i]
    cuda.syncthreads()
"""
WRONG = (
    "cuda.atomic.add(out, 0, s[0])\n",
    "cuda.atomic.add(out, cuda.blockIdx.x, s[0])\n",
    "if i < n:\n        cuda.atomic.add(out, 0, s[0])\n",
    "total = s[0]\n    cuda.atomic.add(out, 0, total)\n",
    "for b in range(64):\n        cuda.atomic.add(out, b, s[b])\n",
    "cuda.atomic.sub(out, 0, s[0])\n",
)
RIGHT = (
    "if t == 0:\n        cuda.atomic.add(out, 0, s[0])\n",
    "cuda.atomic.add(out, 0, s[t])\n",
    "cuda.atomic.add(out, t, s[0])\n",
    "cuda.atomic.add(out, 0, 1)\n",
    "cuda.atomic.add(out, 0, c[0])\n",
    "cuda.atomic.max(out, 0, s[0])\n",
    "if s[t] > 2:\n        cuda.atomic.add(out, 0, s[0])\n",
    "if i % 32 == 0:\n        cuda.atomic.add(out, 0, s[0])\n",
    "cuda.atomic.add(s, 0, s[1])\n",
    "for b in range(t, 64, 32):\n        cuda.atomic.add(out, b, s[b])\n",
)


def added(tmp_path, body: str):
    (found,) = records(tmp_path, "atomic", f"{HEAD}    {body}")
    return value(found, "adds_same_value")


@pytest.mark.parametrize("body", WRONG)
def test_each_thread_adds_it(tmp_path, body):
    assert added(tmp_path, body) is True


@pytest.mark.parametrize("body", RIGHT)
def test_threads_add_their_own_or_one_of_them_does(tmp_path, body):
    assert added(tmp_path, body) is False
