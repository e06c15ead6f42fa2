"""What was counted of statements, told at the statements as they stand now."""

from __future__ import annotations

from advisor.evidence.simulated.launches.readings.array_statement_readings import (
    array_statement_records,
    counted_lines,
)
from advisor.evidence.simulated.launches.recording.statement_text import statements
from advisor.evidence.simulated.launches.store import ArrayStatementRow, StatementCounts
from advisor.model.records import Record

TEXT = """\
def step(x):
    y = (x * 2
         + 1)
    return y * 3

for _ in range(3):
    x = step(x)
"""


def row(line: int, text: str = TEXT, path: str = "main.py", **counts: int) -> ArrayStatementRow:
    return ArrayStatementRow(path, line, statements(text)[line].text_hash, StatementCounts(**counts))


def records(text: str, *rows: ArrayStatementRow) -> list[Record]:
    return list(array_statement_records("src/main.py", text, "main.py", rows, "Counted."))


def test_shares_are_those_of_the_run_and_of_the_function():
    first, second = records(
        TEXT,
        row(
            2,
            launches=6,
            bytes=300,
            elementwise_bytes=200,
            intermediate_bytes=50,
            evaluations=3,
            elementwise=2,
        ),
        row(4, launches=3, bytes=100, evaluations=3),
        row(7, path="other.py", launches=1, bytes=400),
    )
    assert (first.path, first.span.line, first.span.column, first.span.end_line) == ("src/main.py", 2, 5, 3)
    assert first.value("intermediate_share") == 0.25
    assert (first.value("bytes_share"), second.value("bytes_share")) == (300 / 800, 100 / 800)
    assert first.value("function_bytes_share") == second.value("function_bytes_share") == 0.5
    assert first.value("function_launches_share") == 0.9
    assert first.readings["launches"].assumptions == ("Counted.",)


def test_processes_of_a_run_are_added():
    (only,) = records(
        TEXT,
        row(2, launches=6, evaluations=3, intermediates=2, reads=2, launches_before_reads=10),
        row(2, launches=2, evaluations=1, intermediates=3, reads=2, launches_before_reads=2),
    )
    assert (only.value("launches"), only.value("evaluations"), only.value("intermediates")) == (8, 4, 3)
    assert (only.value("reads"), only.value("launches_for_each_read")) == (4, 3)


def test_a_statement_that_moved_is_found():
    (only,) = records("import cupy\n\n" + TEXT, row(4, launches=3))
    assert only.span.line == 6


def test_of_equal_statements_the_nearest_is_meant():
    twice = TEXT + "\ndef other(y):\n    return y * 3\n"
    first, second = records(twice, row(4, twice, launches=3), row(10, twice, launches=5))
    assert [(one.span.line, one.value("launches")) for one in (first, second)] == [(4, 3), (10, 5)]


def test_a_statement_that_changed_is_left_out():
    assert records(TEXT.replace("* 3", "* 4"), row(4, launches=3)) == []


def test_what_cannot_be_read_has_no_statements():
    assert records("def step(:\n", row(4, launches=3)) == []


def test_records_of_the_source_learn_that_their_lines_were_counted():
    statement, read = records(TEXT, row(2, launches=6), row(4, reads=2, launches_before_reads=2))
    assert [(one.entity, one.line) for one in counted_lines(statement)] == [
        ("expression", 2),
        ("expression", 3),
    ]
    assert [(one.entity, one.line) for one in counted_lines(read)] == [
        ("synchronisation", 4),
        ("transfer", 4),
    ]


def test_a_compound_statement_is_its_head():
    text = "while (x\n       > 1):\n    x = x / 2\nelse:\n    x = 3\n"
    found = statements(text)
    assert [found[line].span.line for line in (1, 2, 3, 5)] == [1, 1, 3, 5]
    assert found[1].span.end_line == 2
    assert statements("if x: y = 1\n")[1].text_hash == statements("\nif x: y = 1\n")[2].text_hash
