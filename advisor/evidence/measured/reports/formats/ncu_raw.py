"""`ncu --csv --page raw`: a row for each launch, a column for each metric, units below the names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from advisor.evidence.measured.reports.ncu_launches import (
    IDENTITY,
    NcuLaunch,
    gathered,
    is_range_column,
    launch_of,
    quantity,
)
from advisor.evidence.measured.reports.reading.csv_tables import has_columns, rows_of
from advisor.evidence.measured.reports.reading.opening import decoded
from advisor.evidence.measured.reports.reading.printed_numbers import Notation, notation_of
from advisor.evidence.measured.reports.report import ImportedReport
from advisor.model.errors import UsageError

NAME = "Nsight Compute CSV (--page raw, details or source)"
_DEVICE_NAME = "device__attribute_display_name"


def recognises(path: Path, head: bytes) -> bool:
    """Whether the file holds launches by row: kernel names and metrics as columns, no column of names."""
    del path
    text = decoded(head)
    header = next((line for line in text.splitlines() if "Kernel Name" in line and "ID" in line), "")
    return "__" in header and "Metric Name" not in header


def read(path: Path) -> ImportedReport:
    """The launches of a raw page. Raises UsageError where it has none."""
    header: list[str] = []
    units: list[str] = []
    rows: list[list[str]] = []
    dropped: list[int] = []
    for line, row in rows_of(path):
        if has_columns(row, ("ID", "Kernel Name")):
            if header and row != header:
                raise UsageError(
                    f"{path}:{line}: another table begins, with other columns; export them one by one."
                )
            header, units = [cell.strip() for cell in row], []
        elif header and len(row) == len(header) and not row[header.index("ID")].strip():
            units = row
        elif header and len(row) == len(header):
            rows.append(row)
        elif header and any(cell.strip() for cell in row) and len(row) > 1:
            dropped.append(line)
    if dropped:
        raise UsageError(
            f"{path}:{dropped[0]}: {len(dropped)} of {len(dropped) + len(rows)} rows do not have the columns "
            "of the header, this one first; the file is cut off or damaged."
        )
    if not rows:
        raise UsageError(f"{path}: the report holds no launch of a kernel.")
    return _report(header, units or [""] * len(header), rows, bool(units))


def _report(
    header: Sequence[str], units: Sequence[str], rows: Sequence[Sequence[str]], told: bool
) -> ImportedReport:
    metrics = [
        (at, name)
        for at, name in enumerate(header)
        if name and name not in IDENTITY and not is_range_column(name)
    ]
    notation = notation_of(_numbers(rows, [at for at, _ in metrics]))
    launches = [_launch(header, units, row, metrics, notation) for row in rows]
    notes = [] if notation.certain else [_doubt(notation)]
    if not told:
        notes.append("The report has no row of units; only numbers that need none are used.")
    return ImportedReport(
        tool="ncu",
        launches=gathered(launches),
        device=_device(header, rows),
        capability=launches[0].capability or None,
        command=launches[0].process,
        notes=tuple(notes),
        columns=tuple(name for _, name in metrics),
    )


def _launch(
    header: Sequence[str],
    units: Sequence[str],
    row: Sequence[str],
    metrics: Iterable[tuple[int, str]],
    notation: Notation,
) -> NcuLaunch:
    launch = launch_of(dict(zip(header, row, strict=True)))
    for at, name in metrics:
        found = quantity(name, row[at], units[at], notation)
        if found is not None:
            launch.values[name] = found
    return launch


def _numbers(rows: Sequence[Sequence[str]], columns: Sequence[int]) -> Iterator[str]:
    for row in rows:
        for at in columns:
            yield row[at]


def _doubt(notation: Notation) -> str:
    mark = "point" if notation.decimal == "." else "comma"
    return (
        f"Whether commas or points stand before decimals is not certain in this report; a {mark} was assumed."
    )


def _device(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str | None:
    if _DEVICE_NAME not in header:
        return None
    return rows[0][header.index(_DEVICE_NAME)].strip() or None
