"""JSON read piece by piece: a trace of gigabytes needs the memory of one of its events."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import IO, Any

_CHUNK = 1 << 20
# An event has some thousand characters; the values beside the events some ten thousand.
_LONGEST = 64 * 1024**2
_LONGEST_NUMBER = 40
_SPACE = " \t\r\n"
_NO_SPACE = re.compile(f"[^{_SPACE}]")
_BEHIND = frozenset(f"{_SPACE},:]}}")


class Damaged(Exception):
    """The text is no JSON, or ends in the middle of it."""


def _whole(text: str) -> int:
    if len(text) > _LONGEST_NUMBER:
        raise Damaged(f"`{text[:40]}` goes on as a number of {len(text)} digits")
    return int(text)


def _decimal(text: str) -> float | None:
    found = float(text)
    return found if math.isfinite(found) else None


def _none(_: str) -> None:
    """What stands for Infinity and NaN, which profilers write where they divided by a time of zero."""


class JsonStream:
    """The outermost object of a text, key by key; one array in it is given element by element."""

    def __init__(self, text: IO[str]) -> None:
        self._text, self._buffer, self._at, self._ended = text, "", 0, False
        self._decoder = json.JSONDecoder(parse_int=_whole, parse_float=_decimal, parse_constant=_none)

    def items(self, streamed: str) -> Iterator[tuple[str, Any]]:
        """The keys and values of the object; of the array `streamed` one pair for each element.

        A text that is an array itself counts as that array. Raises Damaged for what is no JSON.
        """
        if self._next() == "[":
            for element in self._elements():
                yield streamed, element
            return
        self._expect("{")
        while self._next() != "}":
            key = self._value()
            self._expect(":")
            if key == streamed and self._next() == "[":
                for element in self._elements():
                    yield streamed, element
            else:
                yield str(key), self._value()
            if self._next() == ",":
                self._at += 1
        self._at += 1

    def _elements(self) -> Iterator[Any]:
        self._expect("[")
        while self._next() != "]":
            yield self._value()
            if self._next() == ",":
                self._at += 1
            elif self._next() != "]":
                raise Damaged(f"`,` or `]` was expected, not `{self._next()}`")
        self._at += 1

    def _expect(self, character: str) -> None:
        if self._next() != character:
            raise Damaged(f"`{character}` was expected, not `{self._next()}`")
        self._at += 1

    def _next(self) -> str:
        """The next character that is no space, which stays to be read. Raises Damaged at the text's end."""
        while True:
            found = _NO_SPACE.search(self._buffer, self._at)
            self._at = len(self._buffer) if found is None else found.start()
            if found is not None:
                return found[0]
            if not self._fill():
                raise Damaged("it ends in the middle")

    def _value(self) -> Any:
        self._next()
        while True:
            try:
                value, end = self._decoder.raw_decode(self._buffer, self._at)
            except json.JSONDecodeError as error:
                if self._fill():
                    continue
                raise Damaged(
                    error.msg if self._more_follows(error.pos) else "it ends in the middle"
                ) from None
            except RecursionError:
                raise Damaged("it is nested too deep") from None
            # A number may go on in the next piece: 1.5e-7 begins as 1, 1.5 and 1.5 with an `e` behind it.
            behind = self._buffer[end : end + 1]
            if isinstance(value, int | float) and behind not in _BEHIND and self._fill():
                continue
            self._at = end
            return value

    def _more_follows(self, position: int) -> bool:
        return position < len(self._buffer.rstrip())

    def _fill(self) -> bool:
        """Whether more was read; what was used is dropped."""
        if self._ended:
            return False
        if len(self._buffer) - self._at > _LONGEST:
            raise Damaged("one of its values has more than 64 MiB")
        piece = self._text.read(max(_CHUNK, len(self._buffer) - self._at))
        self._ended = not piece
        self._buffer, self._at = self._buffer[self._at :] + piece, 0
        return bool(piece)
