"""A page as plain text for a terminal."""

from __future__ import annotations

import textwrap

from advisor.cli.pages.tables import plain_table
from advisor.reports.rule_pages.page_model import Page, Rows, Section, plain, plain_rows

_INDENT = "  "


def page_as_text(page: Page, width: int = 100) -> str:
    """The page for a terminal of `width` columns."""
    blocks = [page.title, ", ".join(f"{name} {value}" for name, value in page.keywords)]
    blocks += [f"{section.heading}\n{_section_text(section, width)}" for section in page.sections]
    return "\n\n".join(blocks)


def _section_text(section: Section, width: int) -> str:
    lines: list[str] = []
    for paragraph in section.paragraphs:
        lines += _wrapped(paragraph, width, _INDENT, _INDENT)
    if lines and section.code:
        lines.append("")
    lines += _code(section, width)
    items = [plain(item) for item in section.items]
    if section.listed:
        items += _rows_as_items(section.table)
    for item in items:
        lines += _wrapped(item, width, f"{_INDENT}- ", f"{_INDENT}  ")
    if len(section.table) > 1 and not section.listed:
        header, *rows = plain_rows(section.table)
        lines += textwrap.indent(plain_table(header, rows), _INDENT).splitlines()
    return "\n".join(lines)


def _code(section: Section, width: int) -> list[str]:
    """The lines of code; only conditions are broken, for the others are there to be copied."""
    found = []
    for line in section.code.splitlines():
        if section.language == "rules":
            found += _wrapped(line.lstrip(), width, _INDENT + line[: -len(line.lstrip())], _INDENT * 4)
        else:
            found.append(_INDENT + line)
    return found


def _rows_as_items(table: Rows) -> list[str]:
    _, *rows = plain_rows(table)
    return [_row_as_item(row) for row in rows]


def _row_as_item(row: list[str]) -> str:
    first, *between, last = row
    brackets = "".join(f" ({cell})" for cell in between if cell)
    return f"{first}{brackets}" + (f": {last}" if last else "")


def _wrapped(text: str, width: int, first: str, rest: str) -> list[str]:
    # An address broken at a hyphen cannot be clicked.
    return textwrap.wrap(
        text,
        width,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    )
