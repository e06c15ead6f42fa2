"""Races in global memory: of blocks, of warps between two barriers, of plain accesses beside atomic ones."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from global_race_kernels import RIGHT, WRONG
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import cuda, float32, int32
from numba_launch import compiled

from advisor.evidence.simulated.launches.defects import FoundDefect, found_defects
from advisor.evidence.simulated.simt.launch import Launch
from advisor.evidence.simulated.simt.machine import Settings

BLOCKS, THREADS = 4, 64
DETAILED = Settings(detailed_lanes=1 << 60)


def defects(function, detailed=DETAILED) -> list[FoundDefect]:
    """What a launch of a kernel shows."""
    ready = compiled(function, float32[::1], float32[::1], int32[::1])
    size = BLOCKS * THREADS
    arrays = np.arange(1, size + 1, dtype=np.float32), np.zeros(size, np.float32), np.zeros(size, np.int32)
    execution = ready.launch(BLOCKS, THREADS, *arrays, settings=detailed)
    launch = Launch((BLOCKS, 1, 1), (THREADS, 1, 1), b"")
    return found_defects(ready.kernel, launch, execution, {})


def expected(function) -> set[tuple[str, int]]:
    source, first = inspect.getsourcelines(function)
    marked = ((line.partition("# hit: ")[2].strip(), number) for number, line in enumerate(source, first))
    return {(kind, number) for kind, number in marked if kind}


@pytest.mark.parametrize("function", WRONG, ids=lambda one: one.__name__)
def test_a_race_stands_at_its_line(function):
    found = {(one.kind, one.line) for one in defects(function)}
    assert found == expected(function) != set()


@pytest.mark.parametrize("function", RIGHT, ids=lambda one: one.__name__)
def test_what_is_ordered_or_harms_nobody_is_no_race(function):
    assert defects(function) == []
    assert not expected(function)


def test_both_places_of_a_race_are_named():
    by_name = {function.__name__: function for function in WRONG}
    function = by_name["sums_of_blocks_before"]
    source, first = inspect.getsourcelines(function)
    (found,) = defects(function)
    store = next(number for number, line in enumerate(source, first) if "y[b] =" in line)
    assert (found.access, found.block, found.thread) == ("load", (1, 0, 0), (0, 0, 0))
    assert (found.other_by, found.other_access, found.other_line) == ("another block", "store", store)
    found = defects(by_name["scratch_of_the_block_without_a_barrier"])
    assert {one.other_by for one in found} == {"another warp of the block"}
    assert {(one.access, one.other_access) for one in found} == {("load", "store"), ("store", "load")}


def test_only_blocks_that_are_looked_at_are_followed():
    by_name = {function.__name__: function for function in WRONG}
    assert defects(by_name["left_neighbour_in_place"], Settings()) == []
    one_block = Settings(detailed_lanes=1)
    assert {one.other_by for one in defects(by_name["left_neighbour_in_place"], one_block)} == {
        "another warp of the block"
    }


def permuted(a, sources, targets, values):
    i = cuda.grid(1)
    found = a[sources[i]]
    if found > -1:
        a[targets[i]] = values[i]


_PERMUTED = []


def kernel_of_places():
    if not _PERMUTED:
        _PERMUTED.append(compiled(permuted, float32[::1], int32[::1], int32[::1], float32[::1]))
    return _PERMUTED[0]


def uses(places, threads_of_block=32) -> dict[int, set[int]]:
    """The blocks that use each element."""
    found: dict[int, set[int]] = {}
    for thread, place in enumerate(places):
        found.setdefault(int(place), set()).add(thread // threads_of_block)
    return found


@given(seed=st.integers(0, 10**6), spread=st.sampled_from([1, 2, 8, 60]), blocks=st.integers(1, 5))
@settings(max_examples=60, deadline=None)
def test_blocks_race_where_one_writes_what_another_uses(seed, spread, blocks):
    """Blocks of one warp load and store where tables say, near their own elements or far away."""
    random = np.random.default_rng(seed)
    count = 32 * blocks
    own = np.arange(count) * 64
    sources, targets = (
        (own + (random.random(count) < 0.02) * random.integers(0, spread * 64, count)).astype(np.int32)
        for _ in range(2)
    )
    readers, writers = uses(sources), uses(targets)
    races = {place for place, wrote in writers.items() if len(wrote) > 1 or readers.get(place, wrote) - wrote}
    memory = np.zeros(count * 64 + spread * 64, np.float32)
    values = np.arange(1, count + 1, dtype=np.float32)
    runs = [
        kernel_of_places().launch(
            blocks, 32, memory.copy(), sources, targets, values,
            settings=Settings(threads=threads, detailed_lanes=1 << 60),
        )
        for threads in (1, 3)
    ]  # fmt: skip
    assert bool(runs[0].defects) == bool(races)
    first, second = (
        [(one.kind, one.access, one.other, one.block, one.thread) for one in run.defects] for run in runs
    )
    assert first == second
