"""Entity tables: records of all sources merged into columns, with the best source of each value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from advisor.model.records import ORIGINS, Reading, Record, Source
from advisor.model.text.source_text import Span

Numbers = npt.NDArray[np.float64]
Texts = npt.NDArray[np.object_]
Rows = npt.NDArray[np.int64]

NO_SOURCE = 255
# Kernels of Numba, and of Triton.
KERNEL_ENTITIES = ("kernel", "triton_kernel")


@dataclass
class Column:
    """The values of one metric over all rows of a table.

    `values` is float64 with NaN for unknown (truth values are 0 and 1), or objects with None for unknown;
    `sources` holds for each row an index into `ORIGINS`, or NO_SOURCE; `assumptions` only the rows that
    rest on any, `most` and `least` those whose value may be larger or smaller.
    """

    values: Numbers | Texts
    sources: npt.NDArray[np.uint8]
    assumptions: dict[int, tuple[str, ...]] = field(default_factory=dict)
    most: dict[int, float] = field(default_factory=dict)
    least: dict[int, float] = field(default_factory=dict)

    def span(self, row: int) -> tuple[float, float] | None:
        """The least and the most that the value of `row` may be, None where it is the value alone."""
        if row not in self.most and row not in self.least:
            return None
        value = float(self.values[row])
        return self.least.get(row, value), self.most.get(row, value)

    def source(self, row: int) -> Source | None:
        """The source that gave the value of `row`, None where it is unknown."""
        index = int(self.sources[row])
        return None if index == NO_SOURCE else ORIGINS[index]


@dataclass
class Table:
    """All records of one entity; `owners` holds row numbers in the owning entity's table, -1 for none.

    `unread` are the rows of kernels whose text no source reads: that they own no rows of an entity says
    nothing.
    """

    entity: str
    keys: list[str]
    labels: list[str]
    paths: list[str]
    spans: list[Span]
    owners: Rows
    columns: dict[str, Column]
    unread: frozenset[int] = frozenset()

    def __len__(self) -> int:
        return len(self.keys)


Tables = dict[str, Table]


def kernel_tables(tables: Mapping[str, Table]) -> list[Table]:
    """The tables of kernels, whoever compiles them."""
    return [tables[entity] for entity in KERNEL_ENTITIES if entity in tables]


def merge_records(records: Iterable[Record]) -> dict[str, dict[str, Record]]:
    """Records by entity and key; of several readings of one metric the better source's is kept."""
    merged: dict[str, dict[str, Record]] = {}
    for record in records:
        group = merged.setdefault(record.entity, {})
        known = group.get(record.key)
        if known is None:
            group[record.key] = Record(
                record.entity,
                record.key,
                record.path,
                record.span,
                record.label,
                record.owner,
                dict(record.readings),
            )
            continue
        known.owner = known.owner or record.owner
        for metric, reading in record.readings.items():
            present = known.readings.get(metric)
            if present is None or ORIGINS.index(reading.source) >= ORIGINS.index(present.source):
                known.readings[metric] = reading if present is None else _with_least(reading, present)
    return merged


def _with_least(reading: Reading, before: Reading) -> Reading:
    """A reading in the place of a weaker one, whose smaller value launches that are made up do not exclude:
    they make up the sizes that it depends on.
    """
    if reading.source != "synthesised" or before.least is None or before.least >= float(reading.value):
        return reading
    return replace(reading, least=before.least, least_because=before.least_because)


def build_tables(
    records: Iterable[Record], owner_entity: Mapping[str, str | None], looked_for: Iterable[str] = ()
) -> Tables:
    """Tables by entity. `owner_entity` names the entity that owns each entity (access → kernel).

    An entity of `looked_for` has a table even when there are no records of it: then there are none, while a
    missing table says that no source looked.
    """
    merged = merge_records(records)
    rows_of = {entity: {key: row for row, key in enumerate(group)} for entity, group in merged.items()}
    return {
        entity: _table(entity, list(group.values()), rows_of.get(owner_entity.get(entity) or "", {}))
        for entity, group in {**{entity: {} for entity in looked_for}, **merged}.items()
    }


def _table(entity: str, records: list[Record], owner_rows: Mapping[str, int]) -> Table:
    metrics: dict[str, None] = {}
    for record in records:
        metrics.update(dict.fromkeys(record.readings))
    return Table(
        entity=entity,
        keys=[record.key for record in records],
        labels=[record.label for record in records],
        paths=[record.path for record in records],
        spans=[record.span for record in records],
        owners=np.array([owner_rows.get(record.owner or "", -1) for record in records], dtype=np.int64),
        columns={metric: _column(metric, records) for metric in metrics},
        unread=frozenset(row for row, record in enumerate(records) if record.value("text_unread")),
    )


def _column(metric: str, records: list[Record]) -> Column:
    readings = [record.readings.get(metric) for record in records]
    as_text = any(reading is not None and isinstance(reading.value, str) for reading in readings)
    values: Numbers | Texts
    if as_text:
        values = np.array([None if reading is None else reading.value for reading in readings], dtype=object)
    else:
        values = np.array([np.nan if reading is None else float(reading.value) for reading in readings])
    sources = np.array(
        [NO_SOURCE if reading is None else ORIGINS.index(reading.source) for reading in readings],
        dtype=np.uint8,
    )
    assumptions = {
        row: (*reading.assumptions, *((reading.least_because,) if reading.least_because else ()))
        for row, reading in enumerate(readings)
        if reading is not None and (reading.assumptions or reading.least_because)
    }
    most = {
        row: reading.most
        for row, reading in enumerate(readings)
        if reading is not None and reading.most is not None
    }
    least = {
        row: reading.least
        for row, reading in enumerate(readings)
        if reading is not None and reading.least is not None
    }
    return Column(values, sources, assumptions, most, least)
