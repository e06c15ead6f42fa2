"""Hit rates of warps that take turns: those of a loose round robin, wherever barriers stand."""

from __future__ import annotations

import numpy as np
import pytest
from numba import cuda, float32, int64
from numba_launch import compiled

from advisor.evidence.simulated.simt.machine import CacheSizes, Settings
from advisor.evidence.simulated.simt.vector.host import cache_model
from advisor.evidence.simulated.simt.vector.layout import Site

LINE = 32  # elements of float32


def twice_free(x, o, m, n):
    s = float32(0)
    t = cuda.threadIdx.x
    b = cuda.blockIdx.x * n * 512
    for _ in range(m):
        for k in range(n):
            s += x[b + k * 512 + t]
    o[cuda.grid(1)] = s


def twice_sync(x, o, m, n):
    s = float32(0)
    t = cuda.threadIdx.x
    b = cuda.blockIdx.x * n * 512
    for _ in range(m):
        for k in range(n):
            s += x[b + k * 512 + t]
            cuda.syncthreads()
    o[cuda.grid(1)] = s


def read_lines(x, o, m, n, step):
    """Each warp reads n lines of its own m times, those of the next warp `step` lines further on."""
    s = float32(0)
    warp = cuda.grid(1) // 32
    for _ in range(m):
        for k in range(n):
            s += x[(warp * step + k) * 32 + cuda.laneid]
    o[cuda.grid(1)] = s


TYPES = (float32[::1], float32[::1], int64, int64)


@pytest.fixture(scope="module")
def lines():
    return compiled(read_lines, *TYPES, int64)


def closely(l1: int, residents: int = 1, processors: int = 1, threads: int = 1) -> Settings:
    caches = CacheSizes(l1=l1 * 128, l2=1 << 22, processors=processors, residents=residents)
    return Settings(detailed_lanes=1 << 60, caches=caches, threads=threads)


def counts(execution) -> tuple[int, int]:
    """Sectors that were looked up in L1, and those found there."""
    total = execution.sites.sum(0)
    return int(total[Site.L1_SECTORS]), int(total[Site.L1_HITS])


# Kilobytes that a block reads twice -> the share found in L1. 192 KB hold 64 KB; of what is larger nothing is
# left when the block comes to it again.
@pytest.mark.parametrize(("kilobytes", "expected"), [(64, 0.5), (512, 0.0), (2048, 0.0)])
@pytest.mark.parametrize("kernel", [twice_free, twice_sync])
def test_hits_do_not_hang_on_barriers(kernel, kilobytes, expected):
    n = kilobytes // 2
    execution = compiled(kernel, *TYPES).launch(
        1, 512, np.ones(n * 512, np.float32), np.zeros(512, np.float32), 2, n, settings=closely(1536)
    )
    asked, hit = counts(execution)
    assert asked == 2 * kilobytes * 1024 // 32
    assert hit / asked == expected


# Lines of L1 -> hits of the second reading by two warps of two lines each.
@pytest.mark.parametrize(("l1", "hits"), [(4, 2 * 2 * 4), (3, 0), (2, 0)])
def test_two_warps_need_room_for_both(lines, l1, hits):
    execution = lines.launch(
        1, 64, np.ones(4 * LINE, np.float32), np.zeros(64, np.float32), 2, 2, 2, settings=closely(l1)
    )
    assert counts(execution) == (2 * 2 * 2 * 4, hits)


def test_warps_that_read_the_same_lines_fetch_them_once(lines):
    # In each round four warps ask for one line: one of them misses. A second line replaces the first.
    execution = lines.launch(
        1, 128, np.ones(8 * LINE, np.float32), np.zeros(128, np.float32), 1, 8, 0, settings=closely(1)
    )
    assert counts(execution) == (4 * 8 * 4, 3 * 8 * 4)


def test_the_next_warp_finds_the_lines_that_it_shares(lines):
    # Warp w reads lines w and w + 1. First round: lines 0 1 2 3, none there. Second: 1 2 3 are, 4 is not.
    execution = lines.launch(
        1, 128, np.ones(5 * LINE, np.float32), np.zeros(128, np.float32), 1, 2, 1, settings=closely(8)
    )
    assert counts(execution) == (4 * 2 * 4, 3 * 4)


