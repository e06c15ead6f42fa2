"""A page of headings, paragraphs, lists and tables, as text for a terminal or as Markdown."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from advisor.cli.pages.tables import plain_table
from advisor.cli.reporting.wording import markdown_table

_WIDTH = 110


class Page:
    """Gathers parts; `text` gives the page."""

    def __init__(self, markdown: bool) -> None:
        self.is_markdown = markdown
        self._parts: list[str] = []

    def heading(self, text: str) -> None:
        """Begin a section."""
        self._parts.append(f"## {text}" if self.is_markdown else text)

    def paragraph(self, text: str) -> None:
        """Add a paragraph, wrapped for terminals."""
        if text:
            self._parts.append(text if self.is_markdown else textwrap.fill(text, _WIDTH))

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
            textwrap.fill(line, _WIDTH, subsequent_indent=" " * (len(line) - len(line.lstrip()) + 2))
            for line in lines
        ]
        self._parts.append("\n".join(wrapped))

    def _item(self, line: str, mark: str, indent: str, below: int) -> str:
        if self.is_markdown:
            return f"{mark}{line}"
        return textwrap.fill(line, _WIDTH, initial_indent=indent, subsequent_indent=" " * below)

    def table(self, header: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> None:
        """Add a table, none without rows."""
        if rows:
            draw = markdown_table if self.is_markdown else plain_table
            self._parts.append(draw(header, rows, right))

    def code(self, text: str) -> str:
        """A name in the text, marked as code in Markdown."""
        return f"`{text}`" if self.is_markdown else text

    def text(self) -> str:
        """The whole page, with a line end."""
        return "\n\n".join(self._parts) + "\n"
