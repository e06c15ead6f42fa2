"""Annotations of GitHub Actions: workflow commands that show a finding beside its line in a pull request."""

from __future__ import annotations

import re

from advisor.model.findings import Finding, Problem, Report, Severity, Unrecognised
from advisor.model.text.visible_text import visible
from advisor.reports.outputs import RenderOptions, RuleCatalogue
from advisor.reports.outputs.wording.counts import problem_name
from advisor.reports.outputs.wording.locations import Locations
from advisor.reports.outputs.wording.places import further_lines

FOR_MACHINES = True
SHOWS_FIXES = False

_COMMANDS: dict[Severity, str] = {"info": "notice", "warning": "warning", "error": "error"}
_LINE_ENDS = re.compile(r"\r\n|\r|\n")


def render(report: Report, rules: RuleCatalogue, options: RenderOptions) -> str:  # noqa: ARG001
    """A workflow command for each problem, each finding and each notice.

    Source: https://docs.github.com/actions/reference/workflow-commands-for-github-actions (annotations);
    escaping as in the toolkit's command.ts, https://github.com/actions/toolkit.
    """
    locations = Locations(report)
    lines = [_error(problem, locations) for problem in report.problems]
    lines += [_annotation(finding, locations) for finding in report.findings]
    placed = {one.as_notice(): one for one in report.unrecognised}
    lines += [_notice(notice, placed.get(notice), locations) for notice in report.notices]
    return "".join(line + "\n" for line in lines)


def _error(problem: Problem, locations: Locations) -> str:
    location = locations.of_problem(problem)
    place: dict[str, object] = {"file": problem.path, "line": location.file_line} if problem.path else {}
    if problem.path and problem.line and location.cell is None:
        place["col"] = problem.column
    title = problem_name(problem).replace("-", " ")
    return _command("error", place | {"title": title}, location.in_words(problem.message))


def _notice(notice: str, place: Unrecognised | None, locations: Locations) -> str:
    if place is None:
        return _command("notice", {"title": "kernel-advisor"}, notice)
    location = locations.of_line(place.path, place.line)
    at: dict[str, object] = {"file": place.path, "line": location.file_line}
    return _command("notice", at | {"title": "not recognised"}, location.in_words(place.in_words()))


def _annotation(finding: Finding, locations: Locations) -> str:
    span, location = finding.span, locations.of(finding.path, finding.span)
    place: dict[str, object] = {"file": finding.path, "line": location.file_line}
    # GitHub takes columns only for a stretch within one line; those of a notebook's JSON are other ones.
    if span.end_line == span.line and location.cell is None:
        place |= {"col": span.column, "endLine": span.end_line, "endColumn": span.end_column}
    else:
        place["endLine"] = location.file_end_line
    title = f"{finding.title} ({finding.rule})" if finding.title else finding.rule
    # GitHub drops a command without a message.
    message = location.in_words(finding.message or title)
    if lines := further_lines(finding, locations):
        message += f"\n{lines}"
    if finding.advice:
        message += "\nTry:" + "".join(f"\n- {advice}" for advice in finding.advice)
    return _command(_COMMANDS[finding.severity], place | {"title": title}, message)


def _command(name: str, properties: dict[str, object], message: str) -> str:
    written = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items())
    return f"::{name} {written}::{_data(message)}"


def _data(text: str) -> str:
    lines = (visible(line).replace("%", "%25") for line in _LINE_ENDS.split(text))
    return "%0A".join(lines)


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
