"""The NVTX ranges that launches stand in: those open on the launching thread when it made the call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from advisor.evidence.measured.reports.reading.sqlite_tables import Export
from advisor.evidence.measured.reports.timelines.thread_ranges import Names, ThreadRanges

_RANGES = "NVTX_EVENTS"
# NvtxPushPopRange and NvtxStartEndRange; a range that another thread ends does not enclose this one's calls.
_NESTED, _ACROSS = 59, 60
# globalTid is hardware, machine, process and thread, the last two of 24 bits; globalPid lacks the thread.
_THREAD_BITS = 24
# Nanoseconds by which the clocks of host and device may differ.
_APART = 10_000_000
# Launches that wait for the device: a queue holds some thousand.
_MOST_WAITING = 200_000

_Key = tuple[int | None, int]
# Begin, correlation and thread.
_Call = tuple[int, int, int]


class LaunchRanges:
    """The ranges around the calls that launched kernels; kernels have to come in the order of their begin.

    Calls are read as kernels ask for them, so that only launches that wait for the device are kept.
    """

    def __init__(self, ranges: ThreadRanges, calls: Iterator[_Call], with_process: bool) -> None:
        self._ranges, self._calls, self._with_process = ranges, calls, with_process
        self._following = next(calls, None)
        self._waiting: dict[_Key, Names] = {}

    def around(self, process: int | None, correlation: int | None, start: int) -> Names:
        """The ranges, outermost first, around the launch of a kernel that began at `start`."""
        while self._following is not None and self._following[0] <= start + _APART:
            self._take(*self._following)
            self._following = next(self._calls, None)
        if correlation is None:
            return ()
        return self._waiting.get((process if self._with_process else None, correlation), ())

    def _take(self, start: int, correlation: int, thread: int) -> None:
        names = self._ranges.around(thread, start)
        if not names:
            return
        process = thread >> _THREAD_BITS << _THREAD_BITS if self._with_process else None
        # A call of the runtime encloses that of the driver, and begins before it.
        self._waiting.setdefault((process, correlation), names)
        if len(self._waiting) > _MOST_WAITING:
            del self._waiting[next(iter(self._waiting))]


def ranges_of_launches(export: Export, kernels: str, calls: Sequence[str]) -> LaunchRanges | None:
    """What tells the ranges around launches; None without any ranges."""
    ranges = _ranges(export)
    tables = [table for table in calls if {"correlationId", "globalTid"} <= set(export.tables.get(table, ()))]
    if not ranges or not tables or "correlationId" not in export.tables[kernels]:
        return None
    return LaunchRanges(
        ranges, export.launching_calls(tables, kernels), "globalPid" in export.tables[kernels]
    )


def _ranges(export: Export) -> ThreadRanges:
    ranges = ThreadRanges()
    if _RANGES not in export.tables:
        return ranges
    columns = ("start", "end", "text", "textId", "eventType", "globalTid", "endGlobalTid")
    for start, end, text, number, kind, thread, end_thread in export.rows(_RANGES, columns):
        name = text if isinstance(text, str) and text else export.text(number)
        nested = kind is None or kind == _NESTED or (kind == _ACROSS and end_thread in (None, 0, thread))
        if end is not None and end > start and name and nested and thread is not None:
            ranges.add(thread, start, end, name)
    return ranges
