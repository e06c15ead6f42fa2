"""CSV of AMD's rocprof and rocprofv3: sums of kernels, calls and copies (`*stats.csv`), and traces of them.

Grids are counted in work-items there; blocks of a grid are its work-items over those of a group.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

from advisor.evidence.measured.reports.cuda_calls import direction_in
from advisor.evidence.measured.reports.reading.csv_tables import rows_of
from advisor.evidence.measured.reports.reading.opening import decoded
from advisor.evidence.measured.reports.reading.possible import is_possible
from advisor.evidence.measured.reports.report import Extent, ImportedReport, Launches, Quantity
from advisor.evidence.measured.reports.timelines.run_totals import RunTotals
from advisor.evidence.measured.reports.timelines.timeline import (
    LaunchGroups,
    OrderedStretches,
    OutOfOrder,
    Stretches,
)
from advisor.model.errors import UsageError

NAME = "CSV of rocprof and rocprofv3"
_SUMS = frozenset({"Name", "Calls", "TotalDurationNs"})
# Names of the columns that say the same: of rocprof and of rocprofv3.
_KERNEL, _CALL, _COPY = ("KernelName", "Kernel_Name"), ("Function",), ("Direction",)
_BEGIN, _END = ("BeginNs", "Start_Timestamp"), ("EndNs", "End_Timestamp")
_CALLED = re.compile(r"(__)?hip[A-Z]|hsa_|roctx")
_COPIED = re.compile(r"(MEMORY_)?COPY|Copy[A-Z]", re.IGNORECASE)
# What rocprof appends to the symbols of kernels.
_DESCRIPTOR = re.compile(r"\s*(\[clone \.kd\]|\.kd)$")
_AXES = "XYZ"
_MILLISECONDS = 1e-6
_STATISTICS = {
    "total": "TotalDurationNs", "mean": "AverageNs", "least": "MinNs", "most": "MaxNs", "deviation": "StdDev",
}  # fmt: skip


def recognises(path: Path, head: bytes) -> bool:
    """Whether a line of the file's beginning is the heading of a table of sums or of a trace."""
    del path
    return any(
        _is_heading([cell.strip().strip('"') for cell in line.split(",")])
        for line in decoded(head).splitlines()
    )


def _is_heading(cells: Sequence[str]) -> bool:
    names = set(cells)
    timed = _first(_BEGIN, names) and _first(_END, names)
    return names >= _SUMS or bool(timed and _first((*_KERNEL, *_CALL, *_COPY), names))


def _first(columns: Sequence[str], names: set[str]) -> str | None:
    return next((one for one in columns if one in names), None)


def read(path: Path) -> ImportedReport:
    """What the table holds. Raises UsageError where it has no row, or one is damaged.

    The kernels of a trace are counted as they come, in the order of their beginnings; times of a trace in
    another order are kept.
    """
    try:
        return _read(path, OrderedStretches())
    except OutOfOrder:
        return _read(path, Stretches())


def _read(path: Path, stretches: Stretches | OrderedStretches) -> ImportedReport:
    table = _table(path)
    first = next(table, None)
    if first is None:
        raise UsageError(f"{path}: the table holds no kernels, calls or copies.")
    header, rows = set(first), chain((first,), table)
    totals, notes = RunTotals(), []
    if header >= _SUMS:
        launches = tuple(_summed(rows, totals))
        notes.append("Sums of rocprof hold no grids and no timeline; its trace of kernels does.")
    else:
        launches = _traced(header, rows, totals, stretches)
    totals.names = len({one.name for one in launches})
    totals.launches = sum(one.launches for one in launches)
    run = {
        name: value for name, value in totals.values().items() if launches or not name.startswith("kernels.")
    }
    return ImportedReport(
        tool="rocprof",
        launches=launches,
        run=run,
        device="an AMD GPU",
        host=totals.host(),
        notes=tuple(notes),
    )


