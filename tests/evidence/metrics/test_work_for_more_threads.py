"""Metrics that say whether a launch leaves work to more threads, computed from those of the source."""

from __future__ import annotations

import pytest

from advisor.check.rulebook import rulebook_for
from advisor.evidence.metrics.tables import Tables, build_tables
from advisor.model.records import Record
from advisor.model.settings.config import Config
from advisor.model.text.source_text import Span
from advisor.rules.checking.computed_metrics import fill_in

RULEBOOK = rulebook_for(Config())
SUM, ORDERED = {"walks_elements": True, "shareable": True}, {"walks_elements": True, "shareable": False}
SAMPLES = {"walks_elements": False, "shareable": False, "draws_samples": True}
STEPS = {"shareable": True, "steps_by_grid": True, "draws_samples": False}
SEARCH = {"walks_elements": False, "shareable": False, "draws_samples": False, "steps_by_grid": False}

# Whether the kernel reads its block index, and its loop: could threads of further blocks do a part of it?
FOR_MORE_BLOCKS = {
    "a sum in each block": (True, SUM, True),
    "a sum in the only block": (False, SUM, False),
    "samples": (True, SAMPLES, True),
    "elements in order": (True, ORDERED, False),
    "not known": (True, {}, None),
}
# Loops of a kernel, and the values of KERNEL_METRICS.
KERNELS = {
    "no loop": ([], (False, False, False, False, False)),
    "a search": ([SEARCH], (False, False, False, False, False)),
    "a sum": ([SEARCH, SUM], (False, None, True, False, True)),
    "steps of the grid": ([SEARCH, STEPS], (False, True, True, False, True)),
    "samples": ([SEARCH, SAMPLES], (True, True, False, False, False)),
    "elements in order": ([ORDERED], (False, None, False, True, True)),
    "elements in order, then others": ([ORDERED, STEPS], (False, True, True, True, True)),
    "a loop of which nothing is known": ([{}], (False, None, None, False, None)),
}
KERNEL_METRICS = ("draws_samples", "fits_any_grid", "shareable_loop", "walks_in_order", "passes_over_data")
# A launch and its kernel's only loop: whether there is work for more than its 4 blocks of 256 threads.
WORK = {
    "an element more than threads": ({"largest_array": 1025}, SUM, True),
    "an element for each thread": ({"largest_array": 1024}, SUM, False),
    "samples of an element for each thread": ({"largest_array": 1024}, SAMPLES, True),
    "arrays of unknown size": ({}, SUM, True),
    "a grid of unknown size": ({"largest_array": 1024, "blocks": None}, SUM, None),
}
ELEMENTS = {
    "an element more than threads": ({"longest_axis": 1025}, True, SUM, True),
    "an element for each thread": ({"longest_axis": 1024}, True, SUM, False),
    "an axis of unknown length": ({}, True, SUM, False),
    "in order": ({"longest_axis": 1025}, True, ORDERED, False),
    "each block does the same": ({"longest_axis": 1025}, False, SUM, False),
}
ONE_BLOCK = {
    "one block adds up": ({"blocks": 1}, SUM, True),
    "two blocks": ({"blocks": 2}, SUM, False),
    "one block, in order": ({"blocks": 1}, ORDERED, False),
}
REST = {
    "the sums of a larger launch": ({"blocks": 1, "beside_larger_launch": True}, True),
    "two blocks for the rest": ({"blocks": 2, "beside_larger_launch": True}, False),
    "the only launch": ({"blocks": 1, "beside_larger_launch": False}, False),
}
COPIES = {
    "one array": ({"host_arrays": 1, "host_loop_depth": 0}, True),
    "device arrays": ({"host_arrays": 0, "host_loop_depth": 0}, False),
    "again and again": ({"host_arrays": 1, "host_loop_depth": 1}, False),
}


