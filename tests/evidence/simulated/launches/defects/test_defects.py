"""Defects that a run shows, with block and thread, and neighbours that have none."""

from __future__ import annotations

import textwrap

import pytest

HEAD = """\
import numpy as np
from numba import cuda, float32, int32, uint8, uint32

"""
# Each ends with the launch; the comments name what `check` must say of a line.
WRONG = {
    "the last block runs past the end": (
        """
        @cuda.jit
        def past_the_end(x, y):
            i = cuda.grid(1)
            y[i] = 2 * x[i]  # hit: access-out-of-bounds

        def workload():
            past_the_end[2, 64](np.ones(100, np.float32), np.ones(100, np.float32))
        """,
        "Thread (36, 0, 0) of block (1, 0, 0)",
    ),
    "one row too many": (
        """
        @cuda.jit
        def rows(a):
            j, i = cuda.grid(2)
            a[i + 1, j] = 1.0  # hit: access-out-of-bounds

        def workload():
            rows[(2, 2), (8, 4)](np.ones((8, 16), np.float32))
        """,
        "Thread (0, 3, 0) of block (0, 1, 0)",
    ),
    "read before the others have written": (
        """
        @cuda.jit
        def reverse(x, y):
            tile = cuda.shared.array(64, float32)
            t = cuda.threadIdx.x
            tile[t] = x[t]  # hit: shared-memory-race
            y[t] = tile[63 - t]  # hit: shared-memory-race

        def workload():
            reverse[1, 64](np.ones(64, np.float32), np.ones(64, np.float32))
        """,
        "",
    ),
    "half of the tile is never written": (
        """
        @cuda.jit
        def half(y):
            tile = cuda.shared.array(128, float32)
            t = cuda.threadIdx.x
            if t < 64:
                tile[t] = 1.0
            cuda.syncthreads()
            y[t] = tile[t]  # hit: uninitialised-shared-memory

        def workload():
            half[1, 128](np.ones(128, np.float32))
        """,
        "Thread (64, 0, 0) of block (0, 0, 0)",
    ),
    "each warp writes another value": (
        """
        @cuda.jit
        def last(out):
            who = cuda.shared.array(1, int32)
            t = cuda.threadIdx.x
            who[0] = t // 32  # hit: shared-memory-race
            cuda.syncthreads()
            out[t] = who[0]

        def workload():
            last[1, 64](np.ones(64, np.int32))
        """,
        "accesses shared memory (store)",
    ),
    "an index past the end of 32 bits": (
        # 195 * 11,000,000 is the last product below 2 ** 31; 196 is thread 68 of block 1.
        """
        @cuda.jit
        def rows(a, length, out):
            i = int32(cuda.grid(1))
            start = int32(i * length)
            out[i] = a[start]  # hit: index-overflow

        def workload():
            a = cuda.device_array(3_000_000_000, np.uint8)
            rows[2, 128](a, 11_000_000, cuda.device_array(256, np.uint8))
        """,
        "In thread (68, 0, 0) of block (1, 0, 0)",
    ),
    "converted at the last moment": (
        """
        @cuda.jit
        def rows(a, length, out):
            i = cuda.grid(1)
            if i < out.size:
                out[i] = a[int32(i * length + 3)]  # hit: index-overflow

        def workload():
            a = cuda.device_array(3_000_000_000, np.uint8)
            rows[2, 128](a, 11_000_000, cuda.device_array(256, np.uint8))
        """,
        "In thread (68, 0, 0) of block (1, 0, 0)",
    ),
    "a vote under a mask without the own lane": (
        """
        @cuda.jit
        def votes(x):
            t = cuda.threadIdx.x
            x[t] = cuda.ballot_sync(0xFFFFFFFE, x[t] > 3)  # hit: lane-outside-mask

        def workload():
            votes[1, 32](np.ones(32, np.int32))
        """,
        "Thread (0, 0, 0) of block (0, 0, 0)",
    ),
    "lane 0 for those who are not with it": (
        """
        @cuda.jit
        def first(x):
            t = cuda.threadIdx.x
            if t >= 16:
                x[t] = cuda.shfl_sync(0xFFFF0000, x[t], 0)  # hit: absent-lane

        def workload():
            first[1, 32](np.ones(32, np.int32))
        """,
        "Thread (16, 0, 0) of block (0, 0, 0)",
    ),
    "a sum over a warp that is not full": (
        """
        @cuda.jit
        def total(x, out):
            value = x[cuda.threadIdx.x]
            step = 16
            while step > 0:
                value += cuda.shfl_down_sync(0xFFFFFFFF, value, step)  # hit: absent-lane
                step //= 2
            if cuda.threadIdx.x == 0:
                out[0] = value

        def workload():
            total[1, 20](np.ones(20, np.int32), np.zeros(1, np.int32))
        """,
        "Thread (0, 0, 0) of block (0, 0, 0)",
    ),
    "some leave before the barrier": (
        """
        @cuda.jit
        def early(x, y):
            tile = cuda.shared.array(128, float32)
            t = cuda.threadIdx.x
            if t >= x.size:
                return
            tile[t] = x[t]
            cuda.syncthreads()  # hit: barrier-not-reached
            y[t] = tile[x.size - 1 - t]

        def workload():
            early[1, 128](np.ones(100, np.float32), np.ones(128, np.float32))
        """,
        "",
    ),
}
RIGHT = {
    "guarded": """
        @cuda.jit
        def guarded(x, y):
            i = cuda.grid(1)
            if i < x.size:
                y[i] = 2 * x[i]

        def workload():
            guarded[2, 64](np.ones(100, np.float32), np.ones(100, np.float32))
        """,
    "neighbouring bytes of one word": """
        @cuda.jit
        def bytes_beside(y):
            tile = cuda.shared.array(64, uint8)
            t = cuda.threadIdx.x
            tile[t] = t
            cuda.syncthreads()
            y[t] = tile[63 - t]

        def workload():
            bytes_beside[1, 64](np.ones(64, np.uint8))
        """,
    "two buffers in turn": """
        @cuda.jit
        def turns(x, steps):
            tile = cuda.shared.array((2, 64), float32)
            t = cuda.threadIdx.x
            tile[0, t] = x[t]
            cuda.syncthreads()
            for step in range(steps):
                now = step % 2
                left = tile[now, max(t - 1, 0)]
                tile[1 - now, t] = left + tile[now, t]
                cuda.syncthreads()
            x[t] = tile[steps % 2, t]

        def workload():
            turns[1, 64](np.ones(64, np.float32), 5)
        """,
    "one warp with its own barrier": """
        @cuda.jit
        def one_warp(x):
            tile = cuda.shared.array(32, float32)
            t = cuda.threadIdx.x
            tile[t] = x[t]
            cuda.syncwarp()
            x[t] = tile[31 - t]

        def workload():
            one_warp[1, 32](np.ones(32, np.float32))
        """,
    "an index of 64 bits": """
        @cuda.jit
        def rows(a, length, out):
            i = cuda.grid(1)
            out[i] = a[i * length]

        def workload():
            a = cuda.device_array(3_000_000_000, np.uint8)
            rows[2, 128](a, 11_000_000, cuda.device_array(256, np.uint8))
        """,
    "a sum that fits though its parts do not": """
        @cuda.jit
        def rows(a, more, less, out):
            i = cuda.grid(1)
            out[i] = a[int32(i * more - i * less)]

        def workload():
            a = cuda.device_array(3_000_000, np.uint8)
            rows[2, 128](a, 11_010_000, 11_000_000, cuda.device_array(256, np.uint8))
        """,
    "a hash that wraps on purpose": """
        @cuda.jit
        def slots(keys, table):
            i = cuda.grid(1)
            h = uint32(keys[i] * uint32(2654435761))
            cuda.atomic.add(table, h % uint32(64), 1)

        def workload():
            slots[1, 64](np.arange(64, dtype=np.uint32), np.zeros(64, np.int32))
        """,
    "atomics on one word": """
        @cuda.jit
        def count(x, out):
            total = cuda.shared.array(1, int32)
            t = cuda.threadIdx.x
            if t == 0:
                total[0] = 0
            cuda.syncthreads()
            cuda.atomic.add(total, 0, x[t])
            cuda.syncthreads()
            if t == 0:
                out[0] = total[0]

        def workload():
            count[1, 64](np.ones(64, np.int32), np.ones(1, np.int32))
        """,
    "a sum over whole warps, with zeros behind the data": """
        @cuda.jit
        def total(x, out):
            t = cuda.threadIdx.x
            value = x[t] if t < x.size else int32(0)
            step = 16
            while step > 0:
                value += cuda.shfl_down_sync(0xFFFFFFFF, value, step)
                step //= 2
            if t == 0:
                out[0] = value

        def workload():
            total[1, 32](np.ones(20, np.int32), np.zeros(1, np.int32))
        """,
    "the neighbour where there is one": """
        @cuda.jit
        def differences(x):
            t = cuda.threadIdx.x
            following = cuda.shfl_down_sync(0xFFFFFFFF, x[t], 1)
            if t + 1 < x.size:
                x[t] = following - x[t]

        def workload():
            differences[1, 20](np.ones(20, np.int32))
        """,
    "half a warp with its mask": """
        @cuda.jit
        def halves(x):
            t = cuda.threadIdx.x
            if t < 16:
                x[t] = cuda.shfl_sync(0x0000FFFF, x[t], 3)
            else:
                x[t] = cuda.shfl_sync(0xFFFF0000, x[t], 19)

        def workload():
            halves[1, 32](np.ones(32, np.int32))
        """,
    "one value by both warps": """
        @cuda.jit
        def last(out):
            who = cuda.shared.array(1, int32)
            t = cuda.threadIdx.x
            who[0] = 7
            cuda.syncthreads()
            out[t] = who[0]

        def workload():
            last[1, 64](np.ones(64, np.int32))
        """,
    "the same value by all threads": """
        @cuda.jit
        def flag(x, out):
            any_negative = cuda.shared.array(1, int32)
            t = cuda.threadIdx.x
            any_negative[0] = 0
            cuda.syncthreads()
            if x[t] < 0:
                any_negative[0] = 1
            cuda.syncthreads()
            out[t] = any_negative[0]

        def workload():
            flag[1, 64](np.full(64, -1, np.int32), np.ones(64, np.int32))
        """,
}
DEFECTS = ",".join(
    [
        "access-out-of-bounds",
        "shared-memory-race",
        "uninitialised-shared-memory",
        "barrier-not-reached",
        "index-overflow",
        "lane-outside-mask",
        "absent-lane",
    ]
)


def program(text):
    return HEAD + textwrap.dedent(text)


@pytest.mark.parametrize("name", WRONG)
def test_a_defect_stands_at_its_line(checked, marked, name):
    text, where = WRONG[name]
    found = checked(program(text), DEFECTS)
    assert found.places == marked(), found.errors
    for finding in found.findings:
        assert where in finding["message"], finding
        assert finding["severity"] in ("error", "warning")


@pytest.mark.parametrize("name", RIGHT)
def test_no_defect_in_its_neighbour(checked, name):
    found = checked(program(RIGHT[name]), DEFECTS)
    assert found.status == 0, found.out
    assert (found.findings, found.errors) == ([], [])
