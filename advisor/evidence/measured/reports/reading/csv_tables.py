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


def rows_of(path: Path) -> Iterator[list[str]]:
    """The rows of a CSV file, lines of the profiler itself (`==PROF== …`) left out.

    Raises UsageError for a file that is no text, or whose last row is cut off within quotes.
    """
    previous = csv.field_size_limit(min(_LONGEST_FIELD, sys.maxsize))
    try:
        with opened_text(path) as text:
            lines = (line for line in text if not line.startswith("=="))
            yield from csv.reader(_with_nulls_refused(lines, path), delimiter=_delimiter(path), strict=True)
    except csv.Error as error:
        raise UsageError(f"{path}: the CSV is damaged or cut off: {error}.") from None
    finally:
        csv.field_size_limit(previous)


def _with_nulls_refused(lines: Iterable[str], path: Path) -> Iterator[str]:
    for line in lines:
        if "\0" in line:
            raise UsageError(f"{path}: the file is binary, not CSV.")
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
