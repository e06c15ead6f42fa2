"""One line of source code as a terminal shows it: tabs, wide characters, and a window on long lines."""

from __future__ import annotations

import re
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
    pieces = list(line) if _PLAIN.match(line) else _pieces(line)
    edges = list(range(len(line) + 1)) if _PLAIN.match(line) else _edges(pieces)
    first = edges[min(start, len(line))]
    last = max(first + 1, edges[min(end, len(line))])
    if edges[-1] <= room:
        return DrawnLine("".join(pieces), first, last - first)
    return _window(pieces, edges, first, last, max(room, 4 * len(CUT)))


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


def _edges(pieces: list[str]) -> list[int]:
    from rich.cells import get_character_cell_size

    edges = [0]
    for piece in pieces:
        edges.append(edges[-1] + (get_character_cell_size(piece) if len(piece) == 1 else len(piece)))
    return edges


def _window(pieces: list[str], edges: list[int], first: int, last: int, room: int) -> DrawnLine:
    total = edges[-1]
    left = 0
    if last > room - len(CUT):
        # The stretch in the middle, or its beginning near the left edge when it is longer than the window.
        left = max(0, min(first - max(len(CUT) + 1, (room - (last - first)) // 2), total - room))
    before, after = left > 0, total - left > room
    low = left + len(CUT) * before
    high = left + room - len(CUT) * after
    inside = [at for at, edge in enumerate(edges[:-1]) if low <= edge and edges[at + 1] <= high]
    # A wide character on the edge is left out as a whole; a blank takes its place.
    pad = " " * (edges[inside[0]] - low) if inside else ""
    text = CUT * before + pad + "".join(pieces[at] for at in inside) + CUT * after
    start = min(max(first - left, 0), room - 1)
    return DrawnLine(text, start, max(1, min(last - left, room) - start))
