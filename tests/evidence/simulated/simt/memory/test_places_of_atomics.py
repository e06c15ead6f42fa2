"""Between which addresses a kernel's atomic operations lie."""

from __future__ import annotations

import numpy as np
import pytest
from numba import cuda, float32, int64
from numba_launch import compiled

from advisor.evidence.simulated.simt.vector.layout import NO_RANGE, Site


@pytest.mark.parametrize(
    ("first", "step", "apart"), [(0, 0, 0), (5, 0, 0), (0, 1, 4 * 95), (3, 2, 8 * 95), (200, -1, 4 * 95)]
)
def test_the_least_and_the_most_address(first, step, apart):
    def add(out, first, step):
        cuda.atomic.add(out, first + cuda.grid(1) * step, np.float32(1.0))

    out = np.zeros(256, np.float32)
    found = compiled(add, float32[::1], int64, int64).launch(3, 32, out, np.int64(first), np.int64(step))
    assert out.sum() == 96
    (row,) = [one for one in found.sites if one[Site.DISTINCT]]
    assert row[Site.PLACE_HIGH] - row[Site.PLACE_LOW] == apart


def test_loads_and_lanes_that_do_not_take_part_count_for_nothing():
    def add(out, x):
        i = cuda.grid(1)
        if x[i] > 0:
            cuda.atomic.add(out, i, x[i])

    x = np.zeros(64, np.float32)
    x[10:13] = 1
    found = compiled(add, float32[::1], float32[::1]).launch(2, 32, np.zeros(64, np.float32), x)
    atomics = [one for one in found.sites if one[Site.DISTINCT]]
    assert [int(one[Site.PLACE_HIGH] - one[Site.PLACE_LOW]) for one in atomics] == [8]
    others = [one for one in found.sites if not one[Site.DISTINCT] and one[Site.SECTORS]]
    assert others and all((one[Site.PLACE_LOW], one[Site.PLACE_HIGH]) == NO_RANGE for one in others)
