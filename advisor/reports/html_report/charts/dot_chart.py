"""Dots on one axis for each kernel: its time on each device."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from advisor.reports.html_report.charts.canvas import Sheet, decades, plain_axes
from advisor.reports.html_report.charts.themed_svg import LINE, PAGE, SERIES, TEXT

_MARKERS = ("o", "s", "^", "D", "v", "P")
_ROW, _LEGEND_ROW, _FOOT = 38.0, 17.0, 46.0


@dataclass(frozen=True)
class Dot:
    """A value of a row, in the series of that number; `hollow` where it is predicted."""

    series: int
    value: float
    hollow: bool
    hint: str


@dataclass(frozen=True)
class DotRow:
    """A name with its dots."""

    name: str
    dots: tuple[Dot, ...]


def height_of(rows: Sequence[DotRow], series: Sequence[str]) -> float:
    """The height of a chart with those rows, in pixels."""
    return len(rows) * _ROW + len(series) * _LEGEND_ROW + _FOOT + 14.0


def draw_dots(
    sheet: Sheet, rows: Sequence[DotRow], series: Sequence[str], x_label: str, text: Callable[[float], str]
) -> None:
    """Draw a row for each name, with a logarithmic axis for all."""
    axes = sheet.figure.add_subplot()
    values = [dot.value for row in rows for dot in row.dots]
    axes.set(xscale="log", xlim=(min(values) / 2.0, max(values) * 2.0), ylim=(len(rows) - 0.45, -0.75))
    axes.set_xlabel(x_label)
    axes.xaxis.set_major_locator(decades(min(values), max(values)))
    axes.xaxis.set_major_formatter(lambda value, _: text(value))
    plain_axes(axes)
    axes.minorticks_off()
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.grid(axis="x", color=LINE, linewidth=0.6)
    for number, row in enumerate(rows):
        axes.annotate(
            row.name, (0.0, number), (2, 13), xycoords=("axes fraction", "data"), textcoords="offset points",
            color=TEXT, fontsize=11, va="center",
        )  # fmt: skip
        known = [dot.value for dot in row.dots]
        axes.plot([min(known), max(known)], [number, number], color=LINE, linewidth=2.0, zorder=1)
        for dot in row.dots:
            color = SERIES[dot.series % len(SERIES)]
            drawn = axes.scatter(
                [dot.value], [number], s=58, marker=_MARKERS[dot.series % len(_MARKERS)], linewidths=1.8,
                facecolors=PAGE if dot.hollow else color, edgecolors=color, zorder=3,
            )  # fmt: skip
            sheet.hint(drawn, dot.hint)
    _name_series(sheet, series)


def _name_series(sheet: Sheet, series: Sequence[str]) -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D(
            [], [], linestyle="none", marker=_MARKERS[number % len(_MARKERS)], markersize=7, label=name,
            color=SERIES[number % len(SERIES)],
        )
        for number, name in enumerate(series)
    ]  # fmt: skip
    sheet.figure.legend(
        handles=handles, loc="upper left", bbox_to_anchor=(0.0, 1.0), frameon=False, labelcolor=TEXT,
        fontsize=11, borderpad=0.2, labelspacing=0.25, borderaxespad=0.1, handletextpad=0.4,
    )  # fmt: skip
    above = len(series) * _LEGEND_ROW + 12
    sheet.figure.subplots_adjust(
        left=8 / sheet.width,
        right=1 - 14 / sheet.width,
        bottom=_FOOT / sheet.height,
        top=1 - above / sheet.height,
    )
