"""What blocks touch that are resident at one time, and what DRAM moves by it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numba import cuda, float32, int32, uint8
from numba_launch import compiled

from advisor.evidence.simulated.launches.readings.kernel_readings import cache_traffic
from advisor.evidence.simulated.simt.counts import AccessCounts, Statistics
from advisor.evidence.simulated.simt.machine import CacheSizes, Settings
from advisor.evidence.simulated.simt.resident_blocks import split_at
from advisor.model.devices import find_device


def common_and_own(common, own, out):
    """Each block reads the same 1,024 elements and 32 of its own."""
    total = own[cuda.grid(1)]
    for k in range(32):
        total += common[k * 32 + cuda.threadIdx.x]
    out[cuda.grid(1)] = total


@pytest.fixture(scope="module")
def kernel():
    return compiled(common_and_own, *[float32[::1]] * 3)


def ran(kernel, settings: Settings):
    arrays = [np.ones(size, np.float32) for size in (1024, 256, 256)]
    return kernel.launch(8, 32, *arrays, settings=settings)


def caches(residents: int) -> CacheSizes:
    return CacheSizes(l1=1 << 14, l2=1 << 16, processors=2, residents=residents)


# Of the common elements 128 sectors; of its own each block loads 4 and stores 4.
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("lanes", [1, 1 << 40])
def test_the_first_wave_of_two(kernel, threads, lanes):
    found = ran(kernel, Settings(threads=threads, detailed_lanes=lanes, caches=caches(residents=2)))
    assert (found.wave_blocks, found.wave_sectors) == (4, 128 + 4 * 8)
    assert found.loaded_sectors + found.stored_sectors == 128 + 8 * 8
    assert found.detailed_sectors == 128 + (8 if lanes == 1 else 8 * 8)


def test_one_wave_is_the_launch(kernel):
    found = ran(kernel, Settings(detailed_lanes=1, caches=caches(residents=4)))
    assert (found.wave_blocks, found.wave_sectors) == (None, None)


def test_a_sample_with_the_first_wave_and_one_without(kernel):
    settings = Settings(detailed_lanes=1, caches=caches(residents=2))
    assert ran(kernel, replace(settings, blocks=range(6))).wave_sectors == 128 + 4 * 8
    assert ran(kernel, replace(settings, blocks=[0, 2, 4, 6])).wave_sectors is None
    assert ran(kernel, replace(settings, blocks=[5, 6])).wave_sectors is None


def test_without_caches_there_are_no_waves(kernel):
    found = ran(kernel, Settings())
    assert (found.wave_sectors, found.detailed_sectors) == (None, None)


@pytest.mark.parametrize(
    ("ranges", "at", "below", "above"),
    [
        ([range(8)], 3, [range(3)], [range(3, 8)]),
        ([range(1, 3), range(5, 9)], 3, [range(1, 3)], [range(5, 9)]),
        ([range(1, 3), range(5, 9)], 6, [range(1, 3), range(5, 6)], [range(6, 9)]),
        ([range(4)], 0, [], [range(4)]),
        ([], 2, [], []),
    ],
)
def test_splitting_ranges(ranges, at, below, above):
    assert split_at(ranges, at) == (below, above)


DEVICE = replace(find_device("A100"), l2_bytes=1000 * 32)


def dram_sectors(**known) -> float:
    """The sectors that move for 10,000 requests of L2 with 2,000 different sectors, twice what L2 holds."""
    load = AccessCounts("k.py", 1, "a", "global", "load", requests=2500, sectors=10_000)
    load = replace(load, l1_sectors=100, l2_sectors=100, looked_up=25)
    counted = Statistics((80, 1, 1), (32, 1, 1), 80, 80, 1, True, loaded_sectors=2000, accesses=[load])
    found = cache_traffic(replace(counted, **known), DEVICE, True).dram_bytes
    assert found is not None
    return found / 32


def test_what_blocks_of_a_wave_share_comes_once_for_each_wave():
    # Ten blocks of 80 touch 1,200 sectors: eight waves.
    assert dram_sectors(wave_sectors=1200, wave_blocks=10) == 8 * 1200
    # What fits into L2 is still there for the next wave.
    assert dram_sectors(wave_sectors=900, wave_blocks=10) == 2000
    # Without a second wave all blocks share.
    assert dram_sectors() == 2000


def test_what_a_block_loses_comes_again_but_not_more_often_than_asked():
    assert dram_sectors(fetches_of_a_sector=3.0) == 3 * 2000
    assert dram_sectors(fetches_of_a_sector=0.5) == 2000
    assert dram_sectors(wave_sectors=1200, wave_blocks=10, fetches_of_a_sector=2.0) == 10_000


def every_second(given, out):
    """Each thread loads a float32 of every second one, and stores one of each."""
    i = cuda.grid(1)
    out[i] = given[2 * i]


def each_byte(given, out):
    """Each thread adds a byte to a counter of its own and stores one of four."""
    i = cuda.grid(1)
    cuda.atomic.add(given, i, 1)
    out[4 * i] = 1


@pytest.mark.parametrize("sizes", [CacheSizes(l1=1 << 14, l2=1 << 16, processors=1), None])
def test_the_part_of_sectors_that_no_thread_uses(sizes):
    ready = compiled(every_second, float32[::1], float32[::1])
    arrays = np.ones(512, np.float32), np.ones(256, np.float32)
    found = ready.launch(8, 32, *arrays, settings=Settings(detailed_lanes=1, caches=sizes))
    # Without caches nothing is looked at so closely.
    assert found.unused_parts == (None if sizes is None else (0.5, 0.0))


def test_atomic_updates_and_single_bytes_are_in_use():
    ready = compiled(each_byte, int32[::1], uint8[::1])
    sizes = CacheSizes(l1=1 << 14, l2=1 << 16, processors=1)
    settings = Settings(detailed_lanes=1 << 40, caches=sizes)
    found = ready.launch(8, 32, np.zeros(256, np.int32), np.zeros(1024, np.uint8), settings=settings)
    # 1,024 bytes that are updated, all of them in use, and 1,024 that are stored, a quarter of them in use.
    assert found.unused_parts == (0.0, 768 / 2048)
