"""What all sources know, as a fix looks at it: the rows of the kernel that a finding is about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from advisor.evidence.metrics.tables import Table, Tables
from advisor.model.findings import Finding
from advisor.model.records import Value
from advisor.model.text.source_text import Span


@dataclass(frozen=True)
class Row:
    """A record: what it is called (an access: its array), its place, and the values that are known of it."""

    label: str
    path: str
    span: Span
    values: Mapping[str, Value] = field(default_factory=dict)
    number: int = -1

    @property
    def block(self) -> tuple[int | None, int | None, int | None]:
        """The threads of a launch's block along x, y and z, None where they are not known."""
        x, y, z = (self.values.get(f"block_{axis}") for axis in "xyz")
        return _count(x), _count(y), _count(z)


def _count(value: Value | None) -> int | None:
    return int(value) if isinstance(value, float) else None


class KnownFacts:
    """The tables of a check, read by kernel."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._rows: dict[tuple[int, int], Row] = {}
        self._rows_by_place: dict[str, dict[tuple[str, Span], list[int]]] = {}

    @cached_property
    def device(self) -> Row | None:
        """The device that the numbers were computed for."""
        table = self._tables.get("device")
        return self._row(table, 0) if table is not None and len(table) else None

    def kernel_of(self, finding: Finding) -> Row | None:
        """The kernel that a finding is about, None where it is about none or the name stands for several.

        A finding at a launch is about the kernel that is launched.
        """
        kernels = self._tables.get("kernel")
        if kernels is None:
            return None
        numbers = self._owners_at(finding)
        if not numbers and finding.kernel is not None:
            alike = [number for number, label in enumerate(kernels.labels) if label == finding.kernel]
            here = [number for number in alike if kernels.paths[number] == finding.path]
            numbers = set(here or alike)
        return self._row(kernels, numbers.pop()) if len(numbers) == 1 else None

    def may_know_kernel(self, finding: Finding) -> bool:
        """False where `kernel_of` gives None, and no launch of a known kernel stands at the place."""
        kernels = self._tables.get("kernel")
        if kernels is None or not len(kernels):
            return False
        return finding.kernel in kernels.labels or (finding.path, finding.span) in self._by_place

    def of_kernel(self, entity: str, kernel: Row) -> list[Row]:
        """The rows of an entity that belong to a kernel, such as its launches or accesses."""
        table = self._tables.get(entity)
        if table is None:
            return []
        return [self._row(table, int(number)) for number in np.flatnonzero(table.owners == kernel.number)]

    def row_at(self, entity: str, finding: Finding) -> Row | None:
        """The row of an entity at a finding's place, None where there is none or more than one."""
        table = self._tables.get(entity)
        if table is None:
            return None
        if entity not in self._rows_by_place:
            by_place = self._rows_by_place[entity] = {}
            for number, place in enumerate(zip(table.paths, table.spans, strict=True)):
                by_place.setdefault(place, []).append(number)
        found = self._rows_by_place[entity].get((finding.path, finding.span), ())
        return self._row(table, found[0]) if len(found) == 1 else None

    def launches_in(self, path: str) -> list[tuple[Row, Row | None]]:
        """Every launch that stands in a file, with its kernel where that is known."""
        return [self._launch(number) for number in self._launches_by_file[0].get(path, ())]

    def launches_from(self, path: str) -> list[tuple[Row, Row | None]]:
        """Every launch, in any file, of a kernel that stands in a file."""
        return [self._launch(number) for number in self._launches_by_file[1].get(path, ())]

    def _launch(self, number: int) -> tuple[Row, Row | None]:
        launches, kernels = self._tables["launch"], self._tables["kernel"]
        owner = int(launches.owners[number])
        kernel = self._row(kernels, owner) if 0 <= owner < len(kernels) else None
        return self._row(launches, number), kernel

    @cached_property
    def _launches_by_file(self) -> tuple[dict[str, list[int]], dict[str, list[int]]]:
        """The rows of launches by their own paths, and by those of their kernels."""
        launches, kernels = self._tables.get("launch"), self._tables.get("kernel")
        where: dict[str, list[int]] = {}
        whose: dict[str, list[int]] = {}
        if launches is None or kernels is None:
            return where, whose
        for number, (path, owner) in enumerate(zip(launches.paths, launches.owners.tolist(), strict=True)):
            where.setdefault(path, []).append(number)
            if 0 <= owner < len(kernels):
                whose.setdefault(kernels.paths[owner], []).append(number)
        return where, whose

    def _owners_at(self, finding: Finding) -> set[int]:
        labels = self._tables["kernel"].labels
        place = self._by_place.get((finding.path, finding.span), ())
        return {
            owner
            for entity, owner in place
            if (finding.kernel is not None or entity == "launch") and finding.kernel in (None, labels[owner])
        }

    @cached_property
    def _by_place(self) -> dict[tuple[str, Span], list[tuple[str, int]]]:
        """Entity and row of the kernel of each record that belongs to a kernel, by path and span."""
        count = len(self._tables["kernel"])
        found: dict[tuple[str, Span], list[tuple[str, int]]] = {}
        for entity, table in self._tables.items():
            owners = range(count) if entity == "kernel" else table.owners.tolist()
            for path, span, owner in zip(table.paths, table.spans, owners, strict=True):
                if 0 <= owner < count:
                    found.setdefault((path, span), []).append((entity, owner))
        return found

    def _row(self, table: Table, number: int) -> Row:
        key = id(table), number
        if key not in self._rows:
            self._rows[key] = _read_row(table, number)
        return self._rows[key]


def _read_row(table: Table, number: int) -> Row:
    values: dict[str, Value] = {}
    for metric, column in table.columns.items():
        if column.source(number) is not None:
            value = column.values[number]
            values[metric] = value if isinstance(value, str) else float(value)
    return Row(table.labels[number], table.paths[number], table.spans[number], values, number)
