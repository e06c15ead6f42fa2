"""A page as data: sections of paragraphs, lists, tables and code that every format writes in its own way."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

_WEB = re.compile(r"https?://\S+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Words:
    """Words that lead somewhere, can be led to by `name`, or are `code`.

    `target` is an address of the web, `rule:` and a rule's id, `metric:` and entity.name, or `category:` and
    a category; the page's writer knows where these are.
    """

    text: str
    target: str = ""
    name: str = ""
    code: bool = False


Piece: TypeAlias = str | Words
Cell: TypeAlias = Piece | tuple[Piece, ...]
Rows: TypeAlias = tuple[tuple[Cell, ...], ...]
# From the target of words to what a link to it is written as, "" for no link.
LinkTo: TypeAlias = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page: paragraphs, then code, then a list, then a table whose first row is the header.

    A `listed` table is a list where lines are short: first cell, the next in brackets, the last behind a
    colon. `language` is that of the code: rules, toml or python.
    """

    heading: str
    paragraphs: tuple[str, ...] = ()
    items: tuple[Piece, ...] = ()
    table: Rows = ()
    listed: bool = False
    code: str = ""
    language: str = ""
    name: str = ""

    def __bool__(self) -> bool:
        return bool(self.paragraphs or self.code or self.items or len(self.table) > 1)

    @property
    def anchor(self) -> str:
        """The name that a link to this section ends in."""
        return self.name or anchor(self.heading.lower())


@dataclass(frozen=True, slots=True)
class Page:
    """A title, keywords with their values, and the sections that have something to say."""

    title: str
    keywords: tuple[tuple[str, str], ...]
    sections: tuple[Section, ...]


def plain(cell: Cell) -> str:
    """The cell without links; an address of the web follows its words."""
    if isinstance(cell, tuple):
        return ", ".join(plain(piece) for piece in cell)
    if isinstance(cell, str):
        return cell
    return f"{cell.text}, {cell.target}" if is_web(cell.target) else cell.text


def plain_rows(table: Rows) -> list[list[str]]:
    """The table's rows, header first, as plain texts."""
    return [[plain(cell) for cell in row] for row in table]


def is_web(target: str) -> bool:
    """Whether `target` is an address that a browser may be sent to."""
    return _WEB.fullmatch(target) is not None


def web_only(target: str) -> str:
    """The address of the web, "" for every other target: what a page that stands alone can link to."""
    return target if is_web(target) else ""


def anchor(text: str) -> str:
    """The text as a name for links, different for different texts: ` ` is `_`, what else is odd its code."""
    return re.sub(r"[^A-Za-z0-9-]", lambda found: "_" if found[0] == " " else f".{ord(found[0]):x}.", text)
