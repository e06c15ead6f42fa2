"""Counts of whole lines go to the access that they are of, and to no other."""

from __future__ import annotations

import pytest

from advisor.check.collectors import line_code_records
from advisor.evidence.metrics.joining import join
from advisor.model.records import LineReading, Record
from advisor.model.text.source_text import Span


def access(array, kind, column, line=5, space="global"):
    record = Record(
        "access", f"{array} {kind} {column}", "a.py", Span(line, column, line, column + 4), array, "k"
    )
    record.know("source", array=array, kind=kind, space=space)
    return record


def reading(array, kind, line=5, space="global", entity="access", **values):
    values = values or {"requests": 7.0}
    return LineReading(entity, "k", "a.py", line, array, space, kind, values, ("told",))


def joined(records, *readings):
    return {
        one.key: {n: r.value for n, r in one.readings.items()} for one in join(records, readings, "simulated")
    }


def test_by_array_and_kind():
    records = [access("x", "load", 10), access("y", "load", 20), access("y", "store", 1)]
    assert joined(records, reading("y", "load")) == {"y load 20": {"requests": 7.0}}
    assert joined(records, reading("y", "store")) == {"y store 1": {"requests": 7.0}}


def test_an_access_written_twice_in_a_line_has_the_counts_of_both():
    records = [access("x", "load", 10), access("x", "load", 30)]
    assert set(joined(records, reading("x", "load"))) == {"x load 10", "x load 30"}


def test_shared_memory_has_no_name_in_the_machine_code():
    records = [access("tile", "load", 10, space="shared"), access("x", "load", 20)]
    found = joined(records, reading("", "load", space="shared"))
    assert set(found) == {"tile load 10"}


def test_two_tiles_in_one_line_are_not_told_apart_so_neither_is_given_the_counts():
    records = [access("tile", "load", 10, space="shared"), access("other", "load", 20, space="shared")]
    found = joined(records, reading("", "load", space="shared"))
    assert "tile load 10" not in found and "other load 20" not in found


def test_tiles_with_other_conflicts_are_told_apart_by_these():
    one, other = access("s", "load", 10, space="shared"), access("t", "load", 20, space="shared")
    one.know("source", bank_conflict_ways=8.0)
    other.know("source", bank_conflict_ways=1.0)
    eight = reading("_cudapy_smem_1", "load", space="shared", bank_conflict_ways=8.0, wavefront_share=0.8)
    one_way = reading("_cudapy_smem_2", "load", space="shared", bank_conflict_ways=1.0)
    found = joined([one, other], eight, one_way)
    assert found["s load 10"]["wavefront_share"] == 0.8
    assert found["t load 20"] == {"bank_conflict_ways": 1.0}
    # With conflicts of both, or of one that is not known, each may be the other's.
    other.know("source", bank_conflict_ways=8.0)
    assert not {"s load 10", "t load 20"} & joined([one, other], eight).keys()
    unknown = access("u", "load", 30, space="shared")
    assert not {"s load 10", "u load 30"} & joined([one, unknown], eight).keys()


def test_a_line_of_another_kernel_gets_nothing():
    record = access("x", "load", 10)
    other = Record("access", "key", "a.py", Span(5), "x", "another kernel")
    assert set(joined([record, other], reading("x", "load"))) == {"x load 10"}


def test_a_defect_stands_at_the_access_of_its_kind():
    records = [access("x", "load", 20), access("tile", "store", 1, space="shared")]
    (defect,) = join(records, [reading("", "race", entity="defect", access="store")], "simulated")
    assert (defect.entity, defect.span.column) == ("defect", 1)


def test_loops_and_operations_are_told_of_the_machine_code_of_their_lines():
    loop, power = (Record(entity, entity, "a.py", Span(5), "", "k") for entity in ("loop", "operation"))
    elsewhere = Record("operation", "elsewhere", "a.py", Span(6), "", "k")
    line = Record("line", "line", "a.py", Span(5), "", "k")
    line.know("compiled", instructions=12.0)
    found = {one.key: one for one in line_code_records([loop, power, elsewhere], [line])}
    assert {key: {name: r.value for name, r in one.readings.items()} for key, one in found.items()} == {
        "loop": {"head_instructions": 12.0},
        "operation": {"line_instructions": 12.0},
    }
    assert {r.source for one in found.values() for r in one.readings.values()} == {"compiled"}


def alike(array, column, **known):
    record = access(array, "load", column)
    record.know("source", **known)
    return record


@pytest.mark.parametrize(
    ("row", "one", "counted", "kept"),
    [
        # Boxes of two threads in one line: 8 sectors and 1, of which the line's mean is 4.5.
        (8, 1, 4.5, True),
        (8, 1, 4.3, True),
        # The count says something else than the source: its mean is nearer to the truth than either.
        (8, 1, 8.0, False),
        # The accesses are alike, so that the mean is the number of each.
        (8, 8, 8.0, False),
        (8, 8, 4.5, False),
        # The source does not know one of them.
        (8, None, 4.5, False),
    ],
)
def test_the_mean_of_a_line_is_given_to_none_of_accesses_that_differ(row, one, counted, kept):
    records = [alike("x", 10, sectors_per_request=row), alike("x", 20, sectors_per_request=one)]
    told = reading("x", "load", sectors_per_request=counted, ideal_sectors_per_request=1.5, requests=64.0)
    found = joined(records, told)
    given = {"requests"} if kept else {"requests", "sectors_per_request", "ideal_sectors_per_request"}
    assert [set(values) for values in found.values()] == [given, given]


def test_ways_of_two_accesses_of_one_line():
    records = [alike("t", 10, bank_conflict_ways=1), alike("t", 20, bank_conflict_ways=3)]
    found = joined(records, reading("t", "load", bank_conflict_ways=2.0, requests=64.0))
    assert [set(values) for values in found.values()] == [{"requests"}, {"requests"}]
