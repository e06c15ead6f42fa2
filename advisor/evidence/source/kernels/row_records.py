"""Records of rows: parts of an array that a kernel hands to a device function, one for each argument."""

from __future__ import annotations

from advisor.evidence.source.kernel_walk.kernel_facts import Access, KernelFacts
from advisor.model.records import Record

_PATTERN = (
    "lane_axis", "lane_stride", "sectors_per_request", "ideal_sectors_per_request", "record_fields",
    "itemsize", "single_thread", "space", "fast_axis_thread", "exchanged_sectors_per_request",
    "exchange", "exchange_moves_problem", "used_together", "traffic_share", "sparse",
    "block_assumed", "outweighed_by_copies", "empty_by_default",
)  # fmt: skip


def row_records(facts: KernelFacts, accesses: list[Record], kernel: str) -> list[Record]:
    """One record for each row, with the pattern of the accesses that the function makes to it.

    `accesses` are the records of `facts.accesses`, in that order. Of several patterns the worst counts.
    """
    found: dict[object, tuple[Access, Record]] = {}
    for access, record in zip(facts.accesses, accesses, strict=True):
        if access.row is None:
            continue
        key = (id(access.row.place.node), id(access.array))
        known = found.get(key)
        worse = known is None or _sectors(record) > _sectors(known[1])
        found[key] = (access, record if worse or known is None else known[1])
    return [_record(*one, kernel) for one in found.values()]


def _sectors(record: Record) -> float:
    reading = record.readings.get("sectors_per_request")
    return float(reading.value) if reading is not None and isinstance(reading.value, int | float) else 0.0


def _record(access: Access, worst: Record, kernel: str) -> Record:
    row = access.row
    assert row is not None
    module, node = row.place.module, row.place.node
    line, column = getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
    record = Record(
        "row", f"{kernel}:{module.path}:{line}:{column}:{access.array.name}:row", module.path,
        module.span(node), access.array.name, kernel,
    )  # fmt: skip
    for name in _PATTERN:
        reading = worst.readings.get(name)
        if reading is not None:
            record.readings[name] = reading
    record.know("source", array=access.array.name, function=row.function)
    return record
