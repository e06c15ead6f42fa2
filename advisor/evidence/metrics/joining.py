"""Readings of whole lines given to the records that stand there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from advisor.model.records import LineReading, Record, Source, Value
from advisor.model.text.source_text import Span

_Place = tuple[str, str, str, int]
# Entities whose records are made here when no other source knows of one at that line.
_STANDING_ALONE = frozenset(
    {"access", "atomic", "defect", "triton_access", "triton_defect", "triton_exchange"}
)
# Entities whose records of a line are told apart by whether they load or store.
_LOADS_AND_STORES = frozenset({"access", "triton_access"})

# What a request does, each with what is told with it. Readings of a line have the mean of its accesses.
_OF_ONE_ACCESS = (("sectors_per_request", "ideal_sectors_per_request"), ("bank_conflict_ways",))
_ALIKE = 0.9


def join(records: Iterable[Record], readings: Sequence[LineReading], source: Source) -> list[Record]:
    """New records that carry the readings of lines, with the keys of the records that stand there."""
    known: dict[_Place, list[Record]] = {}
    spans: dict[tuple[str, int], list[Record]] = {}
    for record in records:
        spans.setdefault((record.path, record.span.line), []).append(record)
        place = (record.entity, record.owner or "", record.path, record.span.line)
        known.setdefault(place, []).append(record)
    found: list[Record] = []
    for reading in readings:
        here = known.get((reading.entity, reading.kernel, reading.path, reading.line), [])
        chosen = _chosen(here, reading)
        if not chosen and reading.entity in _STANDING_ALONE and not (here and reading.kind == "update"):
            chosen = [_alone(reading, spans.get((reading.path, reading.line), []), source)]
        apart = _told_apart(chosen, reading)
        for record in chosen:
            copy = Record(record.entity, record.key, record.path, record.span, record.label, record.owner)
            values = {metric: value for metric, value in reading.values.items() if metric not in apart}
            copy.know(source, reading.assumptions, **values)
            copy.may_be(**reading.most)
            found.append(copy)
    return found


def _chosen(here: Sequence[Record], reading: LineReading) -> list[Record]:
    """The records of a line that a reading is of: by array and kind, else by space if one array is left."""
    kinds = reading.kind if reading.entity in _LOADS_AND_STORES else None
    alike = [one for one in here if kinds is None or one.value("kind") in (kinds, None)]
    if not reading.array and not reading.space:
        return list(alike)
    named = [one for one in alike if _array(one) == reading.array]
    if named:
        return named
    near = [one for one in alike if one.value("space") in (reading.space, "unknown", "parameter", None)]
    return near if len({_array(one) for one in near}) == 1 else _with_its_ways(near, reading)


def _array(record: Record) -> Value | None:
    """The array of an access; those of Triton are called by theirs."""
    return record.label if record.entity == "triton_access" else record.value("array")


def _with_its_ways(records: Sequence[Record], reading: LineReading) -> list[Record]:
    """Of accesses to several shared arrays, which have no names in the machine code, those to the one array
    whose conflicts, as the source has them, are those of the reading; none where that fits no one alone.
    """
    ways = reading.values.get("bank_conflict_ways")
    own = [(one, one.value("bank_conflict_ways")) for one in records]
    if ways is None or any(value is None for _, value in own):
        return []
    fitting = [one for one, value in own if value is not None and _alike(float(value), float(ways))]
    return fitting if len({one.value("array") for one in fitting}) == 1 else []


def _told_apart(records: Sequence[Record], reading: LineReading) -> frozenset[str]:
    """The metrics that are left to each record of a line, since the line's value is that of none of them.

    So it is where their own values are different and have the line's as their mean: a count that confirms
    them cannot say more than that.
    """
    for metrics in _OF_ONE_ACCESS:
        whole = reading.values.get(metrics[0])
        values = [one.value(metrics[0]) for one in records]
        if whole is None or not values or any(one is None for one in values):
            continue
        known = [float(one) for one in values if one is not None]
        if not _alike(min(known), max(known)) and _alike(float(whole), sum(known) / len(known)):
            return frozenset(metrics)
    return frozenset()


def _alike(one: float, other: float) -> bool:
    return min(one, other) >= _ALIKE * max(one, other)


def _span(reading: LineReading, here: Sequence[Record]) -> Span:
    """Where a line's reading is shown: at the access of its array, else at what else is known of the line."""
    found = [one for one in here if one.entity in ("access", "atomic", "barrier", "line", "triton_access")]
    kind = reading.values.get("access", reading.kind)
    found.sort(
        key=lambda one: (
            one.value("array") != reading.array, one.entity == "line", one.value("kind") != kind,
        )
    )  # fmt: skip
    return found[0].span if found else Span(reading.line)


def _alone(reading: LineReading, here: Sequence[Record], source: Source) -> Record:
    label = reading.array or reading.space or reading.kind
    key = f"{reading.kernel}:{reading.path}:{reading.line}:{label}:{reading.kind}:{reading.entity}"
    record = Record(reading.entity, key, reading.path, _span(reading, here), label, reading.kernel)
    if reading.entity == "access":
        record.know(source, reading.assumptions, array=label, space=reading.space, kind=reading.kind)
    return record
