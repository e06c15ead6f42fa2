"""Places between our units (lines and characters from 1) and those agreed on with the client."""

from __future__ import annotations

from dataclasses import dataclass

from lsprotocol import types
from pygls.workspace import PositionCodec

from advisor.model.text.source_text import SourceText, Span


@dataclass(frozen=True)
class Positions:
    """The places of one text. Lines are split as Python splits them, not as `str.splitlines` does."""

    text: SourceText
    codec: PositionCodec

    def range(self, span: Span) -> types.Range:
        """The client's range for a span; what lies past the end of a line ends with the line."""
        start, end = (span.line, span.column), (span.end_line, span.end_column)
        return types.Range(self.position(*start), self.position(*max(start, end)))

    def position(self, line: int, column: int) -> types.Position:
        """The client's position for a line and a column."""
        before = self._line(line)[: max(column - 1, 0)]
        return types.Position(max(line - 1, 0), self.codec.client_num_units(before))

    def place(self, position: types.Position) -> tuple[int, int]:
        """Our line and column of a client's position, which may lie past the end of its line."""
        line = position.line + 1
        column, units = 1, 0
        for character in self._line(line):
            units += self.codec.client_num_units(character)
            if units > position.character:
                break
            column += 1
        return line, column

    def _line(self, line: int) -> str:
        lines = self.text.lines
        return lines[line - 1] if 1 <= line <= len(lines) else ""


def first_of_line(span: Span) -> types.Range:
    """The beginning of a span's first line: the same place in every client's units, whatever the text."""
    place = types.Position(max(span.line - 1, 0), 0)
    return types.Range(place, place)


def holds(span: Span, place: tuple[int, int]) -> bool:
    """Whether a place lies in a span or at its end."""
    return (span.line, span.column) <= place <= (span.end_line, span.end_column)
