"""Random traces beside an oracle: warps in queues that take turns, and caches as ordered dictionaries."""

from __future__ import annotations

from collections import OrderedDict, deque
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import float32
from numba_launch import compiled

from advisor.evidence.simulated.simt.launch import Launch
from advisor.evidence.simulated.simt.resident_blocks import (
    neighbours_first,
    ranges_of,
    ranges_without,
    residents_of,
)
from advisor.evidence.simulated.simt.vector.host import host_memory
from advisor.evidence.simulated.simt.vector.host.cache_model import CacheModel
from advisor.evidence.simulated.simt.vector.host.caches import CacheSizes
from advisor.evidence.simulated.simt.vector.layout import WRITES, Context, Site, TraceEntry, WarpRun

LOAD, STORE = 0, 1


class Request(NamedTuple):
    """A request of a warp: load or store, and of each line its sectors as bits."""

    site: int
    lines: tuple[tuple[int, int], ...]


class Run(NamedTuple):
    """What a warp asks for behind one barrier of its block."""

    block: int
    epoch: int
    warp: int
    requests: tuple[Request, ...]


class Lru:
    """The lines of a cache, the least recently used one first, each with its sectors as bits."""

    def __init__(self, lines: int) -> None:
        self.lines, self.held = lines, OrderedDict()

    def ask(self, line: int, sectors: int) -> int:
        """Which of the sectors were there."""
        before = self.held.pop(line, None)
        if before is None and len(self.held) >= self.lines:
            self.held.popitem(last=False)
        self.held[line] = (before or 0) | sectors
        return (before or 0) & sectors


def rounds(runs: list[Run], sizes: CacheSizes) -> list[tuple[int, Request]]:
    """The requests with their multiprocessors, one of each resident warp in a round."""
    places: dict[tuple[int, int], deque[dict[int, deque[Request]]]] = {}
    for block, epoch in sorted({(run.block, run.epoch) for run in runs}):
        phase: dict[int, deque[Request]] = {}
        for run in runs:
            if (run.block, run.epoch) == (block, epoch):
                phase.setdefault(run.warp, deque()).extend(run.requests)
        place = block % sizes.processors, block // sizes.processors % sizes.residents
        places.setdefault(place, deque()).append(phase)
    found = []
    while any(places.values()):
        for place in sorted(places):
            if not places[place]:
                continue
            phase = places[place][0]
            for warp in sorted(phase):
                if phase[warp]:
                    found.append((place[0], phase[warp].popleft()))
            if not any(phase.values()):
                places[place].popleft()
    return found


