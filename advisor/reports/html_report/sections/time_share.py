"""Where the time goes: the share of each kernel."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.reports.html_report.amounts import amounts
from advisor.reports.html_report.charts.bar_chart import Bar, draw_bars, height_of
from advisor.reports.html_report.charts.canvas import picture
from advisor.reports.html_report.material import Material, basis, heading
from advisor.reports.html_report.parts import Cell, Part, Picture, Table, cells, without_empty_columns
from advisor.reports.html_report.wording import extent, milliseconds, percent, share_of, shortened
from advisor.reports.outputs.wording.counts import counted
from advisor.reports.outputs.wording.quantities import number
from advisor.runs.comparison.ranking.ranking import RankedKernel, Ranking

_HEADER = (
    "№", "kernel", "time", "share", "launches", "each launch", "CV", "headroom", "limit", "marks", "place"
)  # fmt: skip


def time_shares(material: Material) -> list[Part]:
    """A part for each ranking: the chart of shares, and all kernels in a table."""
    parts = []
    for at, ranking in enumerate(material.rankings):
        known = [one for one in ranking.kernels if one.share is not None]
        parts.append(
            Part(
                f"time-{at}",
                f"Time share: {heading(ranking)}",
                (_in_words(ranking, known),),
                _picture(f"time{at}", material, ranking, known) if known else None,
                tables=(_table(material, ranking),),
            )
        )
    return parts


def _in_words(ranking: Ranking, known: Sequence[RankedKernel]) -> str:
    one = len(ranking.kernels) == 1
    what = "took" if ranking.is_measured else f"{'is' if one else 'are'} predicted to take"
    kernels = counted(len(ranking.kernels), "kernel")
    if not known:
        return f"The time of {kernels} is not known."
    text = f"{kernels} {what} {milliseconds(ranking.kernels_ms)} in an iteration."
    unknown = len(ranking.kernels) - len(known)
    if unknown:
        text += f" The time of {counted(unknown, 'kernel')} is not known; the shares are those of the others."
    return text


def _picture(name: str, material: Material, ranking: Ranking, known: Sequence[RankedKernel]) -> Picture:
    most = amounts().bars
    first, rest = (known, []) if len(known) <= most + 1 else (known[:most], known[most:])
    bars = [_bar(material, one) for one in first]
    if rest:
        share, time = sum(one.share or 0.0 for one in rest), sum(one.time_ms or 0.0 for one in rest)
        text = f"{share_of(share)} · {milliseconds(time)}"
        bars.append(Bar(f"{len(rest)} others", share, text, f"{len(rest)} others: {text}", True))
    told = "; ".join(f"{one.name} {share_of(one.share)}" for one in bars)
    alt = f"Bars of the {basis(ranking)} time of kernels on {ranking.device_name}: {told}."
    hatched = "" if ranking.is_measured else " Predicted times are hatched."
    return picture(
        name, alt, f"Share of the time of all kernels.{hatched}", (height_of(bars),) * 2,
        lambda sheet: draw_bars(sheet, [_fitting(one, sheet.is_wide) for one in bars], ranking.is_measured),
    )  # fmt: skip


def _bar(material: Material, kernel: RankedKernel) -> Bar:
    text = f"{share_of(kernel.share)} · {milliseconds(kernel.time_ms)}"
    name = f"{material.number(kernel)} {shortened(kernel.name, 80)}"
    return Bar(name, kernel.share or 0.0, text, f"{name}: {text}")


def _fitting(bar: Bar, is_wide: bool) -> Bar:
    return Bar(shortened(bar.name, 80 if is_wide else 32), bar.share, bar.text, bar.hint, bar.is_rest)


def _table(material: Material, ranking: Ranking) -> Table:
    rows = []
    for one in ranking.kernels:
        main = one.main
        timing = main.fingerprint.timing
        launches = sum(shape.fingerprint.launches for shape in one.shapes)
        rows.append(
            cells(
                str(material.number(one)),
                Cell(one.name, style="name"),
                milliseconds(one.time_ms),
                share_of(one.share),
                f"{launches:,}" if launches else "",
                _mean(one),
                percent(timing.variation) if timing else "",
                "" if one.headroom is None else f"{number(float(f'{one.headroom:.3g}'))} ×",
                main.limit or "",
                ", ".join(one.marks),
                Cell(
                    f"{one.place.path}:{one.place.line}" if one.place.line else one.place.path, style="place"
                ),
            )
        )
    return without_empty_columns(
        f"Kernels by their {basis(ranking)} time; “headroom” is the speed-up that the device's peaks leave.",
        _HEADER, tuple(rows), frozenset({0, 2, 3, 4, 5, 6, 7}),
    )  # fmt: skip


def _mean(kernel: RankedKernel) -> str:
    shapes = [one for one in kernel.shapes if one.fingerprint.timing is not None]
    if len(kernel.shapes) > 1:
        return "; ".join(
            f"{extent(one.fingerprint.identity.grid)} of {extent(one.fingerprint.identity.block)}: "
            f"{milliseconds(one.fingerprint.timing.mean)}"
            for one in shapes[:4]
            if one.fingerprint.timing
        )
    return milliseconds(shapes[0].fingerprint.timing.mean) if shapes and shapes[0].fingerprint.timing else ""
