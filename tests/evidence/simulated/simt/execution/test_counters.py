"""The counters of memory accesses, against numbers calculated by hand."""

from __future__ import annotations

import numpy as np
import pytest
from numba import cuda, float32, float64, int32, int64
from numba_launch import compiled

from advisor.evidence.simulated.simt.machine import Execution, Settings
from advisor.evidence.simulated.simt.vector.layout import Site

DETAILED = Settings(detailed_lanes=1 << 60)
BOTH = pytest.mark.parametrize("settings", [Settings(), DETAILED], ids=["fast", "detailed"])


def sectors(execution: Execution) -> list[int]:
    return [int(row[Site.SECTORS]) for row in execution.sites]


def copy_at(stride: int, offset: int = 0, lanes: int = 32):
    def kernel(source, target):
        i = cuda.grid(1)
        if cuda.laneid < lanes:
            target[i] = source[i * stride + offset]

    return kernel


# stride, offset, element bytes -> sectors and lines of the one load of a warp: the pieces of 32 and of 128
# bytes that 32 elements lie in.
LOADS = [
    (1, 0, 4, 4, 1),
    (2, 0, 4, 8, 2),
    (4, 0, 4, 16, 4),
    (8, 0, 4, 32, 8),
    (9, 0, 4, 32, 9),
    (1, 1, 4, 5, 2),
    (0, 3, 4, 1, 1),
    (1, 0, 8, 8, 2),
    (2, 0, 8, 16, 4),
    (0, 0, 8, 1, 1),
]


