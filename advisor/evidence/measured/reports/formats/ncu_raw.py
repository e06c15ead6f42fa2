"""`ncu --csv --page raw`: a row for each launch, a column for each metric, units below the names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from advisor.evidence.measured.reports.launch_table import LaunchTable, is_kept
from advisor.evidence.measured.reports.ncu_launches import IDENTITY, is_range_column, launch_of, quantity
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
    """The launches of a raw page with the metrics that become others. Raises UsageError where it has none."""
    return report_of(path, every=False)


def report_of(path: Path, every: bool) -> ImportedReport:
    """The launches of a raw page, with `every` with all their metrics. Raises UsageError where it has none.

    The page is read twice, first for how it prints numbers, since a long one does not fit into memory.
    """
    notation = notation_of(row[at] for page, row in _rows(path) for at, _ in page.metrics)
    table, page, device = LaunchTable(), _Page([]), None
    chosen: list[tuple[int, str]] = []
    for page, row in _rows(path):
        if not table:
            device = _device(page.header, row)
            chosen = [(at, name) for at, name in page.metrics if every or is_kept(name)]
        number = table.add(launch_of(dict(zip(page.header, row, strict=True))))
        for at, name in chosen:
            found = quantity(name, row[at], page.units[at] if page.units else "", notation)
            if found is not None:
                table.put(number, name, found)
    first = table.first()
    return ImportedReport(
        tool="ncu",
        launches=table.gathered(),
        device=device,
        capability=first.capability or None,
        command=first.process,
        notes=_notes(notation, page),
        columns=tuple(name for _, name in page.metrics),
    )


@dataclass
class _Page:
    """The columns of the page and the units below them."""

    header: list[str]
    units: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.metrics = [
            (at, name)
            for at, name in enumerate(self.header)
            if name and name not in IDENTITY and not is_range_column(name)
        ]


def _rows(path: Path) -> Iterator[tuple[_Page, list[str]]]:
    """The rows of launches. Raises UsageError at the end where other rows stand between them, or none."""
    page: _Page | None = None
    dropped: list[int] = []
    taken = 0
    for line, row in rows_of(path):
        if has_columns(row, ("ID", "Kernel Name")):
            header = [cell.strip() for cell in row]
            if page is not None and header != page.header:
                raise UsageError(
                    f"{path}:{line}: another table begins, with other columns; export them one by one."
                )
            page = page or _Page(header)
        elif page is None:
            continue
        elif len(row) != len(page.header):
            if len(row) > 1 and any(cell.strip() for cell in row):
                dropped.append(line)
        elif not row[page.header.index("ID")].strip():
            page.units = row
        else:
            taken += 1
            yield page, row
    if dropped:
        raise UsageError(
            f"{path}:{dropped[0]}: {len(dropped)} of {len(dropped) + taken} rows do not have the columns "
            "of the header, this one first; the file is cut off or damaged."
        )
    if not taken:
        raise UsageError(f"{path}: the report holds no launch of a kernel.")


def _notes(notation: Notation, page: _Page) -> tuple[str, ...]:
    notes = [] if notation.certain else [_doubt(notation)]
    if not page.units:
        notes.append("The report has no row of units; only numbers that need none are used.")
    return tuple(notes)


def _doubt(notation: Notation) -> str:
    mark = "point" if notation.decimal == "." else "comma"
    return (
        f"Whether commas or points stand before decimals is not certain in this report; a {mark} was assumed."
    )


def _device(header: Sequence[str], row: Sequence[str]) -> str | None:
    return (row[header.index(_DEVICE_NAME)].strip() or None) if _DEVICE_NAME in header else None
