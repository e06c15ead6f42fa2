"""How many atomic updates the most updated element gets at least."""

from __future__ import annotations

import pytest

from advisor.evidence.simulated.launches.kernel_readings import hottest_element_updates
from advisor.evidence.simulated.simt.counts import AccessCounts, Statistics


def counted(*accesses: AccessCounts) -> Statistics:
    grid, block = (4, 1, 1), (64, 1, 1)
    return Statistics(grid, block, 4, 4, 4, True, accesses=list(accesses))


def atomic(
    array: str, requests: int, lanes: int, distinct: int, space: str = "global", reach: int = 0
) -> AccessCounts:
    place = ("k.py", 3, array, space, "atomic")
    return AccessCounts(*place, requests, lanes, lanes * 4, distinct=distinct, reach=reach)


FLOAT = {"name": "total", "dtype": "<f4", "shape": [1]}
INTEGER = {"name": "total", "dtype": "<i4", "shape": [1]}
BINS = {"name": "bins", "dtype": "<i4", "shape": [4, 16]}

CASES = [
    # 8 warps of 32 lanes: each lane is an update of its own, in float32
    ([atomic("total", 8, 256, 8)], [FLOAT], 256.0),
    # of integers the machine code makes one update for each warp
    ([atomic("total", 8, 256, 8)], [INTEGER], 8.0),
    # but not where lanes go to elements of their own: 256 updates of 64 elements are 4 of one, at least
    ([atomic("bins", 8, 256, 100)], [BINS], 4.0),
    # and more where they lie within 32 bytes, eight elements
    ([atomic("bins", 8, 256, 100, reach=32)], [BINS], 32.0),
    # one element of many
    ([atomic("bins", 8, 256, 8, reach=4)], [BINS], 8.0),
    # two lines of the same array are one element's updates
    ([atomic("total", 8, 256, 8), atomic("total", 2, 64, 2)], [FLOAT], 320.0),
    # the hotter of two arrays
    ([atomic("bins", 8, 256, 100), atomic("total", 1, 32, 1)], [BINS, FLOAT], 32.0),
    # shared memory and loads do not count, nor what is no argument
    ([atomic("total", 8, 256, 8, "shared")], [FLOAT], None),
    ([atomic("other", 8, 256, 8)], [FLOAT], None),
    ([AccessCounts("k.py", 3, "total", "global", "load", 8, 256)], [FLOAT], None),
    ([], [FLOAT], None),
    # scalars have no shape
    ([atomic("total", 8, 256, 8)], [{"name": "total", "dtype": None, "shape": None}], None),
]


@pytest.mark.parametrize(("accesses", "arguments", "updates"), CASES)
def test_updates_of_the_hottest_element(accesses, arguments, updates) -> None:
    assert hottest_element_updates(counted(*accesses), arguments) == updates
