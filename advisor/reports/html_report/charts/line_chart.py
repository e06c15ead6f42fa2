"""Lines over runs or over time, told apart by colour, marker and dashes, and named at their ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from advisor.reports.html_report.charts.canvas import Sheet, decades, plain_axes
from advisor.reports.html_report.charts.themed_svg import LINE, MARK, PAGE, SERIES, TEXT

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MARKERS = ("o", "s", "^", "D", "v", "P")
_DASHES = ("-", "--", "-.", ":", (0, (6, 2, 1, 2, 1, 2)), (0, (1, 1)))
_LEGEND_ROW = 17.0
_MARKED_UP_TO = 60


@dataclass(frozen=True)
class Line:
    """A line: its name, its points, and which of them are marked as alerts."""

    name: str
    xs: tuple[float, ...]
    ys: tuple[float, ...]
    alerts: tuple[int, ...] = ()
    hint: str = ""
    open_marks: bool = False


@dataclass(frozen=True)
class Scale:
    """The axes of a chart of lines: names of places along x, words of values along y."""

    x_label: str
    y_label: str
    ticks: tuple[tuple[float, str], ...]
    y_text: Callable[[float], str]
    logarithmic: bool = False


def legend_height(lines: Sequence[Line]) -> float:
    """How much of a chart's height the names of its lines take, in pixels."""
    return len(lines) * _LEGEND_ROW


def draw_lines(sheet: Sheet, lines: Sequence[Line], scale: Scale) -> None:
    """Draw the lines and, above them, their names."""
    axes = sheet.figure.add_subplot()
    _scale(axes, lines, scale, sheet.is_wide)
    for number, one in enumerate(lines):
        color, many = SERIES[number % len(SERIES)], len(one.xs) > _MARKED_UP_TO
        (drawn,) = axes.plot(
            one.xs, one.ys, color=color, linewidth=1.8, linestyle=_DASHES[number % len(_DASHES)],
            marker=None if many else _MARKERS[number % len(_MARKERS)], markersize=5.5,
            markerfacecolor=PAGE if one.open_marks else color, label=one.name,
        )  # fmt: skip
        sheet.hint(drawn, one.hint or one.name)
        if one.alerts:
            axes.plot(
                [one.xs[at] for at in one.alerts], [one.ys[at] for at in one.alerts], linestyle="none",
                marker="o", markersize=13, markerfacecolor="none", markeredgecolor=MARK, markeredgewidth=2.0,
            )  # fmt: skip
    above = legend_height(lines) + 10
    sheet.figure.subplots_adjust(
        left=66 / sheet.width,
        right=1 - 14 / sheet.width,
        bottom=58 / sheet.height,
        top=1 - above / sheet.height,
    )
    sheet.figure.legend(
        handles=[handle for handle in axes.get_lines() if not str(handle.get_label()).startswith("_")],
        loc="upper left", bbox_to_anchor=(0.0, 1.0), frameon=False, labelcolor=TEXT, fontsize=11,
        borderpad=0.2, labelspacing=0.25, handlelength=3.4, borderaxespad=0.1,
    )  # fmt: skip


def _scale(axes: Axes, lines: Sequence[Line], scale: Scale, is_wide: bool) -> None:
    values = [value for one in lines for value in one.ys]
    if scale.logarithmic:
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(decades(min(values), max(values)))
        axes.set_ylim(min(values) / 1.6, max(values) * 1.6)
    else:
        axes.set_ylim(0, (max(values) or 1.0) * 1.12)
    axes.set_xlabel(scale.x_label)
    axes.set_ylabel(scale.y_label)
    axes.yaxis.set_major_formatter(lambda value, _: scale.y_text(value))
    plain_axes(axes)
    axes.grid(axis="y", color=LINE, linewidth=0.6)
    axes.minorticks_off()
    ticks = _some(scale.ticks, 8 if is_wide else 4)
    axes.set_xticks([at for at, _ in ticks], [text for _, text in ticks])


def _some(ticks: Sequence[tuple[float, str]], most: int) -> list[tuple[float, str]]:
    """At most that many of the ticks at equal steps, the last among them."""
    step = max(1, -(-len(ticks) // most))
    return list(reversed(ticks[::-1][::step]))


@dataclass(frozen=True)
class Panel:
    """One of several small charts under each other that share their x axis."""

    heading: str
    line: Line
    y_text: Callable[[float], str]
    top: float | None


def draw_panels(sheet: Sheet, panels: Sequence[Panel], x_label: str) -> None:
    """Draw the panels from above to below."""
    every = sheet.figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    for number, (axes, one) in enumerate(zip(every, panels, strict=True)):
        (drawn,) = axes.plot(one.line.xs, one.line.ys, color=SERIES[number % len(SERIES)], linewidth=1.6)
        sheet.hint(drawn, one.line.hint or one.heading)
        highest = max(one.line.ys) or 1.0
        axes.set_ylim(0, max(one.top or 0.0, highest) * 1.08)
        axes.set_title(one.heading, loc="left", fontsize=11, color=TEXT, pad=3)
        axes.yaxis.set_major_formatter(lambda value, _, text=one.y_text: text(value))
        axes.locator_params(axis="y", nbins=3)
        plain_axes(axes)
        axes.grid(axis="y", color=LINE, linewidth=0.6)
    every[-1].set_xlabel(x_label)
    sheet.figure.subplots_adjust(
        left=66 / sheet.width, right=1 - 14 / sheet.width, bottom=44 / sheet.height,
        top=1 - 22 / sheet.height, hspace=0.55,
    )  # fmt: skip
