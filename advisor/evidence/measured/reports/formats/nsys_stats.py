"""CSV reports of `nsys stats`: kernels, calls, copies by time and by size, and the trace of the GPU.

A file may hold one report, as `--output` writes it, or several behind each other, as they are printed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from advisor.evidence.measured.reports.cuda_calls import direction_in
from advisor.evidence.measured.reports.reading.csv_tables import rows_of
from advisor.evidence.measured.reports.reading.opening import decoded
from advisor.evidence.measured.reports.reading.printed_numbers import Notation, is_absent, notation_of
from advisor.evidence.measured.reports.reading.printed_units import in_base_unit
from advisor.evidence.measured.reports.report import ImportedReport, Launches, Quantity
from advisor.evidence.measured.reports.timelines.gpu_trace import Trace
from advisor.evidence.measured.reports.timelines.run_totals import RunTotals
from advisor.evidence.measured.reports.timelines.timeline import (
    LaunchGroups,
    OrderedStretches,
    OutOfOrder,
    Stretches,
)
from advisor.model.errors import UsageError

NAME = "nsys stats CSV"
_COLUMN = re.compile(r"(?P<name>.*?)\s*\((?P<unit>[^()]*)\)")
# Columns that are read here, or follow from those.
_READ = {
    "Time", "Total", "Total Time", "Name", "Operation", "Count", "Instances", "Num Calls",
    "Avg", "Med", "Min", "Max", "StdDev", "Start", "Duration", "CorrId", "Throughput", "Bytes",
    "SrcMemKd", "DstMemKd", "Device", "Ctx", "GreenCtx", "Strm", "StcSMem", "DymSMem", "Reg/Trd",
    "GrdX", "GrdY", "GrdZ", "BlkX", "BlkY", "BlkZ", "API Name", "API Function", "Kernel Name",
    "PID", "TID", "DevId", "QCount",
    # Of cuda_kern_exec_sum: from the call to the kernel's end, of the call, in the queue, of the kernel.
    *(f"{part}{statistic}" for part in "TAQK" for statistic in ("Avg", "Med", "Min", "Max", "StdDev")),
}  # fmt: skip
_TEXTS = {"Name", "Operation", "SrcMemKd", "DstMemKd", "Device", "API Name", "API Function", "Kernel Name"}
_IN_EVERY_HEADING = {"Name", "Kernel Name", "Operation"}
_STATISTICS = {"mean": "Avg", "median": "Med", "least": "Min", "most": "Max", "deviation": "StdDev"}
_NANOSECONDS = 1e6


@dataclass
class _Table:
    """One report: its columns with their units, and its rows where these are sums."""

    path: Path
    kind: str
    names: list[str]
    units: list[str]
    rows: list[list[str]] = field(default_factory=list)

    @cached_property
    def of_numbers(self) -> list[int]:
        """The columns that hold numbers."""
        return [at for at, name in enumerate(self.names) if name in _READ - _TEXTS]

    def records(self) -> list[dict[str, str]]:
        """The rows by the names of their columns."""
        return [dict(zip(self.names, row, strict=False)) for row in self.rows]

    def unit(self, name: str) -> str:
        """The unit in a column's heading."""
        return self.units[self.names.index(name)] if name in self.names else ""


def recognises(path: Path, head: bytes) -> bool:
    """Whether a line of the file's beginning is the heading of a report that can be read."""
    del path
    return any(
        _heading([cell.strip().strip('"') for cell in line.split(",")]) for line in decoded(head).splitlines()
    )


def _heading(cells: Sequence[str]) -> str | None:
    """Which report begins with these columns, None for none that is read."""
    names = {_named(cell)[0] for cell in cells}
    if {"Start", "Duration", "CorrId", "Name"} <= names:
        return "trace"
    if {"Total Time", "Instances", "Name"} <= names:
        return "kernels"
    if {"Total Time", "Num Calls", "Name"} <= names:
        return "calls"
    if {"Kernel Name", "Count", "KAvg"} <= names:
        return "executions"
    if {"Total Time", "Operation"} <= names:
        return "copies"
    if {"Total", "Operation", "Count"} <= names:
        return "sizes"
    return None


def _named(cell: str) -> tuple[str, str]:
    match = _COLUMN.fullmatch(cell.strip())
    return (match["name"], match["unit"]) if match else (cell.strip(), "")


def read(path: Path) -> ImportedReport:
    """What the reports hold. Raises UsageError where none of them has a row, or one is damaged.

    The file is read twice, since all of its numbers together tell how they are printed. Rows of sums are
    kept; a trace of the GPU may have millions, which are counted as they come. nsys writes them in the order
    of their beginnings; times of another trace are kept.
    """
    notation = notation_of(cell for _, _, row in _rows(path) for cell in row)
    try:
        return _read(path, notation, OrderedStretches)
    except OutOfOrder:
        return _read(path, notation, Stretches)


