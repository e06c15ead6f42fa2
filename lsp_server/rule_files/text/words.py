"""The words of a rule file, whatever state it is in: every text has some."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal, TypeAlias

from advisor.rules.language.parse_tables import grammar

Kind: TypeAlias = Literal[
    "doc", "comment", "text", "open_text", "date", "number", "unit", "id", "attr", "word", "mark"
]
_WORDS = re.compile(
    r'(?P<doc>///[^\n]*)|(?P<comment>//[^\n]*)|(?P<text>"(?:[^"\\\n]|\\.)*")|(?P<open_text>"[^\n]*)'
    r"|(?P<date>\d{4}-\d\d-\d\d)|(?P<number>\d+(?:\.\d+)?(?:e[+-]?\d+)?)|(?P<attr>\.[A-Za-z_]\w*)"
    r"|(?P<word>[A-Za-zµ_]\w*)|(?P<mark>\.\.|<=|>=|!=|\S)"
)
_SPACE = re.compile(r"\s*")
_ID = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
# What a rule's id follows, which may hold hyphens.
_BEFORE_ID = frozenset({"rule", "override", "suppress", "except", "renamed", "retired", "to", "see"})
_BEFORE_LIST = ("see", "except")


@dataclass(frozen=True, slots=True)
class Word:
    """A word, number, text, comment or mark, and the offsets where it begins and ends."""

    kind: Kind
    text: str
    start: int
    end: int


@cache
def terminal(name: str) -> str:
    """The pattern of a terminal, as the grammar has it."""
    found = re.search(rf"^{name}(?:\.\d+)?: /(.+)/$", grammar(), re.MULTILINE)
    assert found is not None, name
    return found[1]


@cache
def reserved() -> frozenset[str]:
    """The words that no name may be."""
    found = re.match(r"\(\?!\(\?:([a-z|]+)\)", terminal("NAME"))
    assert found is not None
    return frozenset(found[1].split("|"))


@cache
def _quantity() -> re.Pattern[str]:
    return re.compile(terminal("QUANTITY"))


def words_of(text: str) -> list[Word]:
    """The words of a text in their order; the unit of a number is a word of its own."""
    return list(_words(text))


def _words(text: str) -> Iterator[Word]:
    at, before, listing = 0, "", False
    while match := _WORDS.match(text, _space_end(text, at)):
        start, at = match.span()
        kind: Kind = match.lastgroup  # type: ignore[assignment]
        listing = before in _BEFORE_LIST or (listing and (before == "," or kind == "mark"))
        if kind == "word" and (before in _BEFORE_ID or listing) and (named := _ID.match(text, start)):
            kind, at = "id", named.end()
        word = Word(kind, text[start:at], start, at)
        yield word
        if kind == "number" and (whole := _quantity().match(text, start)):
            at = whole.end()
            begin = word.end + len(text[word.end : at]) - len(text[word.end : at].lstrip())
            yield Word("unit", text[begin:at], begin, at)
        if kind not in ("doc", "comment"):
            before = word.text


def _space_end(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


class Lines:
    """Between offsets into a text and its lines and columns, both from 1."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts = [0, *(at + 1 for at, character in enumerate(text) if character == "\n")]

    def place(self, offset: int) -> tuple[int, int]:
        """The line and column of an offset."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def offset(self, place: tuple[int, int]) -> int:
        """The offset of a place; one past the end of its line is that end."""
        line, column = place
        if line > len(self._starts):
            return len(self.text)
        start = self._starts[line - 1]
        end = self._starts[line] - 1 if line < len(self._starts) else len(self.text)
        return min(start + column - 1, end)
