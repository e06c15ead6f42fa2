"""Names beside points that do not lie upon each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_LETTER, _LINE = 6.3, 13.0
_Box = tuple[float, float, float, float]
# From a point to another, in pixels.
Stroke = tuple[float, float, float, float]


@dataclass(frozen=True)
class Label:
    """Where a name goes, from its point in pixels, and how it is aligned."""

    right: float
    up: float
    horizontal: str


def placed(
    points: Sequence[tuple[float, float, float]],
    names: Sequence[str],
    frame: tuple[float, float, float, float],
    strokes: Sequence[Stroke] = (),
) -> list[Label | None]:
    """For each point (x, y, radius in pixels) the place of its name, None where every place is taken.

    The first ones choose first; a name that is empty needs no place. `frame` is left, bottom, right, top; no
    name crosses one of the `strokes`.
    """
    taken: list[_Box] = [(x - size, y - size, x + size, y + size) for x, y, size in points]
    found: list[Label | None] = []
    for (x, y, size), name in zip(points, names, strict=True):
        label = None
        for candidate in _candidates(size) if name else ():
            box = _box(x, y, candidate, len(name) * _LETTER)
            free = not any(_overlap(box, other) for other in taken)
            if free and _inside(box, frame) and not any(_crosses(box, one) for one in strokes):
                label = candidate
                taken.append(box)
                break
        found.append(label)
    return found


def _candidates(size: float) -> list[Label]:
    gap = size + 3.0
    near = [Label(gap, 0.0, "left"), Label(-gap, 0.0, "right"), Label(0.0, gap + 6, "center")]
    near.append(Label(0.0, -gap - 6, "center"))
    away = [
        Label(side * gap, up * (gap + 4), "left" if side > 0 else "right")
        for up in (1, -1)
        for side in (1, -1)
    ]
    return [*near, *away]


def _box(x: float, y: float, label: Label, width: float) -> _Box:
    left = x + label.right - {"left": 0.0, "center": width / 2, "right": width}[label.horizontal]
    return left, y + label.up - _LINE / 2, left + width, y + label.up + _LINE / 2


def _inside(box: _Box, frame: _Box) -> bool:
    return box[0] >= frame[0] and box[1] >= frame[1] and box[2] <= frame[2] and box[3] <= frame[3]


def _overlap(one: _Box, other: _Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _crosses(box: _Box, stroke: Stroke) -> bool:
    """Whether a part of a straight line lies in the box, which cuts it at each of its sides."""
    x0, y0, x1, y1 = stroke
    begin, end = 0.0, 1.0
    for start, way, low, high in ((x0, x1 - x0, box[0], box[2]), (y0, y1 - y0, box[1], box[3])):
        if way == 0.0:
            if not low <= start <= high:
                return False
            continue
        first, last = sorted(((low - start) / way, (high - start) / way))
        begin, end = max(begin, first), min(end, last)
    return begin <= end