def _read(
    path: Path, notation: Notation, stretches: type[Stretches] | type[OrderedStretches]
) -> ImportedReport:
    totals, groups = RunTotals(), LaunchGroups()
    tables: list[_Table] = []
    trace: Trace | None = None
    for table, line, row in _rows(path):
        if not tables or table is not tables[-1]:
            tables.append(table)
            trace = Trace(path, table.names, table.units, notation, totals, groups, stretches, trace)
        _refuse_other_than_numbers(table, line, row, notation)
        if table.kind == "trace" and trace is not None:
            trace.take(row)
        else:
            table.rows.append(row)
    if not tables:
        raise UsageError(f"{path}: the reports hold no kernels, calls or copies.")
    launches: list[Launches] = []
    notes = [
        "Summaries of nsys stats hold no timeline, grids or NVTX ranges; "
        "the SQLite export or the report cuda_gpu_trace does."
    ]
    kinds = {table.kind for table in tables}
    for table in tables:
        if table.kind == "executions":
            launches += _executions(table, notation, totals, kinds)
        elif table.kind == "kernels":
            launches += [_summary(row, table, notation) for row in table.records()]
        elif table.kind != "trace":
            _sum_up(table, notation, totals)
    if "trace" in kinds and trace is not None:
        trace.end()
        notes = ["The trace of the GPU holds no calls of the host and no NVTX ranges."]
    # The trace has every launch that the summary has.
    found = groups.launches() or tuple(launches)
    totals.names = len({one.name for one in found})
    totals.launches = sum(one.launches for one in found)
    run = (
        totals.values()
        if found
        else {k: v for k, v in totals.values().items() if not k.startswith("kernels.")}
    )
    device = trace.device if trace is not None else None
    return ImportedReport(
        tool="nsys", launches=found, run=run, device=device, host=totals.host(), notes=tuple(notes),
        columns=tuple(dict.fromkeys(name for table in tables for name in table.names if name not in _READ)),
    )  # fmt: skip


def _rows(path: Path) -> Iterator[tuple[_Table, int, list[str]]]:
    """The rows of all reports with the line that each ends on."""
    table: _Table | None = None
    for line, row in rows_of(path):
        cells = [cell.strip() for cell in row]
        kind = _heading(cells) if _may_be_heading(cells) else None
        if kind:
            named = [_named(cell) for cell in cells]
            table = _Table(path, kind, [name for name, _ in named], [unit for _, unit in named])
        elif not any(cells) or len(cells) == 1:
            table = None
        elif table is not None and len(cells) == len(table.names):
            yield table, line, cells
        elif table is not None:
            raise UsageError(
                f"{path}:{line}: a row has {len(cells)} columns where the heading has "
                f"{len(table.names)}; the file is cut off or damaged."
            )


def _may_be_heading(cells: Sequence[str]) -> bool:
    """Whether a row may name the columns of a report: a trace has millions of others."""
    return any(cell in _IN_EVERY_HEADING for cell in cells)


def _refuse_other_than_numbers(table: _Table, line: int, row: Sequence[str], notation: Notation) -> None:
    """Raise UsageError with its line for a cell that should hold a number and does not."""
    for at in table.of_numbers:
        if notation.number(row[at]) is None and not is_absent(row[at]):
            raise UsageError(
                f"{table.path}:{line}: `{row[at]}` in the column {table.names[at]} is no number; "
                "the file is damaged."
            )


def _number(row: Mapping[str, str], column: str, notation: Notation) -> float:
    return notation.number(row.get(column, "")) or 0.0


def _nanoseconds(row: Mapping[str, str], column: str, table: _Table, notation: Notation) -> float:
    base = in_base_unit(Quantity(_number(row, column, notation), table.unit(column) or "ns"))
    if base is None or base[1] != "time":
        raise UsageError(
            f"{table.path}: the unit `{table.unit(column)}` of the column {column} is no unit of time."
        )
    return base[0] * _NANOSECONDS


def _summary(row: Mapping[str, str], table: _Table, notation: Notation) -> Launches:
    """A kernel of cuda_gpu_kern_sum; statistics stand for the single times."""

    def time(column: str) -> float:
        return _nanoseconds(row, column, table, notation) / _NANOSECONDS

    values = {
        f"statistics.{name}": Quantity(time(column), "ms")
        for name, column in _STATISTICS.items()
        if column in table.names
    }
    values["statistics.total"] = Quantity(time("Total Time"), "ms")
    return Launches(row["Name"], None, None, int(_number(row, "Instances", notation)), (), (values,))


def _executions(table: _Table, notation: Notation, totals: RunTotals, others: set[str]) -> list[Launches]:
    """Kernels of cuda_kern_exec_sum, and the calls that launched them, unless other tables have them."""
    found = []
    for row in table.records():
        number = int(_number(row, "Count", notation))

        def time(column: str, row: Mapping[str, str] = row) -> float:
            return _nanoseconds(row, column, table, notation)

        if "calls" not in others and "AAvg" in table.names:
            call = row.get("API Name") or row.get("API Function") or "cudaLaunchKernel"
            totals.call(call, time("AAvg") * number, number)
        values = {
            f"statistics.{name}": Quantity(time(f"K{column}") / _NANOSECONDS, "ms")
            for name, column in _STATISTICS.items()
            if f"K{column}" in table.names
        }
        values["statistics.total"] = Quantity(time("KAvg") * number / _NANOSECONDS, "ms")
        found.append(Launches(row["Kernel Name"], None, None, number, (), (values,)))
    return [] if "kernels" in others else found


def _sum_up(table: _Table, notation: Notation, totals: RunTotals) -> None:
    for row in table.records():
        if table.kind == "calls":
            number = int(_number(row, "Num Calls", notation))
            totals.call(row["Name"], _nanoseconds(row, "Total Time", table, notation), number)
            continue
        operation = row["Operation"]
        if table.kind == "copies":
            totals.saw_copies = True
            spent = _nanoseconds(row, "Total Time", table, notation)
            if "memset" in operation.lower():
                totals.fills = (totals.fills or 0.0) + spent
            else:
                totals.copies[direction_in(operation) or "other"] += spent  # type: ignore[assignment]
        elif (
            size := in_base_unit(Quantity(_number(row, "Total", notation), table.unit("Total")))
        ) is not None:
            totals.copied_bytes[direction_in(operation) or "other"] += round(size[0])
