"""A page of headings, paragraphs, lists and tables, as text for a terminal or as Markdown."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from advisor.cli.pages.tables import plain_table
from advisor.reports.outputs.wording.numbers import markdown_table

_WIDTH, _NARROWEST = 110, 40
# Between two columns; and what a column in several lines keeps at least.
_GAP, _NARROW_COLUMN = 2, 12


def page_width() -> int:
    """The columns of a page: those of the terminal, if it is printed in one, and no more than read well."""
    if sys.stdout is None or not sys.stdout.isatty():
        return _WIDTH
    return max(_NARROWEST, min(_WIDTH, shutil.get_terminal_size((_WIDTH, 24)).columns))


def fitting_table(
    header: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int], optional: Sequence[int]
) -> str:
    """A table no wider than its page: without the first of the `optional` columns, as many as there is no
    room for; then with the widest column of words in several lines; then in parts, all with the first column.
    """
    width = page_width()
    table = _Table(header, rows, frozenset(right))
    for dropped in range(len(optional) + 1):
        fewer = table.of([at for at in range(len(header)) if at not in optional[:dropped]])
        if fewer.width <= width:
            return fewer.text()
    folded = fewer.folded(width)
    parts = [folded] if folded.width <= width else [one.folded(width) for one in fewer.parts(width)]
    return "\n\n".join(one.text() for one in parts)


@dataclass(frozen=True)
class _Table:
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    right: frozenset[int]

    @property
    def widths(self) -> list[int]:
        """The width of each column."""
        return [max(len(row[at]) for row in (self.header, *self.rows)) for at in range(len(self.header))]

    @property
    def width(self) -> int:
        return sum(self.widths) + _GAP * (len(self.header) - 1)

    def text(self) -> str:
        return plain_table(self.header, self.rows, [*self.right])

    def of(self, kept: Sequence[int]) -> _Table:
        """The table of some of the columns."""
        rows = [[row[at] for at in kept] for row in self.rows]
        right = frozenset(place for place, at in enumerate(kept) if at in self.right)
        return _Table([self.header[at] for at in kept], rows, right)

    def folded(self, width: int) -> _Table:
        """The table with its widest column of words in as many lines as make it fit, if that leaves room."""
        words = [at for at in range(len(self.header)) if at not in self.right]
        at = max(words, key=lambda column: self.widths[column], default=None)
        room = 0 if at is None else self.widths[at] - (self.width - width)
        if at is None or room < max(_NARROW_COLUMN, len(self.header[at])):
            return self
        return _Table(self.header, [line for row in self.rows for line in _lines(row, at, room)], self.right)

    def parts(self, width: int) -> list[_Table]:
        """Tables of the first column and as many others as fit, in turn."""
        widths, found = self.widths, [[0]]
        for at in range(1, len(widths)):
            taken = sum(widths[one] + _GAP for one in found[-1])
            if taken + widths[at] > width and len(found[-1]) > 1:
                found.append([0])
            found[-1].append(at)
        return [self.of(kept) for kept in found]


def _lines(row: Sequence[str], at: int, room: int) -> list[list[str]]:
    """A row with one cell in several lines, the others in the first of them."""
    first, *others = textwrap.wrap(row[at], room) or [""]
    below = [["" if column != at else line for column in range(len(row))] for line in others]
    return [[*row[:at], first, *row[at + 1 :]], *below]


class Page:
    """Gathers parts; `text` gives the page."""

    def __init__(self, markdown: bool) -> None:
        self.is_markdown = markdown
        self._parts: list[str] = []
        self._width = page_width()

    def heading(self, text: str) -> None:
        """Begin a section."""
        self._parts.append(f"## {text}" if self.is_markdown else text)

    def paragraph(self, text: str) -> None:
        """Add a paragraph, wrapped for terminals."""
        if text:
            self._parts.append(text if self.is_markdown else textwrap.fill(text, self._width))

    def lines(self, lines: Sequence[str]) -> None:
        """Add lines that stand for themselves, in Markdown as items of a list."""
        if lines:
            self._parts.append("\n".join(self._item(line, "- ", "", 2) for line in lines))

    def numbered(self, items: Sequence[tuple[str, Sequence[str]]]) -> None:
        """Add a numbered list, each item with lines of its own below it."""
        found = []
        for number, (text, below) in enumerate(items, 1):
            found.append(self._item(text, f"{number}. ", f"{number}. ", len(f"{number}. ")))
            found += [self._item(line, "   - ", "     ", 7) for line in below]
        self._parts.append("\n".join(found))

    def block(self, lines: Sequence[str]) -> None:
        """Add lines that belong together, indented ones below; a nested list in Markdown."""
        if self.is_markdown:
            marks = [f"{line[: len(line) - len(line.lstrip())]}- {line.lstrip()}" for line in lines]
            self._parts.append("\n".join(marks))
            return
        wrapped = [
            textwrap.fill(line, self._width, subsequent_indent=" " * (len(line) - len(line.lstrip()) + 2))
            for line in lines
        ]
        self._parts.append("\n".join(wrapped))

    def _item(self, line: str, mark: str, indent: str, below: int) -> str:
        if self.is_markdown:
            return f"{mark}{line}"
        return textwrap.fill(line, self._width, initial_indent=indent, subsequent_indent=" " * below)

    def table(
        self,
        header: Sequence[str],
        rows: Sequence[Sequence[str]],
        right: Sequence[int] = (),
        optional: Sequence[int] = (),
    ) -> None:
        """Add a table, none without rows; on a narrow page without the first of `optional` columns."""
        if rows and self.is_markdown:
            self._parts.append(markdown_table(header, rows, right))
        elif rows:
            self._parts.append(fitting_table(header, rows, right, optional))

    def code(self, text: str) -> str:
        """A name in the text, marked as code in Markdown."""
        return f"`{text}`" if self.is_markdown else text

    def text(self) -> str:
        """The whole page, with a line end."""
        return "\n\n".join(self._parts) + "\n"
