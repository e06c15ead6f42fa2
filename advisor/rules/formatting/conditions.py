"""Conditions: on one line, or each `and` and `or` on a line of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from advisor.rules.formatting.page import WIDTH, Page, width
from advisor.rules.formatting.tokens import KEYWORD, Word

# Brackets inside of more brackets than these are not broken into lines.
_DEEPEST = 12


def set_condition(page: Page, words: Sequence[Word], column: int, spread: bool) -> None:
    """Set the words of a condition that begins in `column`, on however many lines it was written.

    It is broken into lines when `spread` asks for it, has comments, or would pass the width of a line.
    """
    _set(page, words, column, spread, _DEEPEST)


def _set(page: Page, words: Sequence[Word], column: int, spread: bool, deeper: int) -> None:
    spread = spread or column + width(words) > WIDTH or any(word.comments for word in words[1:])
    parts = list(_operands(words)) if spread else [words]
    for number, part in enumerate(parts):
        if number:
            connective, *part = part
            page.begin(connective, column - len(connective.text) - 1)
        _set_operand(page, part, column, deeper)


def _set_operand(page: Page, words: Sequence[Word], column: int, deeper: int) -> None:
    at = 0
    while at < len(words):
        page.put(words[at], column)
        at += 1
        if deeper and words[at - 1].kind == "(":
            end = _closing(words, at)
            _set(page, words[at:end], page.column, False, deeper - 1)
            at = end


def _closing(words: Sequence[Word], at: int) -> int:
    """Where the bracket that was opened before `at` is closed."""
    depth = 1
    while depth:
        depth += {"(": 1, ")": -1}.get(words[at].kind, 0)
        at += 1
    return at - 1


def _operands(words: Sequence[Word]) -> Iterator[Sequence[Word]]:
    """The parts of a condition, split before each `and` and `or` outside of brackets."""
    starts = [0, *_connectives(words), len(words)]
    for start, end in pairwise(starts):
        yield words[start:end]


def _connectives(words: Sequence[Word]) -> list[int]:
    found: list[int] = []
    depth = betweens = 0
    for index, word in enumerate(words):
        depth += {"(": 1, ")": -1}.get(word.kind, 0)
        if depth:
            continue
        if word.kind == ",":
            return []  # arguments of a function
        if word.kind != KEYWORD:
            continue
        if word.text == "between":
            betweens += 1
        elif word.text == "and" and betweens:
            betweens -= 1
        elif word.text in ("and", "or"):
            found.append(index)
    return found