def expected(runs: list[Run], blocks: int, sizes: CacheSizes) -> dict[int, list[int]]:
    """The counts of both sites: sectors and hits of L1 and of L2, requests, those past L1 and past L2."""
    seen: dict[int, set[int]] = {}
    for run in runs:
        place = run.block // sizes.processors % sizes.residents
        seen.setdefault(run.block % sizes.processors, set()).add(place)
    caches = {}
    for processor, places in seen.items():
        on_it = min(sizes.residents, sum(block % sizes.processors == processor for block in range(blocks)))
        caches[processor] = Lru(max(1, sizes.l1 // 128 * len(places) // on_it))
    l2 = Lru(sizes.l2 // 128)
    counts = {LOAD: [0] * 7, STORE: [0] * 7}
    for processor, request in rounds(runs, sizes):
        own, past = counts[request.site], [False, False]
        for line, sectors in request.lines:
            rest = sectors
            if request.site == LOAD:
                hit = caches[processor].ask(line, sectors)
                own[0] += sectors.bit_count()
                own[1] += hit.bit_count()
                rest = sectors & ~hit
            if rest:
                hit = l2.ask(line, rest)
                own[2] += rest.bit_count()
                own[3] += hit.bit_count()
                past = [True, past[1] or hit != rest]
        if request.site == LOAD:
            own[4:] = [own[4] + 1, own[5] + past[0], own[6] + past[1]]
    return counts


@pytest.fixture(scope="module")
def kernel():
    def nothing(x):
        x[0] = 0

    return compiled(nothing, float32[::1]).kernel


def counted(kernel, runs: list[Run], blocks: int, sizes: CacheSizes) -> dict[int, list[int]]:
    """The same counts of the machine's own routines."""
    context = host_memory.zeroed_words(Context.WORDS)
    sites = host_memory.zeroed_words(2, Site.WORDS)
    sites[STORE, Site.DESCRIPTION] = WRITES
    context[Context.SITES] = host_memory.address_of(sites)
    context[Context.WARPS] = 1 + max(run.warp for run in runs)
    model = CacheModel(kernel, Launch((blocks, 1, 1), (32, 1, 1), b""), context, sizes)
    length = 0
    for number, run in enumerate(runs):
        row = model.runs[number]
        row[WarpRun.BLOCK], row[WarpRun.EPOCH], row[WarpRun.WARP] = run.block, run.epoch, run.warp
        row[WarpRun.BEGIN] = length
        for request in run.requests:
            for at, (line, sectors) in enumerate(request.lines):
                first = int(at == 0) << TraceEntry.FIRST
                entry = line | sectors << TraceEntry.SECTORS | first | request.site << TraceEntry.SITE
                model.trace[length] = entry
                length += 1
    context[Context.TRACE_LENGTH], context[Context.RUN_COUNT] = length, len(runs)
    model.look_up()
    words = (Site.L1_SECTORS, Site.L1_HITS, Site.L2_SECTORS, Site.L2_HITS, Site.LOOKED_UP, Site.PAST_L1,
             Site.PAST_L2)  # fmt: skip
    return {site: [int(sites[site, word]) for word in words] for site in (LOAD, STORE)}


LINES = st.tuples(st.integers(0, 12) | st.just((1 << 30) - 1), st.integers(1, 15))
REQUESTS = st.builds(
    Request, st.sampled_from((LOAD, STORE)), st.lists(LINES, min_size=1, max_size=3, unique_by=lambda x: x[0])
)
RUNS = st.lists(
    st.builds(
        Run,
        st.integers(0, 7),
        st.integers(1, 3),
        st.integers(0, 2),
        st.lists(REQUESTS, min_size=1, max_size=5),
    ),
    min_size=1,
    max_size=12,
)
SIZES = st.builds(
    CacheSizes,
    l1=st.integers(1, 8).map(lambda lines: lines * 128),
    l2=st.integers(1, 16).map(lambda lines: lines * 128),
    processors=st.integers(1, 3),
    residents=st.integers(1, 3),
)


@given(runs=RUNS, sizes=SIZES)
@settings(max_examples=200, deadline=None)
def test_counts_are_those_of_queues_and_ordered_dictionaries(kernel, runs, sizes):
    assert counted(kernel, runs, 8, sizes) == expected(runs, 8, sizes)


def test_least_recently_used_on_paper(kernel):
    # Two lines: 0 and 1 come in, 0 is there, 2 replaces 1, 0 is there, 1 replaces 2.
    asked = tuple(Request(LOAD, ((line, 1),)) for line in (0, 1, 0, 2, 0, 1))
    sizes = CacheSizes(l1=256, l2=1 << 20, processors=1)
    found = counted(kernel, [Run(0, 1, 0, asked)], 1, sizes)
    # L2 is asked for 0, 1, 2, and 1 again, which it has.
    assert found[LOAD] == [6, 2, 4, 1, 6, 4, 3]


def test_a_line_that_is_there_may_lack_a_sector(kernel):
    asked = (Request(LOAD, ((5, 0b0001),)), Request(LOAD, ((5, 0b0011),)), Request(STORE, ((5, 0b1000),)))
    sizes = CacheSizes(l1=256, l2=1 << 20, processors=1)
    found = counted(kernel, [Run(0, 1, 0, asked)], 1, sizes)
    assert found == {LOAD: [3, 1, 2, 0, 2, 2, 2], STORE: [0, 0, 1, 0, 0, 0, 0]}


def test_blocks_that_are_resident_together():
    # Three multiprocessors of two blocks each; the second wave has four blocks.
    assert list(neighbours_first(10, 3, 2)) == [0, 3, 1, 4, 2, 5, 6, 9, 7, 8]
    assert list(neighbours_first(2, 3, 2)) == [0, 1]
    assert [residents_of(processor, 4, 3, 2) for processor in range(3)] == [2, 1, 1]
    assert residents_of(0, 100, 3, 2) == 2


@given(st.integers(0, 40), st.integers(1, 5), st.integers(1, 5))
def test_each_block_has_its_place(blocks, processors, residents):
    assert sorted(neighbours_first(blocks, processors, residents)) == list(range(blocks))


@given(st.integers(1, 30).flatmap(lambda n: st.tuples(st.just(n), st.sets(st.integers(0, n - 1)))))
def test_the_ranges_left_are_all_other_blocks(given_blocks):
    blocks, done = given_blocks
    others = [number for number in range(blocks) if number not in done]
    found = ranges_without(blocks, done)
    assert [number for one in found for number in one] == others
    assert found == ranges_of(others)
