"""Tables of a profiler's SQLite export, of which any column may be missing in another version."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from advisor.evidence.measured.reports.reading.possible import is_possible

_TEXTS = frozenset({"demangledName", "shortName", "mangledName", "name", "label", "value", "text"})
_TIMES = frozenset({"start", "end"})


class Export:
    """A database with the names of its tables and columns; texts stand in a table of their own."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        # What names a program gave its ranges may be no UTF-8.
        connection.text_factory = lambda data: data.decode("utf-8", errors="replace")
        rows = connection.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')").fetchall()
        self.tables = {name: self._columns(name) for (name,) in rows}

    def _columns(self, table: str) -> list[str]:
        return [row[1] for row in self.connection.execute(f"PRAGMA table_info({_quoted(table)})")]

    def first_column(self, table: str, names: Sequence[str]) -> str:
        """The first of the names that the table has; the first of all where it has none."""
        return next((name for name in names if name in self.tables[table]), names[0])

    def rows(self, table: str, columns: Sequence[str], order: str = "") -> Iterator[tuple[Any, ...]]:
        """The rows with these columns, None for those that this version lacks."""
        known = self.tables[table]
        shown = ", ".join(_quoted(name) if name in known else "NULL" for name in columns)
        ordered = f" ORDER BY {_quoted(order)}" if order else ""
        where = ' WHERE "end" IS NOT NULL' if "end" in columns and "end" in known else ""
        of_numbers = [(at, name) for at, name in enumerate(columns) if name in known and name not in _TEXTS]
        for row in self.connection.execute(f"SELECT {shown} FROM {_quoted(table)}{where}{ordered}"):
            for at, name in of_numbers:
                # Whole numbers of SQLite have 64 bits at most.
                if type(row[at]) is not int:
                    _check(row[at], name)
            yield row

    def text(self, value: int | str | None) -> str:
        """The text that a number stands for in `StringIds`, or that stands there itself."""
        if value is None:
            return ""
        return value if isinstance(value, str) else str(self._texts.get(value, ""))

    @cached_property
    def _texts(self) -> dict[int, str]:
        return dict(self.rows("StringIds", ("id", "value")))

    def enumeration(self, table: str) -> dict[int, str]:
        """The names of numbers by an ENUM table, empty where the export has none."""
        if table not in self.tables:
            return {}
        name = self.first_column(table, ("name", "label"))
        return {number: str(text) for number, text in self.rows(table, ("id", name))}

    def edges(self, table: str) -> tuple[int | None, int | None]:
        """The first beginning and the last end of a table's events."""
        row = self.connection.execute(f'SELECT min(start), max("end") FROM {_quoted(table)}').fetchone()
        for at, name in enumerate(("start", "end")):
            _check(row[at], name, may_be_missing=True)
        return row[0], row[1]

    def calls(self, table: str) -> Iterator[tuple[str, int, int, int | None]]:
        """For each name of a call and thread how often it was called and the nanoseconds that took."""
        thread = "globalTid" if "globalTid" in self.tables[table] else "NULL"
        query = (
            f'SELECT nameId, count(*), sum("end" - start), {thread} FROM {_quoted(table)} '
            f'WHERE "end" IS NOT NULL GROUP BY nameId, {thread}'
        )
        if "nameId" in self.tables[table]:
            for name, number, spent, who in self.connection.execute(query):
                _check(spent, "end")
                yield self.text(name), number, spent, who

    def launching_calls(self, tables: Sequence[str], kernels: str) -> Iterator[tuple[int, int, int]]:
        """Begin, correlation and thread of the calls that launched a kernel, in order of their beginnings."""
        launched = f"SELECT correlationId FROM {_quoted(kernels)}"
        parts = [
            f"SELECT start AS begin, correlationId, globalTid FROM {_quoted(table)} "
            f"WHERE globalTid IS NOT NULL AND correlationId IN ({launched})"
            for table in tables
        ]
        query = f"{' UNION ALL '.join(parts)} ORDER BY begin"
        for begin, correlation, thread in self.connection.execute(query):
            _check(begin, "start")
            _check(correlation, "correlationId")
            _check(thread, "globalTid")
            yield begin, correlation, thread

    def stretches(self, tables: Sequence[str]) -> Iterator[tuple[int, int]]:
        """The events of several tables in order of their beginnings, on the device of the first kernel."""
        devices = [table for table in tables if "deviceId" in self.tables[table]]
        chosen = ""
        if len(devices) == len(tables):
            row = self.connection.execute(f"SELECT deviceId FROM {_quoted(tables[0])} LIMIT 1").fetchone()
            if row is not None:
                _check(row[0], "deviceId")
            chosen = f" AND deviceId = {int(row[0])}" if row is not None and row[0] is not None else ""
        parts = [
            f'SELECT start AS begin, "end" AS finish FROM {_quoted(table)} WHERE "end" IS NOT NULL{chosen}'
            for table in tables
        ]
        for begin, finish in self.connection.execute(f"{' UNION ALL '.join(parts)} ORDER BY begin"):
            if type(begin) is not int or type(finish) is not int:
                _check(begin, "start")
                _check(finish, "end")
            yield begin, finish


def _check(value: object, column: str, may_be_missing: bool = False) -> None:
    """Raise DataError for what is no number and for a missing time: in SQLite anything may stand anywhere."""
    if value is None and (may_be_missing or column not in _TIMES):
        return
    if not isinstance(value, int | float) or not is_possible(value):
        raise sqlite3.DataError(f"the column {column} holds {str(value)[:40]!r}")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
