"""The source lines of a finding with the place underlined, one line of context above and below."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.model.text.source_text import Span
from advisor.reports.outputs.drawing.cells import draw_line
from advisor.reports.outputs.drawing.palette import Paint, Palette

CONTEXT = 1
LONGEST = 6
_KEPT = 2


def draw_excerpt(lines: Sequence[str], span: Span, width: int, palette: Palette, mark: Paint) -> list[str]:
    """The printed lines of an excerpt; none when `span` does not lie in `lines` (the lines of its file).

    `mark` paints the underlining. Of a stretch longer than LONGEST lines only both ends are shown.
    """
    if not 1 <= span.line <= len(lines):
        return []
    end_line = min(max(span.end_line, span.line), len(lines))
    top = max(1, span.line - CONTEXT)
    bottom = min(len(lines), end_line + CONTEXT)
    gutter = gutter_width(bottom)
    room = width - gutter - 3
    bar = " " * gutter + palette.gutter(" |")
    printed = [bar]
    if end_line == span.line:
        body = _single(lines, span, top, bottom, room, mark)
    else:
        body = _several(lines, span, end_line, top, bottom, room, mark)
    for number, text in body:
        if number:
            printed.append(f"{palette.gutter(f'{number:>{gutter}} |')} {text}".rstrip())
        else:
            printed.append(f"{bar} {text}".rstrip())
    while len(printed) > 1 and printed[-1] == f"{palette.gutter(f'{bottom:>{gutter}} |')}":
        printed.pop()
    return [*printed, bar]


def draw_place(lines: Sequence[str], span: Span, width: int, palette: Palette, mark: Paint) -> list[str]:
    """The first line of a place alone and the mark under it; none when `span` does not lie in `lines`."""
    if not 1 <= span.line <= len(lines):
        return []
    line = lines[span.line - 1]
    gutter = gutter_width(span.line)
    end = span.end_column - 1 if span.end_line <= span.line else len(line)
    drawn = draw_line(line, span.column - 1, end, width - gutter - 3)
    return [
        f"{palette.gutter(f'{span.line:>{gutter}} |')} {drawn.text}".rstrip(),
        f"{' ' * gutter}{palette.gutter(' |')} {' ' * drawn.start}{mark('^' * drawn.length)}",
    ]


def gutter_width(last_line: int) -> int:
    """The width of the column of line numbers, at least 2 so that short files line up."""
    return max(2, len(str(last_line)))


_Rows = list[tuple[int, str]]


def _plain(line: str, room: int) -> str:
    return draw_line(line, 0, 0, room).text


def _single(lines: Sequence[str], span: Span, top: int, bottom: int, room: int, mark: Paint) -> _Rows:
    rows: _Rows = []
    for number in range(top, bottom + 1):
        if number != span.line:
            rows.append((number, _plain(lines[number - 1], room)))
            continue
        drawn = draw_line(lines[number - 1], span.column - 1, span.end_column - 1, room)
        rows.append((number, drawn.text))
        rows.append((0, " " * drawn.start + mark("^" * drawn.length)))
    return rows


def _several(
    lines: Sequence[str], span: Span, end_line: int, top: int, bottom: int, room: int, mark: Paint
) -> _Rows:
    """A bar beside the lines: it starts at the first character of the stretch and ends under the last."""
    room -= 2
    rows: _Rows = [(number, "  " + _plain(lines[number - 1], room)) for number in range(top, span.line)]
    first = lines[span.line - 1]
    if first[: span.column - 1].strip():
        drawn = draw_line(first, span.column - 1, span.column, room)
        rows += [(span.line, "  " + drawn.text), (0, " " + mark("_" * (drawn.start + 1) + "^"))]
    else:
        rows.append((span.line, mark("/") + " " + _plain(first, room)))
    for number in _shown(span.line + 1, end_line):
        rows.append(
            (number, mark("|") + " " + _plain(lines[number - 1], room)) if number else (0, mark("..."))
        )
    drawn = draw_line(lines[end_line - 1], max(0, span.end_column - 2), span.end_column - 1, room)
    rows.append((0, mark("|" + "_" * (drawn.start + 1) + "^")))
    rows += [(number, "  " + _plain(lines[number - 1], room)) for number in range(end_line + 1, bottom + 1)]
    return rows


def _shown(first: int, last: int) -> list[int]:
    """The line numbers from `first` to `last`, with a 0 for what is left out of a long stretch."""
    numbers = list(range(first, last + 1))
    if len(numbers) < LONGEST:
        return numbers
    return [*numbers[:_KEPT], 0, *numbers[-_KEPT:]]