# Blocks of one warp with two lines, on one multiprocessor. Where two of them take turns four lines hold both,
# where four do eight. For one after the other two suffice.
@pytest.mark.parametrize(("l1", "residents", "hits"), [(4, 2, 4), (3, 2, 0), (8, 4, 4), (7, 4, 0), (2, 1, 4)])
def test_resident_blocks_share_the_cache(lines, l1, residents, hits):
    execution = lines.launch(
        4, 32, np.ones(8 * LINE, np.float32), np.zeros(128, np.float32), 2, 2, 2,
        settings=closely(l1, residents),
    )  # fmt: skip
    assert counts(execution) == (4 * 4 * 4, 4 * hits * 2)


def test_a_block_has_its_share_where_its_neighbours_are_not_looked_at(lines):
    # Four blocks are resident, one is looked at: of eight lines two are its own.
    for l1, hits in ((8, 8), (7, 0)):
        caches = CacheSizes(l1=l1 * 128, l2=1 << 22, processors=1, residents=4)
        execution = lines.launch(
            4, 32, np.ones(8 * LINE, np.float32), np.zeros(128, np.float32), 2, 2, 2,
            settings=Settings(detailed_lanes=1, caches=caches),
        )  # fmt: skip
        assert execution.detailed == 1
        assert counts(execution) == (4 * 4, hits)


def test_the_blocks_of_a_multiprocessor_are_looked_at_first(lines):
    # Eight blocks of eight lines on four multiprocessors, two on each: 0 and 4 read one line after the other.
    caches = CacheSizes(l1=128, l2=1 << 22, processors=4, residents=2)
    x, o = np.ones(8 * LINE, np.float32), np.zeros(256, np.float32)
    one = lines.launch(8, 32, x, o, 1, 1, 0, settings=Settings(detailed_lanes=1, caches=caches))
    each = int(one.block_lanes @ [block.last - block.first for block in lines.kernel.warp.blocks]) // 8
    two = lines.launch(8, 32, x, o, 1, 1, 0, settings=Settings(detailed_lanes=each + 1, caches=caches))
    assert (one.detailed, two.detailed) == (1, 2)
    assert (one.blocks_run, two.blocks_run) == (8, 8)
    assert counts(two) == (8, 4)
    assert o.tolist() == [1.0] * 256


def test_host_threads_do_not_change_what_the_caches_show(lines):
    x, o = np.ones(130 * LINE, np.float32), np.zeros(64 * 64, np.float32)
    caches = CacheSizes(l1=5 * 128, l2=24 * 128, processors=3, residents=2)
    found = [
        lines.launch(
            64, 64, x, o, 3, 2, 1, settings=Settings(threads, detailed_lanes=20_000, caches=caches)
        )
        for threads in (1, 2, 2)
    ]  # fmt: skip
    assert 0 < found[0].detailed < 64
    words = [Site.SECTORS, Site.L1_SECTORS, Site.L1_HITS, Site.L2_SECTORS, Site.L2_HITS, Site.PAST_L2]
    first, *others = (one.sites[:, words].tolist() for one in found)
    assert others == [first, first]


def test_a_trace_that_is_full_is_looked_up_in_parts(lines, monkeypatch):
    x, o = np.arange(64 * LINE, dtype=np.float32), np.zeros(128, np.float32)
    whole = lines.launch(1, 128, x, o, 5, 16, 16, settings=closely(48))
    again = np.zeros(128, np.float32)
    # A warp leaves after 16 entries, so four of them fill half of the trace.
    monkeypatch.setattr(cache_model, "_ENTRIES", 128)
    monkeypatch.setattr(cache_model, "_MOST_BEYOND", 0)
    parts = lines.launch(1, 128, x, again, 5, 16, 16, settings=closely(48))
    assert counts(parts) == counts(whole) == (5 * 4 * 16 * 4, 0)
    assert again.tolist() == o.tolist()
    assert parts.block_runs.tolist() == whole.block_runs.tolist()


def test_what_has_no_room_in_the_trace_is_looked_up_at_once(lines, monkeypatch):
    x, o = np.ones(64 * LINE, np.float32), np.zeros(32, np.float32)
    monkeypatch.setattr(cache_model, "_ENTRIES", 2)
    monkeypatch.setattr(cache_model, "_MOST_BEYOND", 0)
    execution = lines.launch(1, 32, x, o, 2, 8, 0, settings=closely(8))
    assert counts(execution) == (2 * 8 * 4, 8 * 4)
