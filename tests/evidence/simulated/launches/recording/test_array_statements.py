"""What statements let an array library do, from launches with made-up places and arrays."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from advisor.evidence.simulated.driver.executor import (
    ArrayOperation,
    CodePoint,
    LaunchNote,
    PassedArray,
)
from advisor.evidence.simulated.launches.outcome import Outcome
from advisor.evidence.simulated.launches.recording.array_statements import ArrayStatements
from advisor.evidence.simulated.launches.store import StatementCounts
from advisor.evidence.simulated.simt.counts import AccessCounts, Statistics

TEXT = """\
y = (x * 2 + 1) / (
    x + 3
)
while y.max() > 1:
    y = y / 2
"""
ELEMENTS = 1000
X, DOUBLED, ONE_MORE, THREE_MORE, Y = (PassedArray(1 << 20 + number, ELEMENTS) for number in range(5))
FRAME = 77


class Program:
    """Notes launches as the simulated GPU does, of float32 arrays of 1,000 elements."""

    def __init__(self, file: Path) -> None:
        file.write_text(TEXT)
        self.file = str(file)
        self.statements = ArrayStatements(lambda path: Path(path).name)

    def runs(
        self,
        line: int,
        instruction: int,
        loads: tuple[PassedArray, ...],
        *stores: PassedArray,
        frame: int = FRAME,
    ) -> None:
        operation = ArrayOperation(loads, stores)
        self._launched(line, CodePoint(frame, instruction), operation, len(loads), len(stores))

    def sums(self, line: int, instruction: int) -> None:
        """A launch of the library that is no element-wise operation."""
        self._launched(line, CodePoint(FRAME, instruction), None, 1, 0)

    def _launched(
        self, line: int, point: CodePoint, operation: ArrayOperation | None, loads: int, stores: int
    ) -> None:
        note = LaunchNote(
            "cupy_add", None, None, self.file, line, (8, 1, 1), (128, 1, 1), 0, (), 0, 1,
            library="CuPy", operation=operation, point=point,
        )  # fmt: skip
        moved = {"load": 4 * ELEMENTS * loads, "store": 4 * ELEMENTS * stores}
        accesses = [AccessCounts("", 0, "", "global", kind, bytes=size) for kind, size in moved.items()]
        # What stays on the multiprocessor is no traffic.
        accesses.append(AccessCounts("", 0, "", "shared", "load", bytes=1 << 20))
        counted = Statistics((8, 1, 1), (128, 1, 1), 8, 8, 0, True, accesses=accesses)
        self.statements.launched(Outcome(note, 0.1, counted, []))

    def evaluates_the_formula(self, frame: int = FRAME) -> None:
        self.runs(1, 10, (X,), DOUBLED, frame=frame)
        self.runs(1, 20, (DOUBLED,), ONE_MORE, frame=frame)
        self.runs(2, 30, (X,), THREE_MORE, frame=frame)
        self.runs(1, 40, (ONE_MORE, THREE_MORE), Y, frame=frame)

    def counts(self) -> dict[int, StatementCounts]:
        rows = self.statements.rows()
        assert all(row.path == "main.py" for row in rows)
        return {row.line: row.counts for row in rows}


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(tmp_path / "main.py")


def test_arrays_between_the_operations_of_one_statement_are_counted(program):
    program.evaluates_the_formula()
    (counts,) = program.counts().values()
    # Four operations load 5 arrays and store 4; three of these are stored and loaded for nobody else.
    array = 4 * ELEMENTS
    assert counts == StatementCounts(
        evaluations=1, launches=4, bytes=9 * array, elementwise_bytes=9 * array, intermediate_bytes=6 * array,
        intermediates=3, elementwise=4, elements=ELEMENTS,
    )  # fmt: skip


def test_each_evaluation_has_its_own_arrays(program):
    program.evaluates_the_formula()
    program.evaluates_the_formula()
    (counts,) = program.counts().values()
    assert (counts.evaluations, counts.launches, counts.intermediates) == (2, 8, 3)
    assert counts.intermediate_bytes == 2 * 6 * 4 * ELEMENTS


def test_another_call_of_a_function_is_another_evaluation(program):
    program.runs(1, 10, (X,), DOUBLED)
    program.runs(1, 20, (DOUBLED,), ONE_MORE, frame=FRAME + 1)
    (counts,) = program.counts().values()
    assert (counts.evaluations, counts.intermediates) == (2, 0)


def test_what_is_handed_to_the_next_statement_is_no_intermediate(program):
    program.runs(1, 10, (X,), Y)
    program.runs(5, 60, (Y,), DOUBLED)
    assert [one.intermediates for one in program.counts().values()] == [0, 0]


def test_an_operation_that_repeats_is_no_chain(program):
    for _ in range(3):
        program.runs(5, 60, (Y,), Y)
    (counts,) = program.counts().values()
    assert (counts.evaluations, counts.launches, counts.intermediates) == (3, 3, 0)


def test_kernels_of_one_library_function_are_no_chain(program):
    program.runs(1, 10, (X,), DOUBLED)
    program.runs(1, 10, (DOUBLED,), ONE_MORE)
    program.runs(1, 10, (ONE_MORE,), Y)
    (counts,) = program.counts().values()
    assert (counts.intermediates, counts.intermediate_bytes) == (0, 0)


def test_a_part_of_an_array_is_not_what_was_stored(program):
    program.runs(1, 10, (X,), DOUBLED)
    program.runs(1, 20, (replace(DOUBLED, elements=ELEMENTS // 2),), ONE_MORE)
    (counts,) = program.counts().values()
    assert counts.intermediates == 0


def test_other_kernels_count_as_launches_alone(program):
    program.sums(4, 50)
    (counts,) = program.counts().values()
    assert (counts.launches, counts.bytes, counts.elementwise_bytes) == (1, 4 * ELEMENTS, 0)


def test_values_are_counted_where_new_launches_are_waited_for(program):
    here = (program.file, 4)
    for _ in range(3):
        program.runs(5, 60, (Y,), Y)
        program.sums(4, 50)
        program.statements.read(8, here)
    # Nothing was launched behind the last one.
    program.statements.read(8, here)
    counts = program.counts()[4]
    assert (counts.reads, counts.launches_before_reads) == (3, 6)


def test_a_copy_of_data_is_no_value_but_waits(program):
    program.sums(4, 50)
    program.statements.read(4 * ELEMENTS, (program.file, 4))
    program.statements.read(8, (program.file, 4))
    assert program.counts()[4].reads == 0


@pytest.mark.parametrize("place", [(None, None), ("nowhere.py", 1)])
def test_places_that_are_not_known_are_left_out(program, place):
    program.sums(4, 50)
    program.counts()
    program.statements.read(8, place)
    assert program.counts() == {}
