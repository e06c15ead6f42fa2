"""Reads the pages that `advisor rules docs` writes, as strictly as their tests need."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

VOID = {"meta", "link", "input", "br", "img", "hr"}


@dataclass
class Parsed(HTMLParser):
    """One page: every tag closed where it must be, and what can be linked from and to."""

    text: str
    ids: list[str] = field(default_factory=list)
    links: list[tuple[str, str]] = field(default_factory=list)
    headings: list[str] = field(default_factory=list)
    tags: list[tuple[str, dict[str, str | None]]] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    words: str = ""

    def __post_init__(self) -> None:
        super().__init__()
        self._open: list[str] = []
        self._link: tuple[str, str] | None = None
        self.feed(self.text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        assert len(attributes) == len(attrs)
        self.tags.append((tag, attributes))
        if "id" in attributes:
            self.ids.append(str(attributes["id"]))
        if tag == "a":
            self._link = (str(attributes["href"]), "")
        elif "href" in attributes or "src" in attributes:
            self.links.append((str(attributes.get("href") or attributes.get("src")), tag))
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open and self._open.pop() == tag, f"</{tag}> at {self.getpos()}"
        if tag == "a":
            assert self._link is not None
            self.links.append(self._link)
            self._link = None

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] not in ("script", "style"):
            self.words += data
        if self._link is not None:
            self._link = (self._link[0], self._link[1] + data)
        if self.rows and {"td", "th"} & set(self._open):
            self.rows[-1][-1] += data


def parse_all(files: dict[str, str]) -> dict[str, Parsed]:
    return {name: Parsed(text) for name, text in files.items() if name.endswith(".html")}


def contents(folder: Path) -> dict[str, str]:
    return {
        file.relative_to(folder).as_posix(): file.read_bytes().decode("utf-8")
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


def check_links(files: dict[str, str]) -> int:
    """The number of links inside the site, each of which leads to a file and a place in it."""
    parsed = parse_all(files)
    inside = 0
    for name, page in parsed.items():
        for target, words in page.links:
            assert words.strip(), f"{name}: a link to {target} without words"
            if re.match("https?://", target):
                continue
            parts = urlsplit(target)
            assert not parts.scheme and not parts.netloc, target
            path = (
                posixpath.normpath(posixpath.join(posixpath.dirname(name), parts.path))
                if parts.path
                else name
            )
            assert path in files, f"{name}: {target}"
            if parts.fragment:
                assert unquote(parts.fragment) in parsed[path].ids, f"{name}: {target}"
            inside += 1
    return inside
