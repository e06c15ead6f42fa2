"""The NVTX ranges that launches stand in: those open on the launching thread when it made the call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from advisor.evidence.measured.reports.reading.sqlite_tables import Export
from advisor.evidence.measured.reports.thread_ranges import Names, ThreadRanges

_RANGES = "NVTX_EVENTS"
# NvtxPushPopRange and NvtxStartEndRange; a range that another thread ends does not enclose this one's calls.
_NESTED, _ACROSS = 59, 60
# globalTid is hardware, machine, process and thread, the last two of 24 bits; globalPid lacks the thread.
_THREAD_BITS = 24


def ranges_of_launches(
    export: Export, kernels: str, calls: Sequence[str]
) -> Mapping[tuple[int | None, int | None], Names] | None:
    """The ranges, outermost first, by process and correlation of the launch; None without any ranges.

    The process is None where kernels do not tell theirs.
    """
    ranges = _ranges(export)
    tables = [table for table in calls if {"correlationId", "globalTid"} <= set(export.tables.get(table, ()))]
    if not ranges or not tables or "correlationId" not in export.tables[kernels]:
        return None
    with_process = "globalPid" in export.tables[kernels]
    launched = {row[0] for row in export.rows(kernels, ("correlationId",))}
    found: dict[tuple[int | None, int | None], Names] = {}
    for table in tables:
        moments: list[tuple[int, int, int]] = []
        keys: list[tuple[int | None, int | None]] = []
        for start, correlation, thread in export.rows(table, ("start", "correlationId", "globalTid")):
            if correlation in launched:
                moments.append((thread, start, len(keys)))
                process = thread >> _THREAD_BITS << _THREAD_BITS if with_process else None
                keys.append((process, correlation))
        for number, names in ranges.enclosing(moments).items():
            found.setdefault(keys[number], names)
    return found


def _ranges(export: Export) -> ThreadRanges:
    ranges = ThreadRanges()
    if _RANGES not in export.tables:
        return ranges
    columns = ("start", "end", "text", "textId", "eventType", "globalTid", "endGlobalTid")
    for start, end, text, number, kind, thread, end_thread in export.rows(_RANGES, columns):
        name = text or export.text(number)
        nested = kind is None or kind == _NESTED or (kind == _ACROSS and end_thread in (None, 0, thread))
        if end is not None and end > start and name and nested and thread is not None:
            ranges.add(thread, start, end, name)
    return ranges
