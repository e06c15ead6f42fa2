"""`ncu --csv` and `ncu --csv --page details`: a row for each metric of each launch, by section."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from advisor.evidence.measured.reports.launch_table import LaunchTable, is_kept
from advisor.evidence.measured.reports.ncu_launches import launch_of, quantity
from advisor.evidence.measured.reports.reading.csv_tables import has_columns, rows_of
from advisor.evidence.measured.reports.reading.opening import decoded
from advisor.evidence.measured.reports.reading.printed_numbers import Notation, notation_of
from advisor.evidence.measured.reports.report import ImportedReport
from advisor.model.errors import UsageError

NAME = "Nsight Compute CSV (--page raw, details or source)"
_NEEDED = ("Kernel Name", "Metric Name", "Metric Value")
_LAUNCH = ("Process ID", "ID")
# What `--print-summary` prints in place of values.
_SUMMARY = ("Kernel Name", "Metric Name", "Minimum", "Maximum", "Average")


def recognises(path: Path, head: bytes) -> bool:
    """Whether the file's header has columns for the name and the value of a metric."""
    del path
    lines = decoded(head).splitlines()
    return any(all(name in line for name in names) for line in lines for names in (_NEEDED, _SUMMARY))


def read(path: Path) -> ImportedReport:
    """The launches of a details page. Raises UsageError where it has none.

    The page is read twice, first for how it prints numbers, since a long one does not fit into memory.
    """
    notation = notation_of(row["Metric Value"] for row in _rows(path))
    launches = _Launches(notation)
    for row in _rows(path):
        launches.take(row)
    table = launches.table
    if not len(table):
        raise UsageError(f"{path}: the report holds no launch of a kernel.")
    return ImportedReport(
        tool="ncu",
        launches=table.gathered(),
        capability=table.first().capability or None,
        command=table.first().process,
        notes=_notes(notation, launches.advice),
        columns=tuple(launches.names),
    )


def _rows(path: Path) -> Iterator[Mapping[str, str]]:
    header: list[str] = []
    for line, row in rows_of(path):
        if has_columns(row, _NEEDED):
            header = [cell.strip() for cell in row]
        elif has_columns(row, _SUMMARY):
            raise UsageError(
                f"{path}:{line}: the table sums launches up; export it without `--print-summary`, "
                "so that each launch has its rows."
            )
        elif header and _is_row(row, header):
            yield dict(zip(header, row, strict=False))
        elif header and len(row) > 1:
            raise UsageError(
                f"{path}:{line}: a row has {len(row)} columns where the header has {len(header)}; "
                "the file is cut off or damaged."
            )


def _is_row(row: Sequence[str], header: Sequence[str]) -> bool:
    """ncu leaves out empty columns of its rules at the end of a row, and may end it with a comma."""
    return header.index("Metric Value") < len(row) <= len(header) + 1


class _Launches:
    """Launches as rows come: of each what becomes another metric, of the rest the names."""

    def __init__(self, notation: Notation) -> None:
        self._notation = notation
        self._numbers: dict[tuple[str, ...], int] = {}
        self.table, self.advice = LaunchTable(), 0
        # With whether something is made of it.
        self.names: dict[str, bool] = {}

    def take(self, row: Mapping[str, str]) -> None:
        """Count a row: a metric of a launch, or a remark of the profiler's own rules."""
        key = (*(row.get(column, "") for column in _LAUNCH), row["Kernel Name"])
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = self.table.add(launch_of(row))
        name = row["Metric Name"].strip()
        if not name:
            self.advice += bool(row.get("Rule Name", "").strip())
            return
        if "__" not in name:
            name = f"{row.get('Section Name', '').strip()}|{name}"
        if self.names.get(name) is False:
            return
        found = quantity(name, row["Metric Value"], row.get("Metric Unit", ""), self._notation)
        if found is not None and self.names.setdefault(name, is_kept(name)):
            self.table.put(number, name, found)


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
