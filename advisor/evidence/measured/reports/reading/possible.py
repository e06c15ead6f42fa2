"""What a profiler can have said: a report that holds other numbers is damaged, whoever wrote it."""

from __future__ import annotations

import math
from pathlib import Path

from advisor.evidence.measured.reports.report import ImportedReport, Launches, Quantity
from advisor.model.errors import UsageError

# Times since the epoch in nanoseconds, and all counters, are 64-bit integers.
_MOST = 2.0**63
# CUDA C++ Programming Guide, "Technical Specifications per Compute Capability": of the first axis of a grid.
_MOST_BLOCKS = 2**31 - 1
_MOST_LAUNCHES = 2**53


def is_possible(number: float) -> bool:
    """Whether a report's number is finite and fits into 64 bits."""
    return math.isfinite(number) and abs(number) < _MOST


def refuse_impossible(report: ImportedReport, path: Path) -> None:
    """Raise UsageError for launches, times and values that no GPU and no profiler has."""
    for one in report.launches:
        if (fault := _fault(one)) is not None:
            raise UsageError(f"{path}: {fault}; the file is damaged.")
    for name, value in report.run.items():
        if not _is_value(value):
            raise UsageError(f"{path}: {name} is {value.value}; the file is damaged.")
    for line in report.lines:
        wrong = next((name for name, value in line.values.items() if not _is_value(value)), None)
        if wrong is not None or not 0 <= line.line <= _MOST_BLOCKS:
            raise UsageError(f"{path}: {wrong or 'the number'} of a line is none; the file is damaged.")


def _fault(one: Launches) -> str | None:
    for what, extent in (("grid", one.grid), ("block", one.block)):
        if extent is not None and not all(0 <= size <= _MOST_BLOCKS for size in extent):
            return f"a {what} of {one.name[:80]} has {' x '.join(map(str, extent))[:80]}"
    if not 0 <= one.launches < _MOST_LAUNCHES or not 0 <= one.dynamic_shared <= _MOST_BLOCKS:
        return f"{one.name[:80]} has {one.launches} launches with {one.dynamic_shared} bytes"
    if not all(is_possible(time) and time >= 0.0 for time in one.durations):
        return f"a launch of {one.name[:80]} takes {min(one.durations):g} ms"
    for values in one.values:
        for name, value in values.items():
            if not _is_value(value):
                return f"{name} of {one.name[:80]} is {value.value}"
            if name.startswith("statistics.") and not isinstance(value.value, str) and value.value < 0.0:
                return f"{name} of {one.name[:80]} is {value.value:g} ms"
    return None


def _is_value(value: Quantity) -> bool:
    return isinstance(value.value, str) or is_possible(value.value)
