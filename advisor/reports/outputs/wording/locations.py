"""Where things stand, as every format says it: a line of a file, or a cell of a notebook and its line."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from advisor.model.errors import SourceProblem
from advisor.model.findings import Edit, Problem, Report
from advisor.model.text.notebooks import is_notebook
from advisor.model.text.notebooks.joined_text import Cells, JoinedCell, cells_of
from advisor.model.text.source_text import SourceText, Span, read_source


@dataclass(frozen=True)
class Location:
    """A place in a file. In a notebook `cell` counts its cells from 1, and `span` has the lines of the cell.

    `file_line` and `file_end_line` are lines of the file itself: the same ones, but of a notebook those of
    its JSON.
    """

    path: str
    span: Span
    cell: int | None
    file_line: int
    file_end_line: int

    @property
    def holder(self) -> str:
        """What holds the lines: the path, of a notebook with the cell."""
        return self.path if self.cell is None else f"{self.path}:cell {self.cell}"

    @property
    def line(self) -> str:
        """The line, and in a notebook the cell."""
        return str(self.span.line) if self.cell is None else f"cell {self.cell}:{self.span.line}"

    def in_words(self, text: str) -> str:
        """A text for those who are shown no cells: in a notebook with cell and line before it."""
        return text if self.cell is None else f"Cell {self.cell}, line {self.span.line}: {text}"

    def __str__(self) -> str:
        if not self.span.line:
            return self.holder
        return f"{self.holder}:{self.span.line}:{self.span.column}"


class Locations:
    """The places of one report."""

    def __init__(self, report: Report) -> None:
        self._texts = report.texts
        self._lines: dict[str, tuple[str, ...]] = {}

    def of(self, path: str, span: Span) -> Location:
        """The location of a span that a finding or a related place carries."""
        cell = self._cell(path, span.line)
        if cell is None:
            return Location(path, span, None, max(1, span.line), max(1, span.end_line))
        line, end_line = cell.line(span.line), cell.line(span.end_line)
        inside = Span(line, span.column, end_line, span.end_column)
        return Location(path, inside, cell.number, cell.line_of_file(line), cell.line_of_file(end_line))

    def of_line(self, path: str, line: int) -> Location:
        """The location of a line, 0 where no line is concerned."""
        return self.of(path, Span(line))

    def of_problem(self, problem: Problem) -> Location:
        """The location of a problem, at line 0 where it concerns no line."""
        return self.of(problem.path, Span(problem.line, problem.column))

    def lines(self, path: str, span: Span) -> tuple[str, ...]:
        """The lines that a location counts: those of the file, or those of the cell; none where unknown."""
        cell = self._cell(path, span.line)
        if cell is not None:
            return SourceText(path, self._cells(path).source(cell)).lines
        if path not in self._lines:
            self._lines[path] = SourceText(path, self._texts.get(path, "")).lines
        return self._lines[path]

    def edit(self, path: str, edit: Edit) -> tuple[int | None, Edit]:
        """The cell that an edit belongs to, None outside notebooks, and the edit with the cell's offsets."""
        if not is_notebook(path):
            return None, edit
        cells = self._cells(path)
        cell = cells.at_offset(edit.start)
        if cell is None:
            return None, edit
        start, end = (cells.offset_in_source(cell, offset) for offset in (edit.start, edit.end))
        return cell.number, Edit(start, end, edit.text, edit.path)

    def _cell(self, path: str, line: int) -> JoinedCell | None:
        return self._cells(path).at_line(line) if is_notebook(path) else None

    def _cells(self, path: str) -> Cells:
        return cells_of(self._texts.get(path, ""))


def place_of_line(path: str, line: int) -> str:
    """`path:line` of a file below the working directory, of a notebook `path:cell number:line`."""
    if not is_notebook(path):
        return f"{path}:{line}"
    try:
        report = Report("", texts={path: read_source(Path(path), path).text})
    except SourceProblem:
        return f"{path}:{line}"
    location = Locations(report).of_line(path, line)
    return f"{location.holder}:{location.span.line}"
