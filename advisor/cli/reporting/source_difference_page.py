"""What an edit of sources changes, for people as text or Markdown, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from advisor.cli.reporting.page import Page
from advisor.model.findings import Finding, Problem, Report
from advisor.reports.changes.source_changes import SourceChanges, TimeChange
from advisor.reports.outputs.interchange.finding_objects import finding_object, problem_object
from advisor.reports.outputs.interchange.fingerprints import fingerprints
from advisor.reports.outputs.wording.locations import Locations
from advisor.reports.outputs.wording.numbers import counted, factor_in_words, time_in_words

_MOST_FINDINGS = 30
_TOLD = ("predicted slower", "predicted faster", "cannot tell")


def source_difference_page(found: SourceChanges, base: str, markdown: bool) -> str:
    """The counts, new findings, kernels with another time, and findings that are gone."""
    page = Page(markdown)
    page.heading(f"Kernel Advisor: changes since {base}")
    page.paragraph(_summary(found))
    _findings(page, "New", found.new, found.after)
    _times(page, found.times)
    _findings(page, "Gone", found.gone, found.before)
    not_checked = [one for one in found.after.problems if not one.checked]
    page.lines([f"Not checked: {_place(one)}{one.message}" for one in not_checked])
    return page.text()


def _summary(found: SourceChanges) -> str:
    faster = sum(one.verdict == "predicted faster" for one in found.times)
    changes = f"{counted(len(found.new), 'new finding')}, {len(found.gone)} gone, {found.kept} stay"
    times = f"{counted(len(found.slower), 'kernel')} predicted to be slower, {faster} to be faster"
    return f"{changes}; {times}, for {found.after.device}."


def _findings(page: Page, title: str, findings: Sequence[Finding], report: Report) -> None:
    if not findings:
        return
    places = Locations(report)
    page.heading(f"{title}: {counted(len(findings), 'finding')}")
    page.lines([_line(page, one, str(places.of(one.path, one.span))) for one in findings[:_MOST_FINDINGS]])
    if len(findings) > _MOST_FINDINGS:
        page.paragraph(f"and {len(findings) - _MOST_FINDINGS} more (--format json has them all).")


def _line(page: Page, finding: Finding, place: str) -> str:
    gain = f" ({finding.gain.in_words()})" if finding.gain else ""
    return f"{page.code(place)} {finding.severity} {page.code(finding.rule)}: {finding.message}{gain}"


def _times(page: Page, times: Sequence[TimeChange]) -> None:
    told = [one for one in times if one.verdict in _TOLD]
    if not told:
        return
    page.heading("Times, all predicted")
    header = ("kernel", "time of", "before", "after", "speed-up", "verdict")
    rows = [
        (
            f"{one.path}: {one.kernel}",
            "its launches" if one.time_of == "launches" else "one element",
            _time(one, one.before_ms),
            _time(one, one.after_ms),
            factor_in_words(one.speedup),
            one.verdict,
        )
        for one in told
    ]
    page.table(header, rows, (2, 3, 4))
    page.lines([f"{page.code(one.kernel)}: {one.doubt}." for one in told if one.doubt])


def _time(one: TimeChange, milliseconds: float) -> str:
    return time_in_words(milliseconds) if one.time_of == "launches" else f"{milliseconds * 1e6:.3g} ns"


def _place(problem: Problem) -> str:
    return f"{problem.path}:{problem.line}: " if problem.path else ""


def source_difference_json(found: SourceChanges, base: str) -> str:
    """What changed as a JSON object; findings as in the report of `advisor check`, times in ms."""
    content = {
        "version": 1,
        "base": base,
        "device": found.after.device,
        "new": _objects(found.new, found.after),
        "gone": _objects(found.gone, found.before),
        "kept": found.kept,
        "times": [_time_object(one) for one in found.times],
        "errors": [problem_object(one, Locations(found.after)) for one in found.after.problems],
        "notices": found.after.notices,
    }
    return json.dumps(content, indent=2, default=str)


def _objects(findings: Sequence[Finding], report: Report) -> list[dict[str, object]]:
    names = {id(one): name for one, name in zip(report.findings, fingerprints(report), strict=True)}
    places = Locations(report)
    return [finding_object(one, names[id(one)], places) for one in findings]


def _time_object(one: TimeChange) -> dict[str, Any]:
    return {
        "path": one.path,
        "kernel": one.kernel,
        "time_of": one.time_of,
        "before_ms": one.before_ms,
        "after_ms": one.after_ms,
        "speedup": one.speedup,
        "speedup_interval": [one.interval.low, one.interval.high],
        "verdict": one.verdict,
        "doubt": one.doubt or None,
    }
