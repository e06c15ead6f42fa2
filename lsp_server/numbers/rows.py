"""Rows of an analysis's tables, with the source of each value."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from advisor.evidence.metrics.tables import Table
from advisor.model.records import Source, Value
from advisor.model.text.source_text import Span

# Said of a value that the present text has not been asked for yet.
BEFORE_EDIT = "before the edit"


@dataclass(frozen=True)
class Row:
    """One record of a table; a metric that is not known has no value, whatever is asked for.

    What only a compiler or a run can tell is taken from `before`, the same record of the text before it was
    edited, as long as nothing newer is known. `place` is set of a record that is itself from before the edit:
    where it would stand now.
    """

    table: Table
    number: int
    before: Row | None = None
    place: Span | None = None

    @property
    def entity(self) -> str:
        """The entity: access, kernel, launch …"""
        return self.table.entity

    @property
    def label(self) -> str:
        """What the record is called: a kernel's name, the array of an access."""
        return self.table.labels[self.number]

    @property
    def key(self) -> str:
        """What the record is known by in its table."""
        return self.table.keys[self.number]

    @property
    def path(self) -> str:
        """The file that the record stands in."""
        return self.table.paths[self.number]

    @property
    def span(self) -> Span:
        """The record's place in its file."""
        return self.place or self.table.spans[self.number]

    def source(self, metric: str) -> Source | None:
        """The source that gave the metric's value, None where it is unknown."""
        row = self._knowing(metric)
        return None if row is None else row.table.columns[metric].source(row.number)

    def from_before(self, metric: str) -> bool:
        """Whether the metric's value is that of the text before an edit."""
        row = self._knowing(metric)
        return row is not None and (row is not self or self.place is not None)

    def told(self, metric: str) -> str:
        """The source of the metric's value in words, empty where it is unknown."""
        source = self.source(metric) or ""
        return f"{source}, {BEFORE_EDIT}" if self.from_before(metric) else source

    def value(self, metric: str) -> Value | None:
        """The metric's value, truth values as 0 and 1; None where it is unknown."""
        row = self._knowing(metric)
        if row is None:
            return None
        value = row.table.columns[metric].values[row.number]
        return value if isinstance(value, str) else float(value)

    def amount(self, metric: str) -> float | None:
        """The value of a metric that is a number."""
        value = self.value(metric)
        return None if isinstance(value, str) else value

    def most(self, metric: str) -> float | None:
        """What the metric may be at the most where that is more than its value, None where it is not."""
        row = self._knowing(metric)
        return None if row is None else row.table.columns[metric].most.get(row.number)

    def text(self, metric: str) -> str:
        """The value of a metric that is a text, empty where it is unknown."""
        value = self.value(metric)
        return value if isinstance(value, str) else ""

    def holds(self, metric: str) -> bool:
        """Whether a truth value is known and true."""
        return bool(self.amount(metric))

    def assumptions(self, metrics: Iterable[str]) -> tuple[str, ...]:
        """What the values of these metrics rest on, each sentence once."""
        told: dict[str, None] = {}
        for metric in metrics:
            row = self._knowing(metric)
            if row is not None:
                told |= dict.fromkeys(row.table.columns[metric].assumptions.get(row.number, ()))
        return tuple(told)

    def without_source(self) -> bool:
        """Whether the source says nothing of the record: only a compiler or a run has found it."""
        return all(column.source(self.number) != "source" for column in self.table.columns.values())

    def moved(self, place: Span) -> Row:
        """The record as one from before the edit, which would stand there now."""
        return replace(self, place=place)

    def _knowing(self, metric: str) -> Row | None:
        """This record or the same one of an earlier text, whichever knows the metric; None where none does.

        Of what the source says nothing is taken from an earlier text: it is read at every edit.
        """
        row: Row | None = self
        while row is not None:
            column = row.table.columns.get(metric)
            source = None if column is None else column.source(row.number)
            if source is not None and (row is self or source != "source"):
                return row
            row = row.before
        return None
