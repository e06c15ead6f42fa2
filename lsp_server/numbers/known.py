"""What is known of one file: the rows of its tables, and what was known before the text was edited."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from advisor.evidence.metrics.tables import Tables
from advisor.model.devices import Device, find_device
from advisor.model.errors import AdvisorError
from advisor.model.text.source_text import Span
from lsp_server.analysis.checked_text import Analysis
from lsp_server.analysis.stale_results import Moved, line_move, moved_span
from lsp_server.numbers.rows import Row

_Identity = tuple[object, ...]
# The lines and columns in the key of a record.
_NUMBERS = re.compile(r"(?<=[@:])\d+")
# Of these the numbers of the text before an edit are worth having.
_FILLED = ("kernel", "access", "atomic", "barrier", "branch", "line", "launch")


def known_of(analysis: Analysis) -> Known:
    """What an analysis knows about its document, and what was known before the last edits."""
    path, former = analysis.document.path, analysis.former
    if former is None or former.device != analysis.device or former.document.path != path:
        return Known(analysis.tables, path, analysis.parsed)
    moved = line_move(former.document.source.lines, analysis.document.source.lines)
    return Known(analysis.tables, path, analysis.parsed, Before(known_of(former), path, moved))


@dataclass(frozen=True)
class Before:
    """What was known of an earlier text of a file, and where the lines of that are now."""

    known: Known
    path: str
    moved: Moved

    def rows(self, entity: str) -> Iterator[Row]:
        """The records whose lines are still there, at their present places; kernels wherever they are."""
        for row in self.known.every(entity):
            place = row.span if row.path != self.path else moved_span(row.span, self.moved)
            if place is not None or entity == "kernel":
                yield row.moved(place or row.span)


@dataclass(frozen=True)
class Known:
    """What the tables know about one file, by the path that its findings carry.

    `exact` where the tables are those of the present text; else what stood on lines that have changed has no
    place of its own any more, only the beginning of a line near by. `before` is what was known of the text
    before it was edited.
    """

    tables: Tables
    path: str
    exact: bool = True
    before: Before | None = None

    def rows(self, entity: str) -> Iterator[Row]:
        """The records of an entity that have a place in the file, in the order of the table.

        Those that no source shows follow as they were before the edit, until they are looked for again.
        """
        for row in self.every(entity):
            placed = self.exact or entity == "kernel" or row.span != Span(row.span.line)
            if row.path == self.path and row.span.line >= 1 and placed:
                yield row

    def every(self, entity: str) -> list[Row]:
        """The records of an entity in all files, as `rows` gives them."""
        found = self._rows.get(entity)
        if found is None:
            found = self._rows[entity] = self._found(entity)
        return found

    def owner(self, row: Row, entity: str) -> Row | None:
        """The record of another entity that a record belongs to: an access's kernel, a kernel's run."""
        if row.table is self.tables.get(row.entity):
            table, number = self.tables.get(entity), int(row.table.owners[row.number])
            if table is not None and 0 <= number < len(table):
                return self.every(entity)[number]
            earlier = row.before
        else:
            earlier = row
        if earlier is None or self.before is None:
            return None
        found = self.before.known.owner(earlier, entity)
        return found if found is None or entity != "kernel" else self._now(found)

    def owned(self, entity: str, owner: Row) -> list[Row]:
        """The records of an entity that belong to another record, whatever file they stand in."""
        owners = ((row, self.owner(row, owner.entity)) for row in self.every(entity))
        return [row for row, found in owners if found is not None and found.key == owner.key]

    @property
    def device(self) -> Device | None:
        """The device that the numbers are for."""
        table = self.tables.get("device")
        try:
            return find_device(table.keys[0]) if table is not None and len(table) else None
        except AdvisorError:
            return None

    @cached_property
    def _rows(self) -> dict[str, list[Row]]:
        return {}

    def _found(self, entity: str) -> list[Row]:
        table = self.tables.get(entity)
        own = [Row(table, number) for number in range(len(table))] if table is not None else []
        if self.before is None or entity not in _FILLED:
            return own
        former = _identified(self.before.rows(entity))
        found = []
        for identity, row in _identified(own).items():
            same = former.pop(identity, None)
            found.append(row if same is None else replace(row, before=same))
        # A kernel that no text shows is gone.
        return found + [row for row in former.values() if entity != "kernel" and row.without_source()]

    def _now(self, kernel: Row) -> Row:
        """The kernel of the present text that is the same as one of an earlier text, which else stays."""
        name = _without_lines(kernel)
        return next((row for row in self.every("kernel") if _without_lines(row) == name), kernel)


def _identified(rows: Iterable[Row]) -> dict[_Identity, Row]:
    """Records by what makes them the same in two texts: their keys without lines, and their places.

    A kernel is the same wherever it stands; of those with one name the first is the first.
    """
    found: dict[_Identity, Row] = {}
    seen: Counter[_Identity] = Counter()
    for row in rows:
        place = _without_lines(row), None if row.entity == "kernel" else row.span
        found[place, seen[place]] = row
        seen[place] += 1
    return found


def _without_lines(row: Row) -> str:
    return _NUMBERS.sub("", row.key)
