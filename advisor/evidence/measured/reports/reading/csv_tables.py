"""Tables in CSV as NVIDIA's tools print them: after lines of the profiler and of the program it ran."""

from __future__ import annotations

import csv
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

from advisor.evidence.measured.reports.reading.opening import opened_text
from advisor.model.errors import UsageError

# A row of the raw page of a long run has some ten thousand characters.
_LONGEST_FIELD = 16 * 1024**2
_DELIMITERS = ",;\t"


def rows_of(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The rows of a CSV file with the line, from 1, that each ends on; lines of the profiler itself
    (`==PROF== …`) are left out.

    Raises UsageError for a file that is no text, or whose last row is cut off within quotes.
    """
    lines = _Lines(path)
    previous = csv.field_size_limit(min(_LONGEST_FIELD, sys.maxsize))
    try:
        with opened_text(path) as text:
            for row in csv.reader(lines.of(text), delimiter=_delimiter(path), strict=True):
                yield lines.last, row
    except csv.Error as error:
        raise UsageError(f"{path}:{lines.last}: the CSV is damaged or cut off: {error}.") from None
    finally:
        csv.field_size_limit(previous)


class _Lines:
    """The lines of a CSV file; `last` is the number of the last one that was asked for."""

    def __init__(self, path: Path) -> None:
        self._path, self.last = path, 0

    def of(self, text: Iterable[str]) -> Iterator[str]:
        """The lines without the profiler's own. Raises UsageError for a file that is no text."""
        for self.last, line in enumerate(text, 1):
            if "\0" in line:
                raise UsageError(f"{self._path}: the file is binary, not CSV.")
            if not line.startswith("=="):
                yield line


def _delimiter(path: Path) -> str:
    """The delimiter of the first line that names the columns: the one that stands there most often."""
    with opened_text(path) as text:
        for line in text:
            if "Kernel Name" in line or "Time (%)" in line or "Time(%)" in line or "Start (" in line:
                return max(_DELIMITERS, key=line.count)
    return ","


def has_columns(row: Sequence[str], needed: Collection[str]) -> bool:
    """Whether a row names all these columns."""
    return set(needed) <= {cell.strip() for cell in row}


def extent(text: str) -> tuple[int, int, int] | None:
    """The three sizes of `(256, 1, 1)` or `256, 1, 1`, None for another text."""
    parts = text.strip().strip("()").split(",")
    try:
        numbers = [int(part) for part in parts]
    except ValueError:
        return None
    if len(numbers) != 3 or min(numbers) < 1:
        return None
    return numbers[0], numbers[1], numbers[2]
