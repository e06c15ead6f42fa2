"""Rows of an analysis's tables, with the source of each value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from advisor.devices import Device, find_device
from advisor.errors import AdvisorError
from advisor.metrics.tables import Table, Tables
from advisor.records import Source, Value
from advisor.text import Span
from lsp_server.analysis import Analysis


@dataclass(frozen=True)
class Row:
    """One record of a table; a metric that is not known has no value, whatever is asked for."""

    table: Table
    number: int

    @property
    def entity(self) -> str:
        """The entity: access, kernel, launch …"""
        return self.table.entity

    @property
    def label(self) -> str:
        """What the record is called: a kernel's name, the array of an access."""
        return self.table.labels[self.number]

    @property
    def span(self) -> Span:
        """The record's place in its file."""
        return self.table.spans[self.number]

    def source(self, metric: str) -> Source | None:
        """The source that gave the metric's value, None where it is unknown."""
        column = self.table.columns.get(metric)
        return None if column is None else column.source(self.number)

    def value(self, metric: str) -> Value | None:
        """The metric's value, truth values as 0 and 1; None where it is unknown."""
        if self.source(metric) is None:
            return None
        value = self.table.columns[metric].values[self.number]
        return value if isinstance(value, str) else float(value)

    def amount(self, metric: str) -> float | None:
        """The value of a metric that is a number."""
        value = self.value(metric)
        return None if isinstance(value, str) else value

    def text(self, metric: str) -> str:
        """The value of a metric that is a text, empty where it is unknown."""
        value = self.value(metric)
        return value if isinstance(value, str) else ""

    def holds(self, metric: str) -> bool:
        """Whether a truth value is known and true."""
        return bool(self.amount(metric))

    def assumptions(self, metrics: Iterable[str]) -> tuple[str, ...]:
        """What the values of these metrics rest on, each sentence once."""
        columns = (self.table.columns.get(metric) for metric in metrics)
        told = (one for column in columns if column for one in column.assumptions.get(self.number, ()))
        return tuple(dict.fromkeys(told))


def known_of(analysis: Analysis) -> Known:
    """What an analysis knows about its document."""
    return Known(analysis.tables, analysis.document.path, analysis.parsed)


@dataclass(frozen=True)
class Known:
    """What the tables know about one file, by the path that its findings carry.

    `exact` where the tables are those of the present text; else what stood on lines that have changed has no
    place of its own any more, only the beginning of a line near by.
    """

    tables: Tables
    path: str
    exact: bool = True

    def rows(self, entity: str) -> Iterator[Row]:
        """The records of an entity that have a place in the file, in the order of the table."""
        table = self.tables.get(entity)
        if table is not None:
            for number, (path, span) in enumerate(zip(table.paths, table.spans, strict=True)):
                placed = self.exact or entity == "kernel" or span != Span(span.line)
                if path == self.path and span.line >= 1 and placed:
                    yield Row(table, number)

    def owner(self, row: Row, entity: str) -> Row | None:
        """The record of another entity that a record belongs to: an access's kernel, a kernel's run."""
        table, number = self.tables.get(entity), int(row.table.owners[row.number])
        return Row(table, number) if table is not None and 0 <= number < len(table) else None

    def owned(self, entity: str, owner: Row) -> list[Row]:
        """The records of an entity that belong to another record, whatever file they stand in."""
        table = self.tables.get(entity)
        if table is None:
            return []
        return [Row(table, number) for number, own in enumerate(table.owners) if own == owner.number]

    @property
    def device(self) -> Device | None:
        """The device that the numbers are for."""
        table = self.tables.get("device")
        try:
            return find_device(table.keys[0]) if table is not None and len(table) else None
        except AdvisorError:
            return None
