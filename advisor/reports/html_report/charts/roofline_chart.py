"""The roofline chart: rates of operations over arithmetic intensity, below the peaks of a device."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from advisor.reports.html_report.charts.canvas import Sheet, decades, plain_axes
from advisor.reports.html_report.charts.labels import Stroke, placed
from advisor.reports.html_report.charts.themed_svg import FAINT, LINE, PAGE, SERIES, TEXT
from advisor.reports.html_report.wording import rate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D
    from matplotlib.text import Text

_LEAST_AREA, _MOST_AREA = 45.0, 700.0
_DIAGONAL = math.sqrt(2.0)


@dataclass(frozen=True)
class Point:
    """A kernel in the chart: flop/byte, flop/s, its share of the time (None unknown), measured or predicted.

    `label` is its number, with its name where there is room for it; `hint` is shown at the mouse.
    """

    intensity: float
    rate: float
    share: float | None
    measured: bool
    label: str
    hint: str


@dataclass(frozen=True)
class Roofs:
    """The peaks of a device, None for those that are not known: byte/s and flop/s."""

    bandwidth: float | None
    single: float | None
    double: float | None


def draw_roofline(sheet: Sheet, points: Sequence[Point], roofs: Roofs) -> None:
    """Draw roofs and points on logarithmic axes."""
    axes = sheet.figure.add_subplot()
    left, right, bottom, top = _limits(points, roofs)
    axes.set(xscale="log", yscale="log", xlim=(left, right), ylim=(bottom, top))
    axes.set_xlabel("arithmetic intensity (FLOP/byte)")
    axes.set_ylabel("FLOP/s")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.yaxis.set_major_formatter(lambda value, _: rate(value, ""))
    plain_axes(axes)
    axes.grid(color=LINE, linewidth=0.6)
    axes.yaxis.set_major_locator(decades(bottom, top))
    axes.minorticks_off()
    sheet.figure.subplots_adjust(
        left=62 / sheet.width, right=1 - 12 / sheet.width, bottom=46 / sheet.height, top=1 - 14 / sheet.height
    )
    _draw_roofs(axes, roofs, (left, right))
    _draw_points(sheet, axes, points)


def _limits(points: Sequence[Point], roofs: Roofs) -> tuple[float, float, float, float]:
    """Left, right, bottom and top, at whole powers of ten around all that is drawn."""
    intensities = [one.intensity for one in points]
    rates = [one.rate for one in points]
    peaks = [peak for peak in (roofs.single, roofs.double) if peak]
    if roofs.bandwidth:
        intensities += [peak / roofs.bandwidth for peak in peaks]
    low, high = min(intensities), max(intensities)
    most = max([*rates, *peaks])
    return (
        10.0 ** math.floor(math.log10(low / 1.5)),
        10.0 ** math.ceil(math.log10(high * 1.5)),
        10.0 ** math.floor(math.log10(min(rates) / 1.5)),
        most * 3.0,
    )


def _draw_roofs(axes: Axes, roofs: Roofs, limits: tuple[float, float]) -> None:
    left, right = limits
    for peak, name, dashes in ((roofs.single, "FP32", "-"), (roofs.double, "FP64", "--")):
        if not peak:
            continue
        start = max(left, peak / roofs.bandwidth) if roofs.bandwidth else left
        axes.plot([start, right], [peak, peak], color=TEXT, linewidth=1.5, linestyle=dashes)
        above = peak == max(roofs.single or 0.0, roofs.double or 0.0)
        axes.annotate(
            f"{name} {rate(peak, 'FLOP/s')}", (right, peak), (-2, 4 if above else -4),
            textcoords="offset points", ha="right", va="bottom" if above else "top", color=TEXT, fontsize=11,
        )  # fmt: skip
    if roofs.bandwidth:
        _draw_slope(axes, roofs, roofs.bandwidth, limits)


def _draw_slope(axes: Axes, roofs: Roofs, bandwidth: float, limits: tuple[float, float]) -> None:
    """Draw the roof of the memory: rate = bandwidth x intensity."""
    left, right = limits
    peak = max(roofs.single or 0.0, roofs.double or 0.0)
    end = min(right, peak / bandwidth) if peak else right
    axes.plot([left, end], [left * bandwidth, end * bandwidth], color=TEXT, linewidth=1.5)
    first, last = axes.transData.transform([(left, left * bandwidth), (end, end * bandwidth)])
    angle = math.degrees(math.atan2(last[1] - first[1], last[0] - first[0]))
    bottom = axes.get_ylim()[0]
    begin = max(left, bottom / bandwidth)
    middle = math.sqrt(begin * end)
    axes.annotate(
        f"DRAM {rate(bandwidth, 'B/s')}", (middle, middle * bandwidth), (-4, 5), textcoords="offset points",
        rotation=angle, rotation_mode="anchor", ha="center", va="bottom", color=TEXT, fontsize=11,
    )  # fmt: skip


def _draw_points(sheet: Sheet, axes: Axes, points: Sequence[Point]) -> None:
    areas = [_LEAST_AREA + (_MOST_AREA - _LEAST_AREA) * (one.share or 0.0) for one in points]
    for one, area in sorted(zip(points, areas, strict=True), key=lambda pair: -pair[1]):
        color = SERIES[0] if one.measured else SERIES[1]
        drawn = axes.scatter(
            [one.intensity], [one.rate], s=area, marker="o" if one.measured else "D", linewidths=1.6,
            facecolors=color if one.measured else PAGE, edgecolors=color, zorder=3,
        )  # fmt: skip
        sheet.hint(drawn, one.hint)
    places = [
        (
            *axes.transData.transform((one.intensity, one.rate)),
            math.sqrt(area) / 2 * (1.0 if one.measured else _DIAGONAL),
        )
        for one, area in zip(points, areas, strict=True)
    ]
    box = axes.get_window_extent()
    frame = (box.x0, box.y0, box.x1, box.y1)
    strokes = [_stroke(axes, line) for line in axes.lines]
    strokes += [_writing(text) for text in axes.texts]
    names = [one.label if sheet.is_wide else one.label.partition(" ")[0] for one in points]
    for one, name, label in zip(points, names, placed(places, names, frame, strokes), strict=True):
        if label is not None:
            axes.annotate(
                name, (one.intensity, one.rate), (label.right, label.up), textcoords="offset points",
                ha=label.horizontal, va="center", fontsize=11, color=TEXT if " " in name else FAINT, zorder=4,
            )  # fmt: skip


def _stroke(axes: Axes, line: Line2D) -> Stroke:
    """A roof from its first to its last point, in pixels."""
    points = np.asarray(line.get_xydata(), dtype=float)
    (x0, y0), (x1, y1) = axes.transData.transform(points[[0, -1]])
    return x0, y0, x1, y1


def _writing(text: Text) -> Stroke:
    """What is written at a roof, as a line through its middle."""
    box = text.get_window_extent()
    rises = text.get_rotation() != 0.0
    middle = (box.y0 + box.y1) / 2
    return (box.x0, box.y0, box.x1, box.y1) if rises else (box.x0, middle, box.x1, middle)
