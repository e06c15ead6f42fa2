"""A rule's page as plain text and as Markdown."""

from __future__ import annotations

import textwrap

from advisor.cli.pages.rule_page import Page, Rows, Section
from advisor.cli.pages.tables import plain_table

_INDENT = "  "


def page_as_text(page: Page, width: int = 100) -> str:
    """The page for a terminal of `width` columns."""
    blocks = [page.title, ", ".join(page.keywords)]
    blocks += [f"{section.heading}\n{_section_text(section, width)}" for section in page.sections]
    return "\n\n".join(blocks)


def page_as_markdown(page: Page) -> str:
    """The page as Markdown with tables."""
    blocks = [f"# {page.title}", "*" + ", ".join(page.keywords) + "*"]
    for section in page.sections:
        blocks.append(f"## {section.heading}")
        blocks += section.paragraphs
        if section.items:
            blocks.append("\n".join(f"- {item}" for item in section.items))
        if len(section.table) > 1:
            blocks.append(_markdown_table(section.table))
    return "\n\n".join(blocks)


def _section_text(section: Section, width: int) -> str:
    lines = []
    for paragraph in section.paragraphs:
        lines += _wrapped(paragraph, width, _INDENT, _INDENT)
    for item in section.items:
        lines += _wrapped(item, width, f"{_INDENT}- ", f"{_INDENT}  ")
    if len(section.table) > 1:
        lines += textwrap.indent(plain_table(section.table[0], section.table[1:]), _INDENT).splitlines()
    return "\n".join(lines)


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


def _markdown_table(table: Rows) -> str:
    header, *rows = ([cell.replace("|", "\\|") for cell in row] for row in table)
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
