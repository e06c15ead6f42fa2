"""`ncu --csv --page source`: lines of the source with their counters and samples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from advisor.evidence.measured.reports.mapping import asked_for, stall_name
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
_AGAIN = "{} tables of lines are of further launches; of each kernel the one with most samples counts."


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
    """The lines of a source page. Raises UsageError where it has none.

    The page is read twice, first for how it prints numbers. Of several launches of a kernel that with most
    samples tells of its lines.
    """
    notation = notation_of(cell for part in _parts(path) for row in part.rows for cell in row)
    columns: dict[str, None] = {}
    kept: dict[tuple[str, str], tuple[float, list[ReportedLine]]] = {}
    has_rows, again = False, 0
    for part in _parts(path):
        has_rows |= bool(part.rows)
        columns |= dict.fromkeys(name for name in part.header if not _is_read(name))
        samples, lines = _lines(part, notation)
        known = kept.get((part.kernel, part.path))
        again += bool(lines) and known is not None
        if lines and (known is None or samples > known[0]):
            kept[part.kernel, part.path] = samples, lines
    if not kept:
        if has_rows:
            raise UsageError(
                f"{path}: the page lists machine instructions without lines; export it with "
                "`--print-source cuda,sass` from a report made with `--import-source yes` and code built "
                "with line information."
            )
        raise UsageError(f"{path}: the source page has no lines.")
    return ImportedReport(
        tool="ncu",
        launches=(),
        lines=tuple(line for _, lines in kept.values() for line in lines),
        columns=tuple(columns),
        notes=(_AGAIN.format(again),) if again else (),
    )


def _is_read(name: str) -> bool:
    """Whether a column tells of a place, or of samples, which are read here."""
    return name in ("", "Source", *_LINE, *_ADDRESS, *_SAMPLES) or name.startswith("stall_")


def _parts(path: Path) -> Iterator[_Part]:
    """The tables of a page, each with its rows."""
    kernel = file = ""
    part: _Part | None = None
    for line, row in rows_of(path):
        cells = [cell.strip() for cell in row]
        titled = len(cells) >= 2 and cells[0] in (*_KERNEL, *_FILE)
        if part is not None and (titled or _is_header(cells)):
            yield part
            part = None
        if _is_header(cells):
            part = _Part(kernel, file, cells)
        elif titled and cells[0] in _KERNEL:
            kernel = cells[1]
        elif titled:
            file = cells[1]
        elif part is not None and len(cells) in (len(part.header), len(part.header) + 1):
            part.rows.append(cells)
        elif part is not None and len(cells) > 1:
            raise UsageError(
                f"{path}:{line}: a row has {len(cells)} columns where the header has {len(part.header)}; "
                "the file is cut off or damaged."
            )
    if part is not None:
        yield part


def _lines(part: _Part, notation: Notation) -> tuple[float, list[ReportedLine]]:
    """All samples of a table, and its lines with a number other than 0."""
    line_at = next((at for at, name in enumerate(part.header) if name in _LINE), None)
    if line_at is None:
        return 0.0, []
    samples_at = next((part.header.index(name) for name in _SAMPLES if name in part.header), None)
    rows = [row for row in part.rows if row[line_at].isdigit()]
    total = sum(_number(row, samples_at, notation) for row in rows)
    found = []
    for row in rows:
        values = _values(part.header, row, line_at, notation)
        samples = _number(row, samples_at, notation)
        if total > 0.0:
            values["Share Of Samples"] = Quantity(samples / total)
            values["Samples"] = Quantity(samples)
        values.update(_stall(part.header, row, samples, notation))
        if any(value.value for value in values.values()):
            kept = {name: value for name, value in values.items() if asked_for("ncu", "line", name)}
            found.append(ReportedLine(part.kernel, part.path, int(row[line_at]), kept))
    return total, found


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
