"""Where the keys and texts of a TOML file stand, which a parser of values does not tell."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass

Path = tuple["str | int", ...]

_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_QUOTED = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'')
_LONG = re.compile(r'"""(?:[^\\]|\\.)*?"{3,5}|\'{3}.*?\'{3,5}', re.DOTALL)
_PLAIN = re.compile(r"[^,\]}#\n]+")


@dataclass(frozen=True)
class TomlName:
    """A key, or a text that is a value, by the way to it from the top; its place is that inside quotes."""

    path: Path
    text: str
    start: int
    end: int
    is_key: bool


def toml_names(text: str) -> list[TomlName]:
    """All keys and short texts of a valid TOML file, in order. Raises ValueError for what is none.

    A key of several parts gives one for each part; numbers in a path count the tables of `[[…]]` and the
    elements of arrays, from 0. Texts over several lines and texts with escapes are left out.
    """
    return list(_Reader(text).names())


class _Reader:
    def __init__(self, text: str) -> None:
        self._text, self._at = text, 0
        self._tables: dict[Path, int] = {}

    def names(self) -> Iterator[TomlName]:
        table: Path = ()
        while self._more():
            if self._took("[["):
                table = yield from self._header("]]")
            elif self._took("["):
                table = yield from self._header("]")
            else:
                yield from self._pair(table)

    def _header(self, end: str) -> Generator[TomlName, None, Path]:
        path: Path = ()
        for key in self._key():
            path = (*path, key.text)
            # What is said of a list of tables is said of the last.
            yield TomlName(path, key.text, key.start, key.end, True)
            if path in self._tables and (end == "]" or self._text[self._at] == "."):
                path = (*path, self._tables[path])
        if end == "]]":
            self._tables[path] = self._tables.get(path, -1) + 1
            path = (*path, self._tables[path])
        self._expect(end)
        return path

    def _pair(self, table: Path) -> Iterator[TomlName]:
        path = table
        for key in self._key():
            path = (*path, key.text)
            yield TomlName(path, key.text, key.start, key.end, True)
        self._expect("=")
        yield from self._value(path)

    def _key(self) -> Iterator[TomlName]:
        """The parts of a key, with dots between them."""
        while True:
            self._more()
            found = _QUOTED.match(self._text, self._at)
            inside = 1 if found else 0
            found = found or _BARE.match(self._text, self._at)
            if found is None:
                raise ValueError(self._at)
            self._at = found.end()
            start, end = found.start() + inside, found.end() - inside
            self._more()
            yield TomlName((), self._text[start:end], start, end, True)
            if not self._took("."):
                return

    def _value(self, path: Path) -> Iterator[TomlName]:
        self._more()
        if self._took("["):
            yield from self._array(path)
        elif self._took("{"):
            self._more()
            while not self._took("}"):
                yield from self._pair(path)
                self._more()
                self._took(",")
                self._more()
        elif found := _LONG.match(self._text, self._at):
            self._at = found.end()
        elif found := _QUOTED.match(self._text, self._at):
            self._at = found.end()
            text = found[0][1:-1]
            if "\\" not in text:
                yield TomlName(path, text, found.start() + 1, found.end() - 1, False)
        elif found := _PLAIN.match(self._text, self._at):
            self._at = found.end()
        else:
            raise ValueError(self._at)

    def _array(self, path: Path) -> Iterator[TomlName]:
        number = 0
        self._more()
        while not self._took("]"):
            yield from self._value((*path, number))
            number += 1
            self._more()
            self._took(",")
            self._more()

    def _more(self) -> bool:
        """Whether anything follows after blanks and comments."""
        found = _BLANK.match(self._text, self._at)
        self._at = found.end() if found else self._at
        return self._at < len(self._text)

    def _took(self, mark: str) -> bool:
        here = self._text.startswith(mark, self._at)
        self._at += len(mark) if here else 0
        return here

    def _expect(self, mark: str) -> None:
        self._more()
        if not self._took(mark):
            raise ValueError(self._at)
