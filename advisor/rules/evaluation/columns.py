"""Columns of metrics as a rule sees them: through the owners of a row, with unknown values as NaN."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import cast

import numpy as np
import numpy.typing as npt

from advisor.evidence.metrics.tables import Column, Table, Tables
from advisor.rules.checking.vocabulary import SINGLETONS

Numbers = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]
Texts = npt.NDArray[np.object_]


@dataclass
class View:
    """The rows of one table that a rule looks at, with the way to their owners.

    `variables` maps the rule's names to entities; the first is the entity itself. `start` and `stop` bound a
    block of rows.
    """

    tables: Tables
    variables: dict[str, str]
    owner_entity: dict[str, str | None]
    start: int = 0
    stop: int = 0
    _rows: dict[tuple[str, ...], Rows | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.stop:
            self.stop = self.size

    @property
    def base(self) -> str:
        """The entity that the rule looks at."""
        return next(iter(self.variables.values()))

    @property
    def size(self) -> int:
        """The number of rows of the whole table; one row stands for a table that nothing filled."""
        table = self.tables.get(self.base)
        return 1 if table is None else len(table)

    def block(self, start: int, stop: int) -> View:
        """The same view of fewer rows."""
        return View(self.tables, self.variables, self.owner_entity, start, stop)

    def __len__(self) -> int:
        return self.stop - self.start

    def locate(self, parts: tuple[str, ...]) -> tuple[str, Rows | None]:
        """The entity that a dotted name (without its metric) reaches, and for each row the row there.

        Rows are None when each row stands for itself, -1 where there is none.
        """
        first = parts[0]
        if first not in self.variables and first in SINGLETONS:
            table = self.tables.get(first)
            row = 0 if table is not None and len(table) else -1
            return self._follow(first, np.full(len(self), row, dtype=np.int64), parts[1:])
        names = list(self.variables)
        if first == names[0]:
            return self._follow(self.base, None, parts[1:])
        entity, rows = self._follow(self.base, None, self._way_up(self.variables[first]))
        return self._follow(entity, rows, parts[1:])

    def _way_up(self, entity: str) -> tuple[str, ...]:
        """The owners from the entity that the rule looks at up to another."""
        way = [self.owner_entity.get(self.base) or entity]
        while way[-1] != entity and len(way) <= len(self.owner_entity):
            way.append(self.owner_entity.get(way[-1]) or entity)
        return tuple(way)

    def _follow(self, entity: str, rows: Rows | None, path: tuple[str, ...]) -> tuple[str, Rows | None]:
        for part in path:
            table = self.tables.get(entity)
            if table is None:
                rows = np.full(len(self), -1, dtype=np.int64)
            elif rows is None:
                rows = table.owners[self.start : self.stop]
            else:
                rows = np.where(rows >= 0, table.owners[np.maximum(rows, 0)], -1) if len(table) else rows
            entity = part
        return entity, rows

    def column(self, parts: tuple[str, ...]) -> tuple[Column | None, Rows | None, Table | None]:
        """The column of a metric, the rows of it that this view reads, and its table."""
        entity, rows = self.locate(parts[:-1])
        table = self.tables.get(entity)
        return (None if table is None else table.columns.get(parts[-1])), rows, table

    def numbers(self, parts: tuple[str, ...]) -> Numbers:
        """The values of a numeric or truth metric, NaN where unknown."""
        column, rows, _ = self.column(parts)
        if column is None or column.values.dtype == object:
            return np.full(len(self), np.nan)
        values = cast("Numbers", column.values)
        if rows is None:
            return values[self.start : self.stop]
        if not len(values):
            return np.full(len(self), np.nan)
        return np.where(rows >= 0, values[np.maximum(rows, 0)], np.nan)

    def texts(self, parts: tuple[str, ...]) -> Texts:
        """The values of a text metric, None where unknown."""
        column, rows, _ = self.column(parts)
        if column is None or column.values.dtype != object:
            return np.full(len(self), None, dtype=object)
        values = cast("Texts", column.values)
        if rows is None:
            return values[self.start : self.stop]
        found: Texts = (
            values[np.maximum(rows, 0)].copy() if len(values) else np.full(len(self), None, dtype=object)
        )
        found[rows < 0] = None
        return found

    def row_of(self, parts: tuple[str, ...], position: int) -> tuple[Table | None, int]:
        """The table and row that a dotted name without metric reaches from one row, -1 for none."""
        entity, rows = self.locate(parts)
        row = self.start + position if rows is None else int(rows[position])
        return self.tables.get(entity), row