def _table(path: Path) -> Iterator[Mapping[str, str]]:
    """The rows below the heading, one at a time: traces are long. Raises UsageError for a damaged one."""
    header: list[str] = []
    for line, row in rows_of(path):
        cells = [cell.strip() for cell in row]
        if not header:
            header = cells if _is_heading(cells) else []
        elif len(cells) == len(header):
            _refuse_other_than_numbers(path, line, header, cells)
            yield dict(zip(header, cells, strict=True))
        elif any(cells):
            raise UsageError(
                f"{path}:{line}: a row has {len(cells)} columns where the heading has {len(header)}; "
                "the file is cut off or damaged."
            )


def _refuse_other_than_numbers(path: Path, line: int, header: Sequence[str], cells: Sequence[str]) -> None:
    for name, cell in zip(header, cells, strict=True):
        if name in (*_BEGIN, *_END, "Calls", *_STATISTICS.values()) and _number(cell) is None:
            raise UsageError(
                f"{path}:{line}: `{cell}` in the column {name} is no number; the file is damaged."
            )


def _number(text: str) -> float | None:
    try:
        found = float(text)
    except ValueError:
        return None
    return found if is_possible(found) else None


def _summed(rows: Iterable[Mapping[str, str]], totals: RunTotals) -> Iterator[Launches]:
    """Kernels of a table of sums; calls and copies are counted in `totals`."""
    for row in rows:
        name, spent, number = row["Name"], float(row["TotalDurationNs"]), int(float(row["Calls"]))
        if _CALLED.match(name):
            totals.call(name, spent, number)
        elif _COPIED.match(name):
            _copied(name, spent, totals)
        else:
            values = {
                f"statistics.{statistic}": Quantity(float(row[column]) * _MILLISECONDS, "ms")
                for statistic, column in _STATISTICS.items()
                if column in row
            }
            yield Launches(_symbol(name), None, None, number, (), (values,))


def _traced(
    names: set[str],
    rows: Iterable[Mapping[str, str]],
    totals: RunTotals,
    stretches: Stretches | OrderedStretches,
) -> tuple[Launches, ...]:
    """Kernels of a trace; one of calls or copies has none, and is counted in `totals`."""
    kernel, call = _first(_KERNEL, names), _first(_CALL, names)
    begin, end = _first(_BEGIN, names) or "", _first(_END, names) or ""
    groups = LaunchGroups()
    for row in rows:
        start, stop = float(row[begin]), float(row[end])
        if call:
            totals.call(row[call], stop - start, thread=row.get("Thread_Id"))
        elif not kernel:
            _copied(row["Direction"], stop - start, totals)
        else:
            stretches.add(start, stop)
            grid, block = _shape(row)
            shape = (_symbol(row[kernel]), grid, block, 0, ())
            groups.add(shape, (stop - start) * _MILLISECONDS, {})
    if stretches:
        totals.kernels = totals.device = stretches.union()
        totals.span = totals.kernels.end - (totals.kernels.first or 0.0)
    return groups.launches()


def _copied(direction: str, spent: float, totals: RunTotals) -> None:
    totals.saw_copies = True
    words = re.sub(r"(?i)(host|device)_?to_?(host|device)", _way, direction)
    totals.copies[direction_in(words) or "other"] += spent  # type: ignore[assignment]


def _way(match: re.Match[str]) -> str:
    return f" {match[1].title()}-to-{match[2].title()} "


def _symbol(name: str) -> str:
    return _DESCRIPTOR.sub("", name)


# The items of a grid are 32-bit numbers.
_SIZE = re.compile(r"0*[1-9][0-9]{0,9}")


def _shape(row: Mapping[str, str]) -> tuple[Extent | None, Extent | None]:
    """Blocks of the grid and threads of a block."""
    if "grd" in row and "wgr" in row:
        items, group = [row["grd"], "1", "1"], [row["wgr"], "1", "1"]
    else:
        items = [row.get(f"Grid_Size_{axis}", "") for axis in _AXES]
        group = [row.get(f"Workgroup_Size_{axis}", "") for axis in _AXES]
    if not all(_SIZE.fullmatch(one) for one in (*items, *group)):
        return None, None
    x, y, z = (int(one) for one in group)
    blocks = [-(-int(whole) // int(part)) for whole, part in zip(items, group, strict=True)]
    return (blocks[0], blocks[1], blocks[2]), (x, y, z)
