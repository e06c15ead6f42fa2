"""The NVTX ranges that launches stand in: those open on the launching thread when it made the call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from advisor.measured.reports.sqlite_tables import Export

_RANGES = "NVTX_EVENTS"
# NvtxPushPopRange and NvtxStartEndRange; a range that another thread ends does not enclose this one's calls.
_NESTED, _ACROSS = 59, 60
# globalTid is hardware, machine, process and thread, the last two of 24 bits; globalPid the same without thread.
_THREAD_BITS = 24
Ranges = tuple[str, ...]


def ranges_of_launches(
    export: Export, kernels: str, calls: Sequence[str]
) -> Mapping[tuple[int | None, int | None], Ranges] | None:
    """The ranges, outermost first, by process and correlation of the launch; None without any ranges.

    The process is None where kernels do not tell theirs.
    """
    by_thread = _by_thread(export)
    tables = [table for table in calls if {"correlationId", "globalTid"} <= set(export.tables.get(table, ()))]
    if not by_thread or not tables or "correlationId" not in export.tables[kernels]:
        return None
    with_process = "globalPid" in export.tables[kernels]
    launched = {row[0] for row in export.rows(kernels, ("correlationId",))}
    found: dict[tuple[int | None, int | None], Ranges] = {}
    kept: dict[Ranges, Ranges] = {}
    for table in tables:
        threads: dict[int, list[tuple[int, int]]] = {}
        for start, correlation, thread in export.rows(table, ("start", "correlationId", "globalTid")):
            if correlation in launched and thread in by_thread:
                threads.setdefault(thread, []).append((start, correlation))
        for thread, launches in threads.items():
            process = thread >> _THREAD_BITS << _THREAD_BITS if with_process else None
            for correlation, ranges in _enclosing(by_thread[thread], sorted(launches)):
                if ranges:
                    found.setdefault((process, correlation), kept.setdefault(ranges, ranges))
    return found


def _by_thread(export: Export) -> dict[int, list[tuple[int, int, str]]]:
    if _RANGES not in export.tables:
        return {}
    found: dict[int, list[tuple[int, int, str]]] = {}
    columns = ("start", "end", "text", "textId", "eventType", "globalTid", "endGlobalTid")
    for start, end, text, number, kind, thread, end_thread in export.rows(_RANGES, columns):
        name = text or export.text(number)
        nested = kind is None or kind == _NESTED or (kind == _ACROSS and end_thread in (None, 0, thread))
        if end is not None and end > start and name and nested and thread is not None:
            found.setdefault(thread, []).append((start, end, name))
    for ranges in found.values():
        # Of two that begin together the longer one is outside.
        ranges.sort(key=lambda one: (one[0], -one[1]))
    return found


def _enclosing(
    ranges: Sequence[tuple[int, int, str]], launches: Sequence[tuple[int, int]]
) -> list[tuple[int, Ranges]]:
    """The names of the ranges around each launch; both come in order of their beginnings."""
    open_ranges: list[tuple[int, int, str]] = []
    at, found = 0, []
    for time, correlation in launches:
        while at < len(ranges) and ranges[at][0] <= time:
            open_ranges.append(ranges[at])
            at += 1
        open_ranges = [one for one in open_ranges if one[1] > time]
        found.append((correlation, tuple(name for _, _, name in open_ranges)))
    return found
