"""The difference of two runs for people: as text, or as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.cli.reporting.page import Page
from advisor.evidence.measured.reports.kernel_names import shortened
from advisor.evidence.measured.run_times import launch_time
from advisor.model.findings import Finding
from advisor.model.history.fingerprint import Fingerprint
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
from advisor.reports.outputs.wording.numbers import UNKNOWN, counted, factor_in_words, time_in_words
from advisor.runs.comparison.differences import Difference, KernelChange
from advisor.runs.comparison.metric_changes import MetricChange
from advisor.runs.comparison.numbers import comparing_numbers

_MOST_TOLD = 10


def difference_page(found: Difference, markdown: bool) -> str:
    """What changed: conditions, a table of times, then each kernel that changed, and what the rules say."""
    page = Page(markdown)
    add_difference(page, found)
    return page.text()


def add_difference(page: Page, found: Difference) -> None:
    """Add the difference to a page."""
    page.heading(f"From {run_in_words(found.before)} to {run_in_words(found.after)}")
    page.lines(conditions(found))
    for notice in notices(found):
        page.paragraph(notice)
    _times(page, found.kernels)
    page.paragraph(summary(found))
    page.paragraph(moved_predictions(found))
    told = [one for one in found.kernels if is_explained(one)]
    for one in told[:_MOST_TOLD]:
        _kernel(page, one)
    rest = len(told) - _MOST_TOLD
    if rest > 0:
        page.paragraph(f"and {counted(rest, 'more kernel')} that changed (--format json has them all).")
    _run(page, found)
    page.lines([*_only(found.gone, "only in the earlier run"), *_only(found.new, "only in the later run")])


def _times(page: Page, kernels: Sequence[KernelChange]) -> None:
    """Show the kernels that changed in a table; count the others."""
    level = interval_heading(kernels)
    header: tuple[str, ...] = ("kernel", "before", "after", "speed-up", level, "verdict", "changed")
    shown = [one for one in kernels if is_shown(one)]
    rows: list[tuple[str, ...]] = [_row(one) for one in shown]
    if rows and not any(row[4] for row in rows):
        header, rows = (*header[:4], *header[5:]), [(*row[:4], *row[5:]) for row in rows]
    page.table(header, rows, (1, 2, 3))
    rest = len(kernels) - len(shown)
    if rest:
        noun = "more kernel" if shown else "kernel"
        page.paragraph(f"{counted(rest, noun)} without a difference of time.")


def _row(one: KernelChange) -> tuple[str, ...]:
    changed = ", ".join(one.changed)
    name = shortened(one.name, 40)
    time = one.time
    if time is None:
        sides = [time_in_words(launch_time(side)) for side in (one.before, one.after)]
        without = "a time is missing" if sides != [UNKNOWN, UNKNOWN] else "no time"
        return name, *sides, UNKNOWN, "", without, changed
    before, after = time_in_words(time.before), time_in_words(time.after)
    speedup, verdict = factor_in_words(1.0 / time.ratio), verdict_in_words(one, "")
    return name, before, after, speedup, interval_in_words(time), verdict, changed


def _kernel(page: Page, one: KernelChange) -> None:
    place = f"{one.after.identity.path}:{one.after.line}: " if one.after.identity.path else ""
    lines = [f"{place}{one.name}"]
    for name, before, after in launch_changes(one):
        lines.append(f"  {name}: {before} -> {after}" if before or after else f"  {name}")
    most = comparing_numbers().changes.most_metrics
    lines += [f"  {_metric(change, 'kernel')}" for change in one.metrics[:most]]
    rest = len(one.metrics) - most
    if rest > 0:
        lines.append(f"  and {counted(rest, 'more metric')}")
    lines += _findings(page, one.ended, one.begun, "  ")
    page.block(lines)


def _metric(change: MetricChange, entity: str) -> str:
    return f"{change.name}: {' -> '.join(metric_change(change, entity))}"


def _findings(page: Page, ended: Sequence[Finding], begun: Sequence[Finding], indent: str) -> list[str]:
    found = [(word, one) for word, those in (("no longer", ended), ("new", begun)) for one in those]
    return [f"{indent}{word} {page.code(f'[{one.rule}]')}: {one.message}" for word, one in found]


def _run(page: Page, found: Difference) -> None:
    lines = [f"  {_metric(change, 'run')}" for change in found.metrics]
    lines += _findings(page, found.ended, found.begun, "  ")
    if lines:
        page.block(["The run", *lines])


def _only(those: Sequence[Fingerprint], words: str) -> list[str]:
    names = list(dict.fromkeys(shortened(one.identity.name, 40) for one in those))
    if not names:
        return []
    more = f" and {len(names) - _MOST_TOLD} more" if len(names) > _MOST_TOLD else ""
    return [f"{words}: {', '.join(names[:_MOST_TOLD])}{more}"]
