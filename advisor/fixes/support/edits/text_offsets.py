"""Offsets into a text by line and column, and where code ends on a line that has a comment."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable

# Python's line ends, which are fewer than those of str.splitlines.
_LINE_END = re.compile(r"\r\n|\r|\n")


class TextOffsets:
    """The places of a text as offsets, counted in characters."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts = [0, *(end.end() for end in _LINE_END.finditer(text))]
        self._is_ascii = text.isascii()

    def offset(self, line: int, column: int) -> int:
        """The offset of a line (from 1) and a column (from 0)."""
        return self._starts[line - 1] + column

    def offset_of_bytes(self, line: int, column: int) -> int:
        """The offset of a line (from 1) and a column that counts bytes of UTF-8, as those of `ast` do."""
        start = self._starts[line - 1]
        if not self._is_ascii:
            # A character has at least one byte.
            before = self.text[start : start + column]
            if not before.isascii():
                return start + len(before.encode()[:column].decode(errors="ignore"))
        return start + column

    def line_of(self, offset: int) -> int:
        """The line, from 1, that an offset lies in."""
        return bisect_right(self._starts, offset)

    def line_start(self, offset: int) -> int:
        """The offset where the line of an offset begins."""
        return self._starts[self.line_of(offset) - 1]

    def code_before(self, offset: int, in_string: Callable[[int], bool]) -> int | None:
        """The offset of the last character of code before a piece of code, None where it is the first.

        White space, comments and `\\` at the end of a line are no code. `in_string` says whether an offset
        lies in a string, where `#` begins no comment.
        """
        line, end = self.line_of(offset), offset
        while line:
            start = self._starts[line - 1]
            code = self.text[start:end].rstrip(" \t\f\r\n\\")
            if code:
                return start + len(code) - 1
            line -= 1
            if line:
                end = self._code_end(line, in_string)
        return None

    def _code_end(self, line: int, in_string: Callable[[int], bool]) -> int:
        """Where the comment of a line begins, the end of the line where it has none."""
        start, end = self._starts[line - 1], self._starts[line]
        place = self.text.find("#", start, end)
        while place >= 0 and in_string(place):
            place = self.text.find("#", place + 1, end)
        return end if place < 0 else place
