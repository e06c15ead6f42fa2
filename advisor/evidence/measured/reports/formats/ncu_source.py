"""`ncu --csv --page source`: lines of the source with their counters and samples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from advisor.evidence.measured.reports.mapping import stall_name
from advisor.evidence.measured.reports.ncu_launches import quantity
from advisor.evidence.measured.reports.reading.csv_tables import rows_of
from advisor.evidence.measured.reports.reading.opening import decoded
from advisor.evidence.measured.reports.reading.printed_numbers import Notation, notation_of
from advisor.evidence.measured.reports.report import ImportedReport, Quantity, ReportedLine
from advisor.model.errors import UsageError

NAME = "Nsight Compute CSV (--page raw, details or source)"
_KERNEL = ("Kernel Name", "Function Name")
_FILE = ("File Path", "File Name")
_LINE = ("Line No", "# Line", "#", "Line Number", "Line")
_ADDRESS = ("Address", "# Address")
_SAMPLES = (
    "Warp Stall Sampling (All Samples)", "Warp Stall Sampling (All Cycles)", "# Samples",
    "Sampling Data (All)", "group:smsp__pcsamp_warp_stall_reasons",
)  # fmt: skip
_NO_STALL = ("stall_selected",)


def recognises(path: Path, head: bytes) -> bool:
    """Whether the file begins with the name of a kernel and goes on with columns of lines or addresses."""
    del path
    lines = [
        line.strip() for line in decoded(head).splitlines() if line.strip() and not line.startswith("==")
    ]
    named = bool(lines) and lines[0].replace('"', "").split(",")[0] in (*_KERNEL, *_FILE)
    return any(_is_header([cell.strip('"') for cell in line.split(",")]) for line in lines[:6]) and (
        named or "Metric Name" not in lines[0]
    )


def _is_header(cells: Sequence[str]) -> bool:
    return bool(cells) and cells[0] in (*_LINE, *_ADDRESS) and "Source" in cells and len(cells) > 2


@dataclass
class _Part:
    """The table of one kernel and file."""

    kernel: str
    path: str
    header: list[str]
    rows: list[list[str]] = field(default_factory=list)


def read(path: Path) -> ImportedReport:
    """The lines of a source page. Raises UsageError where it has none."""
    parts = list(_parts(path))
    notation = notation_of(cell for part in parts for row in part.rows for cell in row)
    lines = [line for part in parts for line in _lines(part, notation)]
    if not lines:
        if any(part.rows for part in parts):
            raise UsageError(
                f"{path}: the page lists machine instructions without lines; export it with "
                "`--print-source cuda,sass` from a report made with `--import-source yes` and code built "
                "with line information."
            )
        raise UsageError(f"{path}: the source page has no lines.")
    columns = dict.fromkeys(name for part in parts for name in part.header if not _is_read(name))
    return ImportedReport(tool="ncu", launches=(), lines=tuple(lines), columns=tuple(columns))


def _is_read(name: str) -> bool:
    """Whether a column tells of a place, or of samples, which are read here."""
    return name in ("", "Source", *_LINE, *_ADDRESS, *_SAMPLES) or name.startswith("stall_")


def _parts(path: Path) -> Iterator[_Part]:
    kernel = file = ""
    part: _Part | None = None
    for line, row in rows_of(path):
        cells = [cell.strip() for cell in row]
        if len(cells) >= 2 and cells[0] in _KERNEL and not _is_header(cells):
            kernel, part = cells[1], None
        elif len(cells) >= 2 and cells[0] in _FILE:
            file, part = cells[1], None
        elif _is_header(cells):
            part = _Part(kernel, file, cells)
            yield part
        elif part is not None and len(cells) in (len(part.header), len(part.header) + 1):
            part.rows.append(cells)
        elif part is not None and len(cells) > 1:
            raise UsageError(
                f"{path}:{line}: a row has {len(cells)} columns where the header has {len(part.header)}; "
                "the file is cut off or damaged."
            )


def _lines(part: _Part, notation: Notation) -> Iterator[ReportedLine]:
    line_at = next((at for at, name in enumerate(part.header) if name in _LINE), None)
    if line_at is None:
        return
    samples_at = next((part.header.index(name) for name in _SAMPLES if name in part.header), None)
    rows = [row for row in part.rows if row[line_at].isdigit()]
    total = sum(_number(row, samples_at, notation) for row in rows)
    for row in rows:
        values = _values(part.header, row, line_at, notation)
        samples = _number(row, samples_at, notation)
        if total > 0.0:
            values["Share Of Samples"] = Quantity(samples / total)
            values["Samples"] = Quantity(samples)
        values.update(_stall(part.header, row, samples, notation))
        if any(value.value for value in values.values()):
            yield ReportedLine(part.kernel, part.path, int(row[line_at]), values)


def _values(
    header: Sequence[str], row: Sequence[str], line_at: int, notation: Notation
) -> dict[str, Quantity]:
    found = {}
    for at, name in enumerate(header):
        if at == line_at or name in ("", "Source", *_ADDRESS) or name in found:
            continue
        number = notation.number(row[at])
        one = None if number is None else quantity(name, row[at], "", notation)
        if one is not None:
            found[name] = one
    return found


def _stall(
    header: Sequence[str], row: Sequence[str], samples: float, notation: Notation
) -> dict[str, Quantity]:
    """The reason that most samples of a line have, and its share of them."""
    reasons = {
        name: _number(row, at, notation)
        for at, name in enumerate(header)
        if name.startswith("stall_") and "(" not in name and name not in _NO_STALL
    }
    if not reasons or samples <= 0.0:
        return {}
    most = max(reasons, key=lambda name: reasons[name])
    share = reasons[most] / samples
    if not 0.0 < share <= 1.0:
        return {}
    return {
        "Most Frequent Stall": Quantity(stall_name(most.removeprefix("stall_"))),
        "Share Of Most Frequent Stall": Quantity(share),
    }


def _number(row: Sequence[str], at: int | None, notation: Notation) -> float:
    return (notation.number(row[at]) or 0.0) if at is not None else 0.0
