"""`ncu --csv` and `ncu --csv --page details`: a row for each metric of each launch, by section."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from advisor.evidence.measured.reports.ncu_launches import NcuLaunch, gathered, launch_of, quantity
from advisor.evidence.measured.reports.reading.csv_tables import has_columns, rows_of
from advisor.evidence.measured.reports.reading.opening import decoded
from advisor.evidence.measured.reports.reading.printed_numbers import Notation, notation_of
from advisor.evidence.measured.reports.report import ImportedReport
from advisor.model.errors import UsageError

NAME = "Nsight Compute CSV (--page raw, details or source)"
_NEEDED = ("Kernel Name", "Metric Name", "Metric Value")
_LAUNCH = ("Process ID", "ID")


def recognises(path: Path, head: bytes) -> bool:
    """Whether the file's header has columns for the name and the value of a metric."""
    del path
    text = decoded(head)
    return any(all(f"{name}" in line for name in _NEEDED) for line in text.splitlines())


def read(path: Path) -> ImportedReport:
    """The launches of a details page. Raises UsageError where it has none."""
    rows = _rows(path)
    notation = notation_of(row["Metric Value"] for row in rows)
    launches: dict[tuple[str, ...], NcuLaunch] = {}
    advice = 0
    for row in rows:
        key = (*(row.get(column, "") for column in _LAUNCH), row["Kernel Name"])
        launch = launches.setdefault(key, launch_of(row))
        if row["Metric Name"].strip():
            _take(launch, row, notation)
        else:
            advice += bool(row.get("Rule Name", "").strip())
    if not launches:
        raise UsageError(f"{path}: the report holds no launch of a kernel.")
    names = dict.fromkeys(name for launch in launches.values() for name in launch.values)
    first = next(iter(launches.values()))
    return ImportedReport(
        tool="ncu",
        launches=gathered(list(launches.values())),
        capability=first.capability or None,
        command=first.process,
        notes=_notes(notation, advice),
        columns=tuple(names),
    )


def _rows(path: Path) -> list[Mapping[str, str]]:
    header: list[str] = []
    rows: list[Mapping[str, str]] = []
    for line, row in rows_of(path):
        if has_columns(row, _NEEDED):
            header = [cell.strip() for cell in row]
        elif header and _is_row(row, header):
            rows.append(dict(zip(header, row, strict=False)))
        elif header and len(row) > 1:
            raise UsageError(
                f"{path}:{line}: a row has {len(row)} columns where the header has {len(header)}; "
                "the file is cut off or damaged."
            )
    return rows


def _is_row(row: Sequence[str], header: Sequence[str]) -> bool:
    """ncu leaves out empty columns of its rules at the end of a row, and may end it with a comma."""
    return header.index("Metric Value") < len(row) <= len(header) + 1


def _take(launch: NcuLaunch, row: Mapping[str, str], notation: Notation) -> None:
    name = row["Metric Name"].strip()
    if "__" not in name:
        name = f"{row.get('Section Name', '').strip()}|{name}"
    found = quantity(name, row["Metric Value"], row.get("Metric Unit", ""), notation)
    if found is not None:
        launch.values[name] = found


def _notes(notation: Notation, advice: int) -> tuple[str, ...]:
    notes = []
    if not notation.certain:
        notes.append(
            "Whether commas or points stand before decimals is not certain in this report; "
            f"a {'point' if notation.decimal == '.' else 'comma'} was assumed."
        )
    if advice:
        were = "remark was" if advice == 1 else "remarks were"
        notes.append(f"{advice} {were} left out that Nsight Compute's own rules make.")
    return tuple(notes)
