"""One line of source code as a terminal shows it: tabs, wide characters, and a window on long lines."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

TAB = 4
CUT = "..."
_PLAIN = re.compile(r"[\x20-\x7e]*\Z")


@dataclass(frozen=True, slots=True)
class DrawnLine:
    """The text to print and, for a stretch of it, the first cell and the number of cells to underline."""

    text: str
    start: int
    length: int


def draw_line(line: str, start: int, end: int, room: int) -> DrawnLine:
    """`line` cut to `room` cells around the characters `start` to `end` (0-based, the end exclusive).

    Tabs become blanks, characters without a shape become a middle dot, and what is cut away `...`; at least
    one cell is underlined, also behind the end of the line.
    """
    # In a plain line each character fills one cell, so that its text and a range do as pieces and edges.
    plain = _PLAIN.match(line)
    pieces: Sequence[str] = line if plain else _pieces(line)
    edges: Sequence[int] = range(len(line) + 1) if plain else _edges(pieces)
    first = edges[_within(start, line)]
    last = max(first + 1, edges[_within(end, line)])
    if edges[-1] <= room:
        return DrawnLine("".join(pieces), first, last - first)
    return _window(pieces, edges, first, last, max(room, 4 * len(CUT)))


def _within(position: int, line: str) -> int:
    return min(max(position, 0), len(line))


def _pieces(line: str) -> list[str]:
    from rich.cells import get_character_cell_size

    pieces: list[str] = []
    column = 0
    for character in line:
        if character == "\t":
            piece = " " * (TAB - column % TAB)
        elif character.isprintable() or character == "\u200d":
            piece = character
        else:
            piece = "\u00b7"
        column += len(piece) if character == "\t" else get_character_cell_size(piece)
        pieces.append(piece)
    return pieces


def _edges(pieces: Sequence[str]) -> list[int]:
    from rich.cells import get_character_cell_size

    edges = [0]
    for piece in pieces:
        edges.append(edges[-1] + (get_character_cell_size(piece) if len(piece) == 1 else len(piece)))
    return edges


def _window(pieces: Sequence[str], edges: Sequence[int], first: int, last: int, room: int) -> DrawnLine:
    total = edges[-1]
    left = 0
    if last > room - len(CUT):
        # The stretch in the middle, or its beginning near the left edge when it is longer than the window.
        left = max(0, min(first - max(len(CUT) + 1, (room - (last - first)) // 2), total - room))
    before, after = left > 0, total - left > room
    low = left + len(CUT) * before
    high = left + room - len(CUT) * after
    begin, end = bisect_left(edges, low), bisect_right(edges, high) - 1
    # A wide character on the edge is left out as a whole; a blank takes its place.
    pad = " " * (edges[begin] - low)
    text = CUT * before + pad + "".join(pieces[begin:end]) + CUT * after
    start = min(max(first - left, 0), room - 1)
    return DrawnLine(text, start, max(1, min(last - left, room) - start))
