"""Places in the server's own units: zero-based lines and characters."""

from __future__ import annotations

from lsprotocol import types
from pygls.workspace.position_codec import ServerTextPosition, ServerTextRange

from advisor.text import Span


def range_of(span: Span) -> ServerTextRange:
    """The range of a span."""
    start = ServerTextPosition(span.line - 1, span.column - 1)
    return ServerTextRange(start, ServerTextPosition(span.end_line - 1, span.end_column - 1))


def start_of_line(span: Span) -> types.Range:
    """The beginning of a span's first line, which is the same place in any client's units."""
    place = types.Position(span.line - 1, 0)
    return types.Range(place, place)


def touches(span: Span, position: ServerTextPosition) -> bool:
    """Whether a position lies in a span or at its end."""
    at = (position.line + 1, position.character + 1)
    return (span.line, span.column) <= at <= (span.end_line, span.end_column)