def tables_of(loops=(), reads_block=True, **launch) -> Tables:
    """Tables of a kernel with its loops and one launch, of 4 blocks of 256 threads unless `launch` says
    otherwise; another kernel has a loop, so that the first one is known to have none where it has none."""
    records = [Record("kernel", key, "a.py", Span(1), key, None) for key in ("k", "o")]
    records[0].know("source", block_index_read=reads_block)
    owned = [("k", values) for values in loops] + [("o", SAMPLES)]
    for at, (owner, values) in enumerate(owned):
        records.append(Record("loop", f"p{at}", "a.py", Span(at + 2), owner, owner))
        records[-1].know("source", **values)
    records.append(Record("launch", "l", "a.py", Span(9), "k", "k"))
    records[-1].know("source", **{"blocks": 4, "block_threads": 256, **launch})
    tables = build_tables(records, RULEBOOK.owner_entity())
    fill_in(RULEBOOK, tables)
    return tables


def truth(tables: Tables, entity: str, metric: str) -> bool | None:
    """The value of a metric in the first row of an entity, None where it is unknown."""
    value = tables[entity].columns[metric].values[0]
    return None if value != value else bool(value == 1.0)


@pytest.mark.parametrize("name", FOR_MORE_BLOCKS)
def test_iterations_that_threads_of_more_blocks_could_do(name):
    reads_block, loop, expected = FOR_MORE_BLOCKS[name]
    assert truth(tables_of([loop], reads_block), "loop", "for_more_blocks") is expected


@pytest.mark.parametrize("name", KERNELS)
def test_what_the_loops_of_a_kernel_leave_to_others(name):
    loops, expected = KERNELS[name]
    tables = tables_of(loops)
    assert tuple(truth(tables, "kernel", metric) for metric in KERNEL_METRICS) == expected


@pytest.mark.parametrize("name", WORK)
def test_work_for_more_threads_than_the_launch_has(name):
    launch, loop, expected = WORK[name]
    assert truth(tables_of([loop], **launch), "launch", "work_for_more_threads") is expected


@pytest.mark.parametrize("name", ELEMENTS)
def test_more_elements_than_threads(name):
    launch, reads_block, loop, expected = ELEMENTS[name]
    assert truth(tables_of([loop], reads_block, **launch), "launch", "more_elements_than_threads") is expected


@pytest.mark.parametrize("name", ONE_BLOCK)
def test_one_block_does_all(name):
    launch, loop, expected = ONE_BLOCK[name]
    assert truth(tables_of([loop], **launch), "launch", "one_block_does_all") is expected


@pytest.mark.parametrize("name", REST)
def test_the_rest_of_a_larger_launch(name):
    launch, expected = REST[name]
    assert truth(tables_of(**launch), "launch", "rest_of_larger_launch") is expected


@pytest.mark.parametrize("name", COPIES)
def test_arrays_copied_for_one_launch(name):
    launch, expected = COPIES[name]
    assert truth(tables_of(**launch), "launch", "copies_arrays_once") is expected


def test_what_is_asked_of_loops_has_their_source_and_assumptions():
    kernels = [Record("kernel", key, "a.py", Span(1), key, None) for key in ("sums", "counted", "none")]
    loops = [
        Record("loop", f"p{at}", "a.py", Span(at + 2), key, key) for at, key in enumerate(("sums", "sums"))
    ]
    loops[0].know("source", **SUM)
    loops[1].know("source", ("Assumed of the second.",), **SEARCH)
    loops.append(Record("loop", "p2", "a.py", Span(9), "counted", "counted"))
    loops[2].know("compiled", **SUM)
    tables = build_tables([*kernels, *loops], RULEBOOK.owner_entity())
    fill_in(RULEBOOK, tables)
    column = tables["kernel"].columns["shareable_loop"]
    assert [column.source(row) for row in range(3)] == ["source", "compiled", "source"]
    assert column.assumptions == {0: ("Assumed of the second.",)}
