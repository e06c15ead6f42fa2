"""What was found in a text, at the lines where the same text stands now."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace

from advisor.model.findings import Problem
from advisor.model.records import Record
from advisor.model.text.source_text import Span


class LineMove:
    """How the lines of one file have moved: stretches of lines by their former first line and how far."""

    def __init__(self, path: str, stretches: Sequence[tuple[int, int]]) -> None:
        self._path = path
        self._firsts = [first for first, _ in stretches]
        self._shifts = [shift for _, shift in stretches]
        own = re.escape(path)
        # The forms of keys: path::name@line of a kernel, path:line:column of a place.
        self._in_key = re.compile(rf"({own}::[^@:]*@|(?<![^:]){own}:)(\d+)")

    @property
    def nothing(self) -> bool:
        """Whether all lines stay where they are."""
        return not any(self._shifts)

    def line(self, line: int) -> int:
        """The line where a former line is now."""
        at = bisect_right(self._firsts, line) - 1
        return line + self._shifts[at] if at >= 0 else line

    def key(self, key: str) -> str:
        """A record's key with the lines in it moved."""
        return self._in_key.sub(lambda found: f"{found[1]}{self.line(int(found[2]))}", key)

    def record(self, record: Record) -> Record:
        """A record with its place, its key and its owner's moved; the readings are shared."""
        span = record.span
        if record.path == self._path:
            span = Span(self.line(span.line), span.column, self.line(span.end_line), span.end_column)
        owner = None if record.owner is None else self.key(record.owner)
        return Record(
            record.entity, self.key(record.key), record.path, span, record.label, owner, record.readings
        )

    def place(self, place: tuple[str, int, int]) -> tuple[str, int, int]:
        """A path, line and column with the line moved."""
        path, line, column = place
        return (path, self.line(line), column) if path == self._path else place

    def problem(self, problem: Problem) -> Problem:
        """A problem at its line now."""
        return replace(problem, line=self.line(problem.line)) if problem.path == self._path else problem
