"""What changed since an earlier run: times, what explains them, and findings that are new or gone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from advisor.evidence.measured.run_times import launch_time
from advisor.model.findings import Finding
from advisor.model.history.fingerprint import Fingerprint, Run
from advisor.reports.changes.runs_in_words import (
    conditions,
    interval_heading,
    interval_in_words,
    is_explained,
    is_shown,
    launch_changes,
    metric_change,
    moved_predictions,
    notices,
    run_in_words,
    summary,
    verdict_in_words,
)
from advisor.reports.html_report.amounts import amounts
from advisor.reports.html_report.charts.canvas import picture
from advisor.reports.html_report.charts.dot_chart import Dot, DotRow, draw_dots, height_of
from advisor.reports.html_report.material import Material
from advisor.reports.html_report.parts import Cell, Part, Picture, Table, cells, without_empty_columns
from advisor.reports.html_report.wording import milliseconds, shortened
from advisor.reports.outputs.wording.counts import counted
from advisor.reports.outputs.wording.numbers import factor_in_words
from advisor.runs.comparison.differences import Difference, KernelChange
from advisor.runs.comparison.numbers import comparing_numbers

_WHOLE_RUN = "the whole run"


def changes(material: Material) -> list[Part]:
    """A part for each run that is compared with an earlier one."""
    return [_part(at, one) for at, one in enumerate(material.differences)]


def _part(at: int, found: Difference) -> Part:
    words = f"From {run_in_words(found.before)} to {run_in_words(found.after)}."
    paragraphs = (words, *notices(found), summary(found), moved_predictions(found), _left_out(found))
    tables = (_times(found), _reasons(found), _findings(found))
    return Part(
        f"changes-{at}",
        f"Changed since {_called(found.before)}",
        tuple(one for one in paragraphs if one),
        _picture(f"changes{at}", found),
        tuple(conditions(found)),
        tuple(one for one in tables if one.rows),
    )


def _called(run: Run) -> str:
    name = "the report" if run.id is None else f"run {run.id}"
    return f"{name} ({run.facts.label})" if run.facts.label else name


def _left_out(found: Difference) -> str:
    """How many kernels the tables do not have, and why."""
    same = len(found.kernels) - len(_shown(found))
    more = len(_shown(found)) - amounts().changed
    told = [f"{counted(same, 'kernel')} without a difference of time."] if same else []
    if more > 0:
        told.append(f"{counted(more, 'more kernel')} changed less and {_is(more)} left out here.")
    told += _only("Only in the earlier run", found.gone)
    told += _only("Only in the later run", found.new)
    return " ".join(told)


def _is(number: int) -> str:
    return "is" if number == 1 else "are"


def _only(words: str, those: Sequence[Fingerprint]) -> list[str]:
    names = list(dict.fromkeys(shortened(one.identity.name, 40) for one in those))
    most = amounts().compared
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return [f"{words}: {', '.join(names[:most])}{more}."] if names else []


def _shown(found: Difference) -> list[KernelChange]:
    return [one for one in found.kernels if is_shown(one)]


def _picture(name: str, found: Difference) -> Picture | None:
    """The times before and after of the kernels that changed most; of all where none did."""
    timed = [one for one in _shown(found) or found.kernels if one.time]
    drawn = [
        DotRow(
            f"{shortened(one.name, 40)}  {factor_in_words(1.0 / one.time.ratio)}",
            tuple(
                Dot(at, value, side.source != "measured", f"{one.name} {word}: {milliseconds(value)}")
                for at, (word, side, value) in enumerate(
                    (("before", one.before, one.time.before), ("after", one.after, one.time.after))
                )
            ),
        )
        for one in timed[: amounts().compared]
        if one.time
    ]
    if not drawn:
        return None
    series = [f"before: {_called(found.before)}", f"after: {_called(found.after)}"]
    told = "; ".join(
        f"{one.name} {milliseconds(one.time.before)} to {milliseconds(one.time.after)}"
        for one in timed[: amounts().compared]
        if one.time
    )
    caption = (
        "Beside each name is the speed-up. Filled marks are measured, hollow ones predicted. The axis is "
        "logarithmic."
    )
    return picture(
        name, f"Times of kernels before and after: {told}.", caption, (height_of(drawn, series),) * 2,
        lambda sheet: draw_dots(sheet, drawn, series, "mean of a launch", milliseconds),
    )  # fmt: skip


def _times(found: Difference) -> Table:
    level = interval_heading(found.kernels)
    rows = tuple(_row(one) for one in _shown(found)[: amounts().changed])
    return without_empty_columns(
        "Time of a launch before and after; where the shape changed, of all launches of an iteration.",
        ("kernel", "before", "after", "speed-up", level, "verdict", "changed"),
        rows,
        frozenset({1, 2, 3, 4}),
    )


def _row(one: KernelChange) -> tuple[Cell, ...]:
    time = one.time
    style = "alert" if one.is_regression else ""
    name = Cell(one.name, style="name")
    changed = ", ".join(one.changed)
    if time is None:
        before, after = (milliseconds(launch_time(side)) for side in (one.before, one.after))
        return cells(name, before, after, "", "", "a time is not known", changed)
    return cells(
        name,
        milliseconds(time.before),
        milliseconds(time.after),
        Cell(factor_in_words(1.0 / time.ratio), style=style),
        interval_in_words(time),
        Cell(verdict_in_words(one, ""), style=style),
        changed,
    )


def _reasons(found: Difference) -> Table:
    rows = [row for one in _explained(found) for row in _reasons_of(one)]
    rows += [cells(_WHOLE_RUN, change.name, *metric_change(change, "run")) for change in found.metrics]
    return without_empty_columns(
        "What else is different: code, launch, and the counters that changed most.",
        ("kernel", "what", "before", "after"),
        tuple(rows),
        frozenset({2, 3}),
    )


def _explained(found: Difference) -> list[KernelChange]:
    return [one for one in found.kernels if is_explained(one)][: amounts().changed]


def _reasons_of(one: KernelChange) -> Iterator[tuple[Cell, ...]]:
    for name, before, after in launch_changes(one):
        yield cells(Cell(one.name, style="name"), name, before, after)
    for change in one.metrics[: comparing_numbers().changes.most_metrics]:
        yield cells(Cell(one.name, style="name"), change.name, *metric_change(change, "kernel"))


def _findings(found: Difference) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for one in _explained(found):
        rows += _verdicts(one.name, one.ended, one.begun)
    rows += _verdicts(_WHOLE_RUN, found.ended, found.begun)
    return Table(
        "Findings that are new, and those that are gone.",
        ("", "severity", "kernel", "rule", "what was found"),
        tuple(rows),
    )


def _verdicts(name: str, ended: Sequence[Finding], begun: Sequence[Finding]) -> Iterator[tuple[Cell, ...]]:
    for word, those in (("new", begun), ("gone", ended)):
        for one in those:
            style = "alert" if word == "new" and one.severity != "info" else ""
            yield cells(
                Cell(word, style=style), one.severity, Cell(name, style="name"), one.rule,
                Cell(one.message, style="name", is_prose=True),
            )  # fmt: skip
