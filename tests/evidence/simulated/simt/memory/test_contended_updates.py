"""How often the most updated place of global memory is updated, and the sectors of its slice of L2."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
import pytest
from numba import cuda, float32, int32, int64
from numba_launch import compiled

from advisor.evidence.simulated.simt.counts import AccessCounts, Statistics
from advisor.evidence.simulated.simt.machine import Settings


def add_to_one(out, x):
    cuda.atomic.add(out, 0, x[cuda.grid(1)])


def add_one_to_one(out, x):
    cuda.atomic.add(out, 0, 1)


def largest(out, x):
    cuda.atomic.max(out, 0, x[cuda.grid(1)])


def exchange(out, x):
    cuda.atomic.exch(out, 0, x[cuda.grid(1)])


def add_where_data_say(out, x):
    cuda.atomic.add(out, x[cuda.grid(1)], 1)


def add_side_by_side(out, x):
    cuda.atomic.add(out, cuda.grid(1), x[0])


# Three warps; a request of one place reaches one sector.
ONE_PLACE = [
    # each lane of floats is an update of its own
    (add_to_one, float32, 96),
    # the machine code adds up the 32-bit integers of a warp, and those of 64 bits that are all the same
    (add_to_one, int32, 3),
    (add_one_to_one, int32, 3),
    (add_one_to_one, int64, 3),
    (add_to_one, int64, 96),
    (largest, int32, 3),
    (largest, int64, 96),
    (exchange, int32, 96),
    # but not where it cannot know that the lanes share their place
    (add_where_data_say, int32, 96),
]


@pytest.mark.parametrize(("kernel", "kind", "updates"), ONE_PLACE)
def test_updates_of_one_place(kernel, kind, updates):
    out, x = np.zeros(4, kind.name), np.zeros(96, kind.name)
    found = compiled(kernel, kind[::1], kind[::1]).launch(3, 32, out, x)
    assert found.hottest == (updates, 3)


def test_neighbouring_places_share_slices():
    # 256 float32 are two slices of 512 bytes; four warps reach four sectors of each.
    found = compiled(add_side_by_side, float32[::1], float32[::1]).launch(
        8, 32, np.zeros(256, np.float32), np.ones(1, np.float32)
    )
    assert found.hottest == (1, 16)


@pytest.mark.parametrize("threads", [1, 2])
def test_the_most_of_a_skewed_histogram(threads):
    # Of 1,024 numbers every fourth is 7, the others are 0 to 255 in turn.
    x = np.arange(1024, dtype=np.int32) % 256
    x[::4] = 7
    out = np.zeros(256, np.int32)
    settings = Settings(threads=threads)
    found = compiled(add_where_data_say, int32[::1], int32[::1]).launch(32, 32, out, x, settings=settings)
    assert found.hottest is not None
    assert found.hottest.updates == out.max() == 256 + 4


def test_arrays_are_counted_apart():
    def add_to_both(a, b, x):
        i = cuda.grid(1)
        cuda.atomic.add(a, 0, x[i])
        cuda.atomic.add(b, 0, x[i])
        cuda.atomic.add(b, 0, x[i])

    a, b, x = (np.zeros(size, np.float32) for size in (2, 2, 64))
    found = compiled(add_to_both, *[float32[::1]] * 3).launch(2, 32, a, b, x)
    assert found.hottest == (128, 4)


def test_lanes_that_do_not_take_part_count_for_nothing():
    def add_some(out, x):
        i = cuda.grid(1)
        if x[i] > 0:
            cuda.atomic.add(out, 1, x[i])

    x = np.zeros(64, np.float32)
    x[10:13] = 1
    found = compiled(add_some, float32[::1], float32[::1]).launch(2, 32, np.zeros(4, np.float32), x)
    assert found.hottest == (3, 1)


def test_shared_memory_and_plain_stores_are_none():
    def in_shared(out, x):
        held = cuda.shared.array(4, float32)
        cuda.atomic.add(held, 0, x[cuda.grid(1)])
        cuda.syncthreads()
        out[0] = held[0]

    x = np.zeros(32, np.float32)
    assert (
        compiled(in_shared, float32[::1], float32[::1]).launch(1, 32, np.zeros(4, np.float32), x).hottest
        is None
    )


def test_counts_of_earlier_versions_are_read():
    grid, block = (4, 1, 1), (64, 1, 1)
    new = Statistics(grid, block, 4, 4, 4, True, accesses=[AccessCounts("k.py", 3, "a", "global", "atomic")])
    old = asdict(new)
    del old["hottest_updates"], old["hottest_slice_sectors"]
    old["accesses"][0]["reach"] = 128
    assert Statistics.from_data(old) == new
