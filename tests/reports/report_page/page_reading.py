"""Reads the page as strictly as its tests need."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "br"}


@dataclass
class Table:
    """A table: its heading cells and its rows."""

    name: str
    header: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)

    def row(self, name: str) -> dict[str, str]:
        """The one row with that cell, by its headings."""
        (found,) = [row for row in self.rows if name in row]
        return dict(zip(self.header, found, strict=True))


class Page(HTMLParser):
    """The elements of a page; every tag must be closed where it belongs."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.ids: list[str] = []
        self.tables: list[Table] = []
        self.sections: dict[str, list[str]] = {}
        self.words = ""
        self._open: list[str] = []
        self._heading: str | None = None
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        assert len(attributes) == len(attrs), f"<{tag}> has an attribute twice"
        self.tags.append((tag, attributes))
        if "id" in attributes:
            self.ids.append(str(attributes["id"]))
        if tag == "h2":
            self._heading = str(attributes.get("id") or "")
            self.sections[self._heading] = []
        elif self._heading is not None:
            self.sections[self._heading].append(tag)
        if tag == "table":
            self.tables.append(Table(str(attributes.get("aria-label") or "")))
        if tag == "tr":
            self.tables[-1].rows.append([])
        if tag in ("td", "th"):
            self.tables[-1].rows[-1].append("")
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open and self._open.pop() == tag, f"</{tag}> at {self.getpos()}"
        if tag == "thead":
            (header,) = self.tables[-1].rows
            self.tables[-1].header, self.tables[-1].rows = header, []

    def handle_data(self, data: str) -> None:
        if {"td", "th"} & set(self._open):
            self.tables[-1].rows[-1][-1] += data
        if self._open and self._open[-1] != "style":
            self.words += data

    def table(self, beginning: str) -> Table:
        """The first table whose name begins so."""
        return next(one for one in self.tables if one.name.startswith(beginning))

    @property
    def heat_maps(self) -> list[Table]:
        """The tables of source lines."""
        return [one for one in self.tables if one.header[:1] == ["line"]]
