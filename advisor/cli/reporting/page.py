"""A page of headings, paragraphs, lists and tables, as text for a terminal or as Markdown."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Sequence

from advisor.cli.pages.tables import plain_table
from advisor.reports.outputs.wording.numbers import markdown_table

_WIDTH, _NARROWEST = 110, 40


def page_width() -> int:
    """The columns of a page: those of the terminal, if it is printed in one, and no more than read well."""
    if sys.stdout is None or not sys.stdout.isatty():
        return _WIDTH
    return max(_NARROWEST, min(_WIDTH, shutil.get_terminal_size((_WIDTH, 24)).columns))


def fitting_table(
    header: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int], optional: Sequence[int]
) -> str:
    """A table without the first of the `optional` columns, as many as its page has no room for."""
    width = page_width()
    for dropped in range(len(optional) + 1):
        kept = [at for at in range(len(header)) if at not in optional[:dropped]]
        text = plain_table(
            [header[at] for at in kept],
            [[row[at] for at in kept] for row in rows],
            [place for place, at in enumerate(kept) if at in right],
        )
        if max(map(len, text.splitlines())) <= width:
            break
    return text


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
