"""CSV reports of `nsys stats`: kernels, calls, copies by time and by size, and the trace of the GPU.

A file may hold one report, as `--output` writes it, or several behind each other, as they are printed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from advisor.evidence.measured.reports.cuda_calls import direction_in, is_pageable
from advisor.evidence.measured.reports.reading.csv_tables import rows_of
from advisor.evidence.measured.reports.reading.opening import decoded
from advisor.evidence.measured.reports.reading.printed_numbers import Notation, is_absent, notation_of
from advisor.evidence.measured.reports.reading.printed_units import in_base_unit
from advisor.evidence.measured.reports.report import ImportedReport, Launches, Quantity
from advisor.evidence.measured.reports.run_totals import RunTotals
from advisor.evidence.measured.reports.timeline import Busy, LaunchGroups
from advisor.model.errors import UsageError

NAME = "nsys stats CSV"
_COLUMN = re.compile(r"(?P<name>.*?)\s*\((?P<unit>[^()]*)\)")
_EACH = {"Reg/Trd": "register/thread"}
_AXES = "XYZ"
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
_STATISTICS = {"mean": "Avg", "median": "Med", "least": "Min", "most": "Max", "deviation": "StdDev"}
_NANOSECONDS = 1e6


@dataclass
class _Table:
    """One report: its columns with their units, and its rows with the lines that they stand on."""

    path: Path
    kind: str
    names: list[str]
    units: list[str]
    rows: list[list[str]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)

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
    """What the reports hold. Raises UsageError where none of them has a row, or one is damaged."""
    tables = _tables(path)
    if not any(table.rows for table in tables):
        raise UsageError(f"{path}: the reports hold no kernels, calls or copies.")
    notation = notation_of(cell for table in tables for row in table.rows for cell in row)
    for table in tables:
        _refuse_other_than_numbers(table, notation, path)
    totals, groups = RunTotals(), LaunchGroups()
    launches: list[Launches] = []
    notes = [
        "Summaries of nsys stats hold no timeline, grids or NVTX ranges; "
        "the SQLite export or the report cuda_gpu_trace does."
    ]
    kinds = {table.kind for table in tables}
    for table in tables:
        if table.kind == "executions":
            launches += _executions(table, notation, totals, kinds)
        elif table.kind == "trace":
            _trace(table, notation, totals, groups)
            notes = ["The trace of the GPU holds no calls of the host and no NVTX ranges."]
        elif table.kind == "kernels":
            launches += [_summary(row, table, notation) for row in table.records()]
        else:
            _sum_up(table, notation, totals)
    # The trace has every launch that the summary has.
    found = groups.launches() or tuple(launches)
    totals.names = len({one.name for one in found})
    totals.launches = sum(one.launches for one in found)
    run = (
        totals.values()
        if found
        else {k: v for k, v in totals.values().items() if not k.startswith("kernels.")}
    )
    return ImportedReport(
        tool="nsys", launches=found, run=run, device=_device(tables), host=totals.host(), notes=tuple(notes),
        columns=tuple(dict.fromkeys(name for table in tables for name in table.names if name not in _READ)),
    )  # fmt: skip


def _tables(path: Path) -> list[_Table]:
    tables: list[_Table] = []
    inside = False
    for line, row in rows_of(path):
        cells = [cell.strip() for cell in row]
        kind = _heading(cells)
        if kind:
            named = [_named(cell) for cell in cells]
            tables.append(_Table(path, kind, [name for name, _ in named], [unit for _, unit in named]))
            inside = True
        elif not any(cells) or len(cells) == 1:
            inside = False
        elif inside and len(cells) == len(tables[-1].names):
            tables[-1].rows.append(cells)
            tables[-1].lines.append(line)
        elif inside:
            raise UsageError(
                f"{path}:{line}: a row has {len(cells)} columns where the heading has "
                f"{len(tables[-1].names)}; the file is cut off or damaged."
            )
    return tables


def _refuse_other_than_numbers(table: _Table, notation: Notation, path: Path) -> None:
    """Raise UsageError with its line for a cell that should hold a number and does not."""
    numbers = [at for at, name in enumerate(table.names) if name in _READ - _TEXTS]
    for line, row in zip(table.lines, table.rows, strict=True):
        for at in numbers:
            if notation.number(row[at]) is None and not is_absent(row[at]):
                raise UsageError(
                    f"{path}:{line}: `{row[at]}` in the column {table.names[at]} is no number; "
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


def _trace(table: _Table, notation: Notation, totals: RunTotals, groups: LaunchGroups) -> None:
    """Read the events of cuda_gpu_trace: what has a grid is a kernel."""
    stretches: list[tuple[float, float]] = []
    kernels: list[tuple[float, float]] = []
    totals.saw_copies, totals.fills = True, 0.0
    totals.saw_memory_kinds = "SrcMemKd" in table.names
    for row in table.records():
        start = _nanoseconds(row, "Start", table, notation)
        spent = _nanoseconds(row, "Duration", table, notation)
        stretches.append((start, start + spent))
        if row.get("GrdX", "").strip():
            kernels.append(stretches[-1])
            _count_kernel(row, table, notation, spent, groups)
        elif "memset" in row["Name"].lower():
            totals.fills += spent
        else:
            totals.copies[direction_in(row["Name"]) or "other"] += spent  # type: ignore[assignment]
            if any(is_pageable(row.get(kind, "")) for kind in ("SrcMemKd", "DstMemKd")):
                totals.copies["pageable"] += spent  # type: ignore[assignment]
    totals.kernels = Busy.of(*zip(*kernels, strict=True)) if kernels else Busy()
    totals.device = Busy.of(*zip(*stretches, strict=True)) if stretches else Busy()
    if totals.device.first is not None:
        totals.span = totals.device.end - totals.device.first


def _count_kernel(
    row: Mapping[str, str], table: _Table, notation: Notation, spent: float, groups: LaunchGroups
) -> None:
    sizes = {
        f"{part}{axis}": int(_number(row, f"{part}{axis}", notation))
        for part in ("Grd", "Blk")
        for axis in _AXES
    }
    values = {
        name: Quantity(number, _EACH.get(name, table.unit(name)))
        for name in ("Reg/Trd", "StcSMem", "DymSMem")
        if (number := notation.number(row.get(name, ""))) is not None
    }
    values |= {f"grid{axis}": Quantity(float(sizes[f"Grd{axis}"])) for axis in _AXES}
    values |= {f"block{axis}": Quantity(float(sizes[f"Blk{axis}"])) for axis in _AXES}
    dynamic = in_base_unit(values["DymSMem"]) if "DymSMem" in values else None
    grid = (sizes["GrdX"], sizes["GrdY"], sizes["GrdZ"])
    block = (sizes["BlkX"], sizes["BlkY"], sizes["BlkZ"])
    shape = (row["Name"], grid, block, round(dynamic[0]) if dynamic else 0, ())
    groups.add(shape, spent / _NANOSECONDS, values)


def _device(tables: Sequence[_Table]) -> str | None:
    for table in tables:
        for row in table.records():
            if row.get("Device", "").strip():
                return re.sub(r"\s*\(\d+\)$", "", row["Device"].strip())
    return None
