"""GitLab's code quality report: a JSON array of issues that merge requests show."""

from __future__ import annotations

from advisor.model.findings import Finding, Problem, Report, Severity, Unrecognised
from advisor.reports.outputs import RenderOptions, RuleCatalogue
from advisor.reports.outputs.drawing.paragraphs import one_line
from advisor.reports.outputs.interchange.fingerprints import fingerprints, problem_fingerprint
from advisor.reports.outputs.interchange.plain import dump
from advisor.reports.outputs.wording.counts import problem_name
from advisor.reports.outputs.wording.locations import Location, Locations
from advisor.reports.outputs.wording.places import further_lines

FOR_MACHINES = True
SHOWS_FIXES = False

_SEVERITIES: dict[Severity, str] = {"info": "info", "warning": "minor", "error": "major"}


def render(report: Report, rules: RuleCatalogue, options: RenderOptions) -> str:  # noqa: ARG001
    """The findings and problems, and the notices that have a place, as a JSON array.

    Source: https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
    """
    locations = Locations(report)
    issues = [
        _issue(finding, fingerprint, locations)
        for finding, fingerprint in zip(report.findings, fingerprints(report), strict=True)
    ]
    issues += [
        _problem(number, problem, locations.of_problem(problem))
        for number, problem in enumerate(report.problems)
    ]
    known = {problem.message for problem in report.problems}
    issues += [
        _unrecognised(one, locations.of_line(one.path, one.line))
        for one in report.unrecognised
        if one.in_words() not in known
    ]
    return dump(issues) + "\n"


def _unrecognised(one: Unrecognised, location: Location) -> dict[str, object]:
    """A notice with a place; others have none and are no issues of the code."""
    return {
        "type": "issue",
        "check_name": "not-recognised",
        "description": one_line(location.in_words(one.in_words())),
        "categories": ["Compatibility"],
        "severity": "info",
        "fingerprint": problem_fingerprint((0, one.path, one.in_words())),
        "location": {"path": one.path, "lines": {"begin": location.file_line}},
    }


def _problem(number: int, problem: Problem, location: Location) -> dict[str, object]:
    return {
        "type": "issue",
        "check_name": problem_name(problem),
        "description": one_line(location.in_words(problem.message)),
        "categories": ["Compatibility"],
        "severity": "critical",
        "fingerprint": problem_fingerprint((number, problem.path, problem.message)),
        "location": {"path": problem.path or ".", "lines": {"begin": location.file_line}},
    }


def _issue(finding: Finding, fingerprint: str, locations: Locations) -> dict[str, object]:
    location = locations.of(finding.path, finding.span)
    said = " ".join(filter(None, (finding.message, further_lines(finding, locations))))
    return {
        "type": "issue",
        "check_name": finding.rule,
        "description": one_line(location.in_words(said)),
        "categories": ["Performance"],
        "severity": _SEVERITIES[finding.severity],
        "fingerprint": fingerprint,
        "location": {
            "path": finding.path,
            "lines": {"begin": location.file_line, "end": location.file_end_line},
        },
    }
