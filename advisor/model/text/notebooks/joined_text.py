"""The code cells of a notebook as one Python text, and the way back from a line of it to the cell.

Each cell follows a comment that says which it is, so that the text alone tells where each of its lines
belongs: whoever holds the text needs nothing else.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from advisor.model.text.notebooks.json_text import StoredCell, decode_notebook, read_cells
from advisor.model.text.notebooks.magics import as_written, python_of, repeats, times

_HEADER = re.compile(
    r"^# %% cell (?P<number>\d+)(?: (?P<way>on|from) line (?P<file_line>\d+))?"
    r"(?:, (?:lines (?P<unread>[\d ]+)|all) left out for (?P<line>\d+):(?P<column>\d+) (?P<fault>.*))?\n",
    re.MULTILINE,
)
_LIKE_A_HEADER = re.compile(r"^(# %% cell \d.*)$", re.MULTILINE)


@dataclass(frozen=True)
class JoinedCell:
    """A code cell in the joined text. `number` counts the cells of the notebook from 1.

    Its `count` lines begin with the text's line `first`, from 1. `header` is the offset of its header,
    `begin` and `end` those of its own text, without the line end that was put behind it. `file_line` is the
    file's line of its first line, 0 where that is not known, and `spread` says whether each line of the cell
    has a line of the file to itself. `fault` is why the cell was left out, or its lines `unread` were, at its
    own line `fault_line` and its column.
    """

    number: int
    first: int
    count: int
    begin: int
    end: int
    header: int
    file_line: int = 0
    spread: bool = False
    fault: str = ""
    fault_line: int = 0
    fault_column: int = 1
    unread: tuple[int, ...] = ()

    def line(self, joined: int) -> int:
        """The cell's line, from 1, of a line of the joined text; that of the header counts as the first."""
        return max(1, min(joined - self.first + 1, self.count))

    def line_of_file(self, line: int) -> int:
        """The file's line that holds a line of the cell, 1 where that is not known."""
        return max(self.file_line + (line - 1 if self.spread else 0), 1)


@dataclass(frozen=True)
class Cells:
    """The code cells of a joined text, in order."""

    text: str = field(repr=False)
    every: tuple[JoinedCell, ...]

    @cached_property
    def _firsts(self) -> list[int]:
        return [cell.first - 1 for cell in self.every]

    @cached_property
    def _headers(self) -> list[int]:
        return [cell.header for cell in self.every]

    def at_line(self, line: int) -> JoinedCell | None:
        """The cell of a line of the text, None before the first and without any cells."""
        at = bisect_right(self._firsts, line) - 1
        return self.every[at] if at >= 0 else None

    def at_offset(self, offset: int) -> JoinedCell | None:
        """The cell of an offset into the text, its header included."""
        at = bisect_right(self._headers, offset) - 1
        return self.every[at] if at >= 0 else None

    def source(self, cell: JoinedCell) -> str:
        """The source of a cell as it stands in the notebook."""
        return "\n".join(map(as_written, self.text[cell.begin : cell.end].split("\n")))

    def offset_in_source(self, cell: JoinedCell, offset: int) -> int:
        """The offset into a cell's own source of an offset into the text."""
        *before, last = self.text[cell.begin : max(offset, cell.begin)].split("\n")
        return sum(len(as_written(line)) + 1 for line in before) + len(last)

    def left_out(self) -> list[tuple[int, int, str]]:
        """What of the cells is not Python: a line of the text, its column, and a sentence."""
        return [
            (
                cell.first + cell.fault_line - 1,
                cell.fault_column,
                cell.fault if cell.unread else f"{cell.fault}; this cell is left out",
            )
            for cell in self.every
            if cell.fault
        ]

    def unread(self) -> frozenset[int]:
        """The lines of the text that belong to functions and cells which cannot be read as a whole."""
        return frozenset(
            cell.first + line - 1
            for cell in self.every
            if cell.fault
            for line in cell.unread or range(1, cell.count + 1)
        )


@lru_cache(maxsize=8)
def cells_of(text: str) -> Cells:
    """The cells of a joined text; none for any other text."""
    found, line, seen = [], 1, 0
    headers = list(_HEADER.finditer(text))
    ends = [*(header.start() for header in headers[1:]), len(text)]
    for header, end in zip(headers, ends, strict=False):
        line, seen = line + text.count("\n", seen, header.end()), header.end()
        body = max(header.end(), end - 1)
        found.append(
            JoinedCell(
                number=int(header["number"]),
                first=line,
                count=text.count("\n", header.end(), body) + 1,
                begin=header.end(),
                end=body,
                header=header.start(),
                file_line=int(header["file_line"] or 0),
                spread=header["way"] == "from",
                fault=header["fault"] or "",
                fault_line=int(header["line"] or 0),
                fault_column=int(header["column"] or 1),
                unread=tuple(map(int, (header["unread"] or "").split())),
            )
        )
    return Cells(text, tuple(found))


def is_repeated_by_command(text: str, line: int) -> bool:
    """Whether IPython's `timeit` repeats what stands in a line of a joined text, to measure its time."""
    cell = cells_of(text).at_line(line) if "timeit" in text else None
    return cell is not None and repeats(text[cell.begin : cell.end], line - cell.first)


def timed_by_command(text: str, line: int) -> range | None:
    """The lines of a joined text that IPython's `time` or `timeit` measures together with a line; None where
    neither does.
    """
    cell = cells_of(text).at_line(line) if "%time" in text else None
    found = times(text[cell.begin : cell.end], line - cell.first) if cell is not None else None
    return None if found is None or cell is None else range(cell.first + found.start, cell.first + found.stop)


def notebook_text(data: bytes, path: str) -> str:
    """The joined text of a notebook's bytes; raises SourceProblem for what is no notebook of Python code."""
    stored = read_cells(decode_notebook(data, path), path)
    return "".join(joined_cell(cell.number, cell.source, _place(cell)) for cell in stored if cell.is_python)


def joined_cell(number: int, source: str, place: str = "") -> str:
    """A cell as it stands in the joined text; empty for one of another language.

    What is not Python is left out: empty lines, and the cause in the header.
    """
    read = python_of(source)
    if read.text is None and not read.fault:
        return ""
    text = "\n" * source.count("\n") if read.text is None else _LIKE_A_HEADER.sub(_told_apart, read.text)
    cause = ""
    if read.fault:
        what = f"lines {' '.join(map(str, sorted(read.unread)))}" if read.unread else "all"
        cause = f", {what} left out for {read.line}:{read.column} {' '.join(read.fault.split())}"
    return f"# %% cell {number}{place}{cause}\n{text}\n"


def _told_apart(line: re.Match[str]) -> str:
    """A line of the user's that reads like a header, with a blank behind it."""
    return f"{line[1]} " if _HEADER.match(f"{line[1]}\n") else line[1]


def _place(cell: StoredCell) -> str:
    return f" {'from' if cell.spread else 'on'} line {cell.line}"
