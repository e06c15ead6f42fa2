"""A page as Markdown with tables."""

from __future__ import annotations

import re

from advisor.reports.rule_pages.page_model import Cell, LinkTo, Page, Piece, Rows, Section, web_only

# What would mean something to Markdown or HTML, outside of code. An underscore inside a word means nothing.
_MARKS = re.compile(r"[\\*\[\]<&]|(?<!\w)_|_(?!\w)")
_AT_START = re.compile(r"([#>+-]|\d+(?=[.)]))")
_ENTITIES = {"<": "&lt;", "&": "&amp;"}


def page_as_markdown(page: Page, link_to: LinkTo = web_only) -> str:
    """The page as Markdown; `link_to` tells what its links lead to, by default addresses of the web only."""
    blocks = [f"# {_prose(page.title)}"]
    if page.keywords:
        blocks.append("*" + ", ".join(f"{name} {_prose(value)}" for name, value in page.keywords) + "*")
    for section in page.sections:
        blocks.append(f"## {_prose(section.heading)}")
        blocks += [
            _AT_START.sub(r"\\\1", _prose(text), count=1) if _AT_START.match(text) else _prose(text)
            for text in section.paragraphs
        ]
        if section.code:
            blocks.append(_fenced(section))
        if section.items:
            blocks.append("\n".join(f"- {_piece(item, link_to)}" for item in section.items))
        if len(section.table) > 1:
            blocks.append(_table(section.table, link_to))
    return "\n\n".join(blocks)


def _fenced(section: Section) -> str:
    longest = max((len(found) for found in re.findall(r"`+", section.code)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{section.language}\n{section.code}\n{fence}"


def _prose(text: str) -> str:
    """The text with its code in backticks left alone and all else meaning itself."""
    parts = re.split(r"(`[^`]+`)", text)
    return "".join(
        part if index % 2 else _MARKS.sub(_escape, part).replace("`", "\\`")
        for index, part in enumerate(parts)
    )


def _escape(found: re.Match[str]) -> str:
    return _ENTITIES.get(found[0], f"\\{found[0]}")


def _piece(piece: Piece, link_to: LinkTo) -> str:
    if isinstance(piece, str):
        return _prose(piece)
    words = _code_span(piece.text) if piece.code else _prose(piece.text)
    target = link_to(piece.target)
    named = f'<a id="{piece.name}"></a>' if piece.name else ""
    return named + (f"[{words}]({_address(target)})" if target else words)


def _code_span(text: str) -> str:
    if "`" not in text:
        return f"`{text}`"
    fence = "`" * (1 + max(len(found) for found in re.findall(r"`+", text)))
    return f"{fence} {text} {fence}"


def _address(target: str) -> str:
    # An address in pointed brackets ends at the closing one; its own round brackets mean nothing there.
    return f"<{target}>" if re.search(r"[()]", target) else target


def _table(table: Rows, link_to: LinkTo) -> str:
    header, *rows = ([_cell(cell, link_to) for cell in row] for row in table)
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _cell(cell: Cell, link_to: LinkTo) -> str:
    pieces = cell if isinstance(cell, tuple) else (cell,)
    return ", ".join(_piece(piece, link_to) for piece in pieces).replace("|", "\\|").replace("\n", " ")
