"""What each statement of a program lets an array library do: its kernels, what these hand on, values read.

The operations of one statement run at growing places of the bytecode. Where one begins again, the
statement is evaluated again; this is taken so, too, where one operation launches several kernels, for a
program cannot change what its library hands on. An array that one element-wise operation stores and another
one of the same evaluation loads is an intermediate: no name holds it, and in one kernel for both it would
stay in a register.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from advisor.evidence.simulated.driver.executor import ArrayOperation, CodePoint, LaunchNote, Place
from advisor.evidence.simulated.launches.function_text import read_source
from advisor.evidence.simulated.launches.outcome import Outcome
from advisor.evidence.simulated.launches.recording.statement_text import Statement, statements
from advisor.evidence.simulated.launches.store import ArrayStatementRow, StatementCounts
from advisor.evidence.simulated.simt.counts import Statistics, total

# So many bytes are a few values, for which the host waits; more are data.
_VALUE_BYTES = 64

_Place = tuple[str, Statement]


@dataclass
class _Evaluation:
    """One evaluation of a statement that goes on: arrays that are stored in it, with their bytes."""

    frame: int
    instruction: int
    stored: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)
    handing_on: set[int] = field(default_factory=set)
    intermediates: int = 0


@dataclass
class _OfStatement:
    counts: StatementCounts = field(default_factory=StatementCounts)
    evaluations: dict[int, _Evaluation] = field(default_factory=dict)


class ArrayStatements:
    """Counts what statements do in one process; `relative` gives the record's name of a file."""

    def __init__(self, relative: Callable[[str], str]) -> None:
        self._relative = relative
        self._found: dict[_Place, _OfStatement] = {}
        self._texts: dict[str, dict[int, Statement]] = {}
        self._since_read = 0
        self._lock = threading.Lock()

    def launched(self, outcome: Outcome) -> None:
        """Count a launch, be it a library's or of another kernel."""
        note, counted = outcome.note, outcome.statistics
        with self._lock:
            self._since_read += 1
            if not note.library or counted is None or note.point is None:
                return
            here = self._at((note.launch_file, note.launch_line))
            if here is not None:
                _count(here, note, note.point, counted)

    def read(self, size: int, place: Place) -> None:
        """Count a copy to the host by a library, where it is a value for which new work is waited for."""
        with self._lock:
            launches, self._since_read = self._since_read, 0
            here = self._at(place) if launches and size <= _VALUE_BYTES else None
            if here is not None:
                here.counts.reads += 1
                here.counts.launches_before_reads += launches

    def rows(self) -> list[ArrayStatementRow]:
        """What was counted since the last call."""
        with self._lock:
            found, self._found = self._found, {}
        return [
            ArrayStatementRow(file, one.span.line, one.text_hash, of.counts)
            for (file, one), of in found.items()
        ]

    def _at(self, place: Place) -> _OfStatement | None:
        file, line = place
        if file is None or line is None:
            return None
        if file not in self._texts:
            self._texts[file] = statements(read_source(Path(file)) or "")
        statement = self._texts[file].get(line)
        if statement is None:
            return None
        return self._found.setdefault((self._relative(file), statement), _OfStatement())


def _count(here: _OfStatement, note: LaunchNote, point: CodePoint, counted: Statistics) -> None:
    moved = total(counted.accesses, "bytes", "global")
    counts, thread = here.counts, threading.get_ident()
    counts.launches += 1
    counts.bytes += moved
    now = here.evaluations.get(thread)
    if now is None or now.frame != point.frame or point.instruction <= now.instruction:
        now = here.evaluations[thread] = _Evaluation(point.frame, point.instruction)
        counts.evaluations += 1
    now.instruction = point.instruction
    if note.operation is not None:
        counts.elementwise_bytes += moved
        _hand_on(now, counts, note.operation, counted)


def _hand_on(
    now: _Evaluation, counts: StatementCounts, operation: ArrayOperation, counted: Statistics
) -> None:
    """Note which arrays an operation takes from those before it in the evaluation, and which it stores."""
    for one in operation.loads:
        earlier = now.stored.pop((one.address, one.elements), None)
        if earlier is not None:
            instruction, stored = earlier
            now.intermediates += 1
            now.handing_on |= {instruction, now.instruction}
            counts.intermediate_bytes += 2 * stored
    counts.intermediates = max(counts.intermediates, now.intermediates)
    counts.elementwise = max(counts.elementwise, len(now.handing_on))
    written = sum(one.bytes for one in counted.accesses if one.space == "global" and one.kind == "store")
    for one in operation.stores:
        now.stored[one.address, one.elements] = now.instruction, written // len(operation.stores)
        counts.elements = max(counts.elements, one.elements)
