"""Horizontal bars with their names above them: shares of the time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from advisor.reports.html_report.charts.canvas import Sheet
from advisor.reports.html_report.charts.themed_svg import FAINT, SERIES, TEXT

ROW, WORDS = 36.0, 20.0
EDGE = 8.0


@dataclass(frozen=True)
class Bar:
    """A bar: its name, its share of the whole, what stands at its end, what is shown at the mouse.

    `is_rest` is said of all others together, which get words without a bar: it would dwarf the others.
    """

    name: str
    share: float
    text: str
    hint: str
    is_rest: bool = False


def height_of(bars: Sequence[Bar]) -> float:
    """The height of a chart with those bars, in pixels."""
    return sum(WORDS if one.is_rest else ROW for one in bars) + EDGE


def draw_bars(sheet: Sheet, bars: Sequence[Bar], measured: bool) -> None:
    """Draw the bars, the longest as wide as the chart; predicted ones are hatched."""
    axes = sheet.figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_xlim(0, sheet.width)
    axes.set_ylim(sheet.height, 0)
    axes.axis("off")
    room = sheet.width - 2.0
    longest = max((one.share for one in bars if not one.is_rest), default=1.0) or 1.0
    color = SERIES[0] if measured else SERIES[1]
    for number, one in enumerate(bars):
        top = number * ROW + EDGE / 2
        axes.text(1, top + 8, one.name, color=FAINT if one.is_rest else TEXT, fontsize=12, va="center")
        axes.text(room, top + 8, one.text, color=FAINT, fontsize=12, va="center", ha="right")
        if one.is_rest:
            continue
        (drawn,) = axes.barh(
            top + 22, max(1.0, room * one.share / longest), height=10, left=1, linewidth=1.2,
            color=color if measured else "none", edgecolor=color, hatch="" if measured else "////",
        )  # fmt: skip
        sheet.hint(drawn, one.hint)
