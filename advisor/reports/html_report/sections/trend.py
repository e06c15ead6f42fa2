"""How the times of kernels changed over runs and commits."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.model.history.store import TimePoint
from advisor.reports.html_report.amounts import amounts
from advisor.reports.html_report.charts.canvas import picture
from advisor.reports.html_report.charts.line_chart import Line, Scale, draw_lines, legend_height
from advisor.reports.html_report.material import Material, basis, heading, who
from advisor.reports.html_report.parts import Cell, Part, Picture, Table, cells, without_empty_columns
from advisor.reports.html_report.series import RunTime, Series, drawn_positions, position, series_of
from advisor.reports.html_report.wording import milliseconds, shortened
from advisor.reports.outputs.wording.counts import counted
from advisor.runs.comparison.numbers import comparing_numbers
from advisor.runs.comparison.ranking.ranking import Ranking

_HEADER = (
    "№",
    "kernel",
    "runs",
    "first",
    "least",
    "most",
    "before",
    "latest",
    "latest / before",
    "alerts",
    "latest alert",
)
_LOGARITHMIC_ABOVE = 8.0
_COMMIT = 7


def trends(material: Material) -> list[Part]:
    """A part for each ranking whose kernels have times of several runs, and one that names the others."""
    parts, single = [], []
    for at, ranking in enumerate(material.rankings):
        found = series_of(_points_of(material, ranking))
        ordered = [found[who(one)] for one in ranking.kernels if who(one) in found]
        if len({time.run for one in ordered for time in one.times}) > 1:
            parts.append(_part(material, at, ranking, ordered))
        elif ordered:
            single.append(heading(ranking))
    if single:
        words = f"There is one run so far for {'; '.join(single)}. The next one will show what has changed."
        parts.append(Part("trend-none", "Trend", (words,)))
    return parts


def _points_of(material: Material, ranking: Ranking) -> list[TimePoint]:
    names = {run.facts.device for run in ranking.runs}
    return [one for one in material.times if one.source == ranking.source and one.device in names]


def _part(material: Material, at: int, ranking: Ranking, ordered: Sequence[Series]) -> Part:
    runs = sorted({time.run for one in ordered for time in one.times})
    limit = comparing_numbers().changes.alert
    alerts = [one for one in ordered if one.times[-1].alert]
    if alerts:
        kernels = counted(len(alerts), "kernel")
        text = f"In its latest run {kernels} took at least {limit:g} times as long as before:"
    else:
        text = f"In its latest run no kernel took {limit:g} times as long as before, or longer."
    items = tuple(_alert(material, one) for one in alerts)
    drawn = _picture(f"trend{at}", material, ranking, ordered[: amounts().lines], runs)
    return Part(
        f"trend-{at}", f"Trend: {heading(ranking)}", (text,), drawn, items, (_table(material, ordered),)
    )


def _alert(material: Material, series: Series) -> str:
    name = shortened(series.who[1], 80).replace("`", " ")
    last = series.times[-1]
    times = "" if series.ratio is None else f"{series.ratio:.3g} times, "
    return (
        f"{material.numbers[series.who]} `{name}`: {times}{milliseconds(last.before)} before and "
        f"{milliseconds(last.mean)} in {_run(last)}."
    )


def _picture(
    name: str, material: Material, ranking: Ranking, drawn: Sequence[Series], runs: Sequence[int]
) -> Picture:
    lines = [_line(material, one, runs) for one in drawn]
    values = [value for one in lines for value in one.ys]
    logarithmic = min(values) > 0.0 and max(values) / min(values) > _LOGARITHMIC_ABOVE
    commits = {time.run: time.commit for one in drawn for time in one.times}
    ticks = tuple((float(at), _tick(run, commits.get(run))) for at, run in enumerate(runs) if run in commits)
    axis = "mean of a launch" + (", logarithmic" if logarithmic else "")
    scale = Scale("run and commit, in order", axis, ticks, milliseconds, logarithmic)
    told = "; ".join(
        f"{one.who[1]} {milliseconds(one.times[0].mean)} to {milliseconds(one.times[-1].mean)}"
        for one in drawn
    )
    alt = f"Lines of the {basis(ranking)} time of a launch over {counted(len(runs), 'run')}: {told}."
    caption = "The kernels with the most time. Rings mark runs with an alert."
    above = legend_height(lines)
    return picture(
        name, alt, caption, (330.0 + above, 280.0 + above),
        lambda sheet: draw_lines(sheet, [_fitting(one, sheet.is_wide) for one in lines], scale),
    )  # fmt: skip


def _line(material: Material, series: Series, runs: Sequence[int]) -> Line:
    values = [one.mean for one in series.times]
    chosen = drawn_positions(values, series.alerts, amounts().line_points)
    return Line(
        f"{material.numbers[series.who]} {shortened(series.who[1], 80)}",
        tuple(float(position(runs, series.times[at].run)) for at in chosen),
        tuple(values[at] for at in chosen),
        tuple(number for number, at in enumerate(chosen) if series.times[at].alert),
    )


def _fitting(line: Line, is_wide: bool) -> Line:
    return Line(shortened(line.name, 90 if is_wide else 40), line.xs, line.ys, line.alerts, line.name)


def _tick(run: int, commit: str | None) -> str:
    return f"{run}\n{commit[:_COMMIT]}" if commit else str(run)


def _run(time: RunTime) -> str:
    return f"run {time.run}" + (f" (commit {time.commit[:_COMMIT]})" if time.commit else "")


def _table(material: Material, ordered: Sequence[Series]) -> Table:
    rows = []
    for one in ordered:
        means = [time.mean for time in one.times]
        last = one.times[-1]
        alerts = one.alerts
        rows.append(
            cells(
                str(material.numbers[one.who]),
                Cell(one.who[1], style="name"),
                f"{len(means):,}",
                milliseconds(means[0]),
                milliseconds(min(means)),
                milliseconds(max(means)),
                milliseconds(last.before),
                milliseconds(last.mean),
                Cell("" if one.ratio is None else f"{one.ratio:.3g}", style="alert" if last.alert else ""),
                str(len(alerts)),
                _run(one.times[alerts[-1]]) if alerts else "",
            )
        )
    return without_empty_columns(
        "Mean time of a launch; “before” is the median of the earlier runs with the same grids and blocks.",
        _HEADER, tuple(rows), frozenset({0, 2, 3, 4, 5, 6, 7, 8, 9}), True,
    )  # fmt: skip