@BOTH
@pytest.mark.parametrize(("stride", "offset", "size", "expected", "lines"), LOADS)
def test_sectors_and_lines_of_a_strided_load(stride, offset, size, expected, lines, settings):
    kind, dtype = (float32, np.float32) if size == 4 else (float64, np.float64)
    kernel = compiled(copy_at(stride, offset), kind[::1], kind[::1])
    source = np.arange(32 * 9 + 8, dtype=dtype)
    target = np.zeros(32, dtype)
    execution = kernel.launch(1, 32, source, target, settings=settings)
    np.testing.assert_array_equal(target, source[np.arange(32) * stride + offset])
    assert sectors(execution) == [expected, size]
    # 32 elements side by side are a line for each four bytes of one.
    assert [int(row[Site.LINES]) for row in execution.sites] == [lines, size // 4]
    ideal = min(expected, size)
    assert [int(row[Site.IDEAL]) for row in execution.sites] == [ideal, size]
    assert execution.loaded_sectors == expected
    assert execution.stored_sectors == size


def of_lane(shared_by: int, period: int):
    """A kernel whose lane loads element 9 * (lane // shared_by % period)."""

    def kernel(source, target):
        i = cuda.threadIdx.x
        target[i] = source[i // shared_by % period * 9]

    return kernel


@BOTH
@pytest.mark.parametrize(("shared_by", "period"), [(1, 16), (1, 8), (2, 16), (4, 2), (32, 1)])
def test_lanes_that_share_an_element_need_it_once(shared_by, period, settings):
    # 9 floats apart, each element lies in a sector of its own; side by side, eight share one.
    elements = min(32 // shared_by, period)
    kernel = compiled(of_lane(shared_by, period), float32[::1], float32[::1])
    execution = kernel.launch(1, 32, np.ones(9 * 32, np.float32), np.zeros(32, np.float32), settings=settings)
    assert sectors(execution) == [elements, 4]
    assert [int(row[Site.IDEAL]) for row in execution.sites] == [-(-elements // 8), 4]


def some_lanes(chosen: str):
    """A kernel in which some lanes load, from the end of the source."""
    if chosen == "the first ten":

        def kernel(source, target):
            i = cuda.threadIdx.x
            if i < 10:
                target[i] = source[31 - i]

    else:

        def kernel(source, target):
            i = cuda.threadIdx.x
            if i % 3 == 2:
                target[i] = source[31 - i]

    return kernel


@BOTH
@pytest.mark.parametrize(
    ("chosen", "loaded", "stored"),
    # Elements 22 to 31 lie in the sectors of 16 and of 24; 0 to 9 in the first two.
    [("the first ten", 2, 2), ("each third", 4, 4)],
)
def test_sectors_of_some_lanes(chosen, loaded, stored, settings):
    kernel = compiled(some_lanes(chosen), float32[::1], float32[::1])
    execution = kernel.launch(1, 32, np.ones(32, np.float32), np.zeros(32, np.float32), settings=settings)
    assert sectors(execution) == [loaded, stored]


@BOTH
@pytest.mark.parametrize("seed", range(4))
def test_lines_of_scattered_elements(seed, settings):
    def kernel(source, places, target):
        i = cuda.threadIdx.x
        target[i] = source[places[i]]

    places = np.random.default_rng(seed).integers(0, 512, 32).astype(np.int32)
    kernel = compiled(kernel, float32[::1], int32[::1], float32[::1])
    execution = kernel.launch(
        1, 32, np.ones(512, np.float32), places, np.zeros(32, np.float32), settings=settings
    )
    # 32 floats are a line; loads of places, of their elements, the store.
    assert [int(row[Site.LINES]) for row in execution.sites] == [1, len(set(places // 32)), 1]


@BOTH
def test_half_a_warp_loads_half_the_sectors(settings):
    kernel = compiled(copy_at(1, 0, lanes=16), float32[::1], float32[::1])
    execution = kernel.launch(1, 32, np.ones(32, np.float32), np.zeros(32, np.float32), settings=settings)
    assert sectors(execution) == [2, 2]
    # 16 of 32 lanes run the block with the load and the store.
    lanes = execution.block_lanes / np.maximum(execution.block_runs, 1)
    assert 16.0 in lanes.tolist()


def by_column(width: int):
    def kernel(target):
        tile = cuda.shared.array((32, width), float32)
        lane = cuda.threadIdx.x
        tile[lane, 0] = lane
        cuda.syncwarp()
        target[lane] = tile[lane, 0]

    return kernel


@BOTH
@pytest.mark.parametrize(("width", "wavefronts"), [(32, 32), (33, 1), (34, 2), (36, 4), (40, 8), (48, 16)])
def test_wavefronts_of_a_column_of_a_tile(width, wavefronts, settings):
    kernel = compiled(by_column(width), float32[::1])
    target = np.zeros(32, np.float32)
    execution = kernel.launch(1, 32, target, settings=settings)
    np.testing.assert_array_equal(target, np.arange(32))
    shared = [int(row[Site.WAVEFRONTS]) for row in execution.sites if row[Site.WAVEFRONTS]]
    assert shared == [wavefronts, wavefronts]


@BOTH
def test_eight_byte_elements_side_by_side_need_two_wavefronts(settings):
    def kernel(target):
        tile = cuda.shared.array(32, float64)
        lane = cuda.threadIdx.x
        tile[lane] = lane
        cuda.syncwarp()
        target[lane] = tile[31 - lane]

    execution = compiled(kernel, float64[::1]).launch(1, 32, np.zeros(32), settings=settings)
    shared = [int(row[Site.WAVEFRONTS]) for row in execution.sites if row[Site.WAVEFRONTS]]
    # Forwards and backwards alike: two halves of a warp, 128 bytes each.
    assert shared == [2, 2]


@BOTH
def test_an_element_read_by_all_lanes_is_one_sector(settings):
    def kernel(source, target):
        i = cuda.grid(1)
        target[i] = source[5] * i

    execution = compiled(kernel, float32[::1], float32[::1]).launch(
        2, 64, np.ones(8, np.float32), np.zeros(128, np.float32), settings=settings
    )
    assert execution.sites.shape[0] == 2
    load, store = execution.sites
    assert (load[Site.SECTORS], store[Site.SECTORS]) == (4, 16)
    assert (execution.loaded_sectors, execution.stored_sectors) == (1, 16)


@BOTH
def test_atomics_by_distinct_address(settings):
    def kernel(counts):
        i = cuda.threadIdx.x
        cuda.atomic.add(counts, i % 4, 1)

    counts = np.zeros(4, np.int32)
    execution = compiled(kernel, int32[::1]).launch(1, 64, counts, settings=settings)
    assert counts.tolist() == [16] * 4
    (site,) = execution.sites
    # Two warps: four addresses each, each met by eight lanes.
    assert (site[Site.DISTINCT], site[Site.MOST_SAME]) == (8, 16)


def test_the_last_warp_of_a_block_counts_its_own_lanes():
    execution = compiled(copy_at(1), float32[::1], float32[::1]).launch(
        1, 40, np.ones(40, np.float32), np.zeros(40, np.float32)
    )
    assert execution.block_runs.max() == 2
    assert execution.block_lanes.max() == 40
    assert sectors(execution) == [5, 5]


def test_a_second_reading_hits_the_first_level_cache():
    from advisor.evidence.simulated.simt.vector.host.caches import CacheSizes

    def kernel(source, target):
        i = cuda.grid(1)
        total = float32(0)
        for _ in range(target.size):
            total += source[i]
            cuda.threadfence()
        target[i % target.size] = total

    sizes = CacheSizes(l1=1 << 15, l2=1 << 20, processors=1)
    execution = compiled(kernel, float32[::1], float32[::1]).launch(
        1, 32, np.ones(32, np.float32), np.zeros(8, np.float32),
        settings=Settings(detailed_lanes=1 << 60, caches=sizes),
    )  # fmt: skip
    total = execution.sites.sum(0)
    loads = int(total[Site.L1_SECTORS])
    assert loads % 4 == 0 and loads >= 4
    assert int(total[Site.L1_HITS]) == loads - 4


# Elements of four or eight bytes, how many of them lie side by side in a row, the pitch of rows -> data-stage
# wavefronts of one load of a warp that hits L1, as measured (https://github.com/te42kyfo/gpu-benches,
# gpu-strides: A100 and H200).
MEASURED_PASSES = [
    *((4, 1, stride, passes) for stride, passes in (
        (1, 1), (2, 2), (3, 1), (4, 4), (5, 1), (8, 8), (12, 4), (15, 1), (16, 16), (17, 1), (32, 32),
        (33, 1),
    )),
    *((8, 1, stride, passes) for stride, passes in ((1, 2), (2, 4), (4, 8), (8, 16), (16, 32), (32, 32))),
    *((4, width, 4098, passes) for width, passes in ((1, 2), (2, 1), (4, 2), (8, 4), (16, 2), (32, 1))),
    *((8, width, 4098, passes) for width, passes in ((1, 4), (2, 2), (4, 4), (8, 4), (16, 2), (32, 2))),
]  # fmt: skip


@pytest.mark.parametrize(("size", "width", "pitch", "expected"), MEASURED_PASSES)
def test_passes_of_loads_through_the_banks_of_l1(size, width, pitch, expected):
    from advisor.evidence.simulated.simt.vector.host.caches import CacheSizes

    def kernel(source, target, width, pitch):
        i = cuda.threadIdx.x
        target[i] = source[i // width * pitch + i % width]

    kind, dtype = (float32, np.float32) if size == 4 else (float64, np.float64)
    execution = compiled(kernel, kind[::1], kind[::1], int64, int64).launch(
        1, 32, np.ones(32 * 4098, dtype), np.zeros(32, dtype), width, pitch,
        settings=Settings(detailed_lanes=1 << 60, caches=CacheSizes(l1=1 << 17, l2=1 << 20, processors=1)),
    )  # fmt: skip
    # The store asks no L1.
    assert [int(row[Site.L1_WAVEFRONTS]) for row in execution.sites] == [expected, 0]


def test_branches_that_divide_a_warp_are_counted():
    def kernel(target):
        i = cuda.grid(1)
        if i % 2 == 0:
            for k in range(i):
                target[i] += k
        else:
            target[i] = 5

    target = np.zeros(64, np.int64)
    execution = compiled(kernel, int64[::1]).launch(1, 64, target)
    expected = [sum(range(i)) if i % 2 == 0 else 5 for i in range(64)]
    assert target.tolist() == expected
    assert execution.divisions.sum() > 2
