"""SARIF 2.1.0, the exchange format that GitHub code scanning and other viewers read.

Source: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html; limits and fields of GitHub:
https://docs.github.com/en/code-security/code-scanning/integrating-with-code-scanning/sarif-support-for-code-scanning
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Sequence
from urllib.parse import quote

from advisor import __version__
from advisor.model.findings import SEVERITIES, Confidence, Finding, Problem, Report, Severity
from advisor.reports.outputs import RenderOptions, RuleCatalogue
from advisor.reports.outputs.interchange.finding_objects import evidence_object, gain_object
from advisor.reports.outputs.interchange.fingerprints import fingerprints
from advisor.reports.outputs.interchange.plain import dump
from advisor.reports.outputs.interchange.sarif_rules import LEVELS, rule_objects
from advisor.reports.outputs.wording.counts import counted
from advisor.reports.outputs.wording.locations import Location, Locations

FOR_MACHINES = True
SHOWS_FIXES = True

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
# GitHub refuses a run with more results, a result with more locations, and a file with more bytes when it is
# compressed: https://docs.github.com/en/code-security/code-scanning/troubleshooting-sarif-uploads
MOST_RESULTS = 25_000
MOST_LOCATIONS = 1_000
MOST_BYTES = 10_000_000

_PATH_CHARACTERS = "/~!$&'()*+,;=@"
_DRIVE = re.compile("[A-Za-z]:/")
_CONFIDENCES: tuple[Confidence, ...] = ("low", "medium", "high")
_RANKS: dict[tuple[Severity, Confidence], float] = {
    (severity, confidence): 30.0 * high + 10.0 * low + 10.0
    for high, severity in enumerate(SEVERITIES)
    for low, confidence in enumerate(_CONFIDENCES)
}


def render(report: Report, rules: RuleCatalogue, options: RenderOptions) -> str:  # noqa: ARG001
    """The report as one SARIF log with one run; the gravest findings stay when there are too many."""
    most = MOST_RESULTS
    while True:
        kept = _kept(report, most)
        text = _log(report, rules, kept)
        if len(kept) < 2 or not _is_too_large(text):
            return text
        most = len(kept) // 2


def _is_too_large(text: str) -> bool:
    return len(text) > MOST_BYTES and len(gzip.compress(text.encode("ascii"))) > MOST_BYTES


def _log(report: Report, rules: RuleCatalogue, kept: Sequence[tuple[Finding, str]]) -> str:
    described = rule_objects([finding for finding, _ in kept], rules)
    index = {rule["id"]: at for at, rule in enumerate(described)}
    locations = Locations(report)
    driver = {"name": "kernel-advisor", "version": __version__, "rules": described}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"%SRCROOT%": {"description": {"text": "The folder the check was run in."}}},
        "invocations": [
            {
                "executionSuccessful": report.checked_everything,
                "toolExecutionNotifications": _notifications(report, len(kept)),
            }
        ],
        "results": [
            _result(finding, fingerprint, index[finding.rule], locations) for finding, fingerprint in kept
        ],
        "properties": {"device": report.device},
    }
    return dump({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}) + "\n"


def _kept(report: Report, most: int) -> list[tuple[Finding, str]]:
    """The findings to write with their fingerprints, in their order: at most so many, by rank."""
    numbered = list(enumerate(zip(report.findings, fingerprints(report), strict=True)))
    if len(numbered) > most:
        numbered.sort(key=lambda item: -_RANKS[item[1][0].severity, item[1][0].confidence])
        numbered = sorted(numbered[:most], key=lambda item: item[0])
    return [item for _, item in numbered]


def _notifications(report: Report, kept: int) -> list[dict[str, object]]:
    locations = Locations(report)
    notifications = [_notification(problem, locations) for problem in report.problems]
    if (left_out := len(report.findings) - kept) > 0:
        room = f"a run holds {MOST_RESULTS:,} results"
        if kept < MOST_RESULTS:
            room = f"GitHub takes {MOST_BYTES // 1_000_000} MB, compressed"
        text = f"{counted(left_out, 'finding')} of lower rank left out: {room}."
        notifications.append({"level": "warning", "message": {"text": text}})
    notifications += [{"level": "note", "message": {"text": notice}} for notice in report.notices]
    return notifications


def _notification(problem: Problem, locations: Locations) -> dict[str, object]:
    location = locations.of_problem(problem)
    text = location.in_words(problem.message)
    notification: dict[str, object] = {"level": "error", "message": {"text": text}}
    if problem.path:
        region = {"startLine": location.file_line}
        if problem.line and location.cell is None:
            region["startColumn"] = problem.column
        place = {"artifactLocation": _artifact(problem.path), "region": region}
        notification["locations"] = [{"physicalLocation": place}]
    return notification


def _result(finding: Finding, fingerprint: str, rule: int, locations: Locations) -> dict[str, object]:
    place = locations.of(finding.path, finding.span)
    location: dict[str, object] = {"physicalLocation": _physical(place)}
    if finding.kernel:
        location["logicalLocations"] = [{"name": finding.kernel, "kind": "function"}]
    result: dict[str, object] = {
        "ruleId": finding.rule,
        "ruleIndex": rule,
        "level": LEVELS[finding.severity],
        "message": {"text": place.in_words(finding.message or finding.rule)},
        "locations": [location],
        "partialFingerprints": {"primaryLocationLineHash": fingerprint, "advisorFinding/v1": fingerprint},
        "rank": _RANKS[finding.severity, finding.confidence],
        "properties": _properties(finding) | _cell(place),
    }
    if finding.related:
        result["relatedLocations"] = [
            {
                "id": number,
                "physicalLocation": _physical(elsewhere),
                "message": {"text": elsewhere.in_words(related.message)},
            }
            for number, related in enumerate(finding.related[: MOST_LOCATIONS - 1], start=1)
            for elsewhere in (locations.of(related.path, related.span),)
        ]
    return result


def _properties(finding: Finding) -> dict[str, object]:
    return {
        "confidence": finding.confidence,
        "advice": finding.advice,
        "assumptions": finding.assumptions,
        "evidence": [evidence_object(item) for item in finding.evidence],
        "gain": gain_object(finding.gain),
        "fixes": [{"title": fix.title, "safety": fix.safety} for fix in finding.fixes],
    }


def _cell(place: Location) -> dict[str, object]:
    """The place in a notebook's cell, nothing for other files."""
    if place.cell is None:
        return {}
    span = place.span
    return {
        "cell": place.cell,
        "line": span.line,
        "column": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }


def _physical(place: Location) -> dict[str, object]:
    """The lines of the file; columns too, but not in the JSON of a notebook, where they are other ones."""
    region = {"startLine": place.file_line, "endLine": place.file_end_line}
    if place.cell is None:
        span = place.span
        region = {
            "startLine": span.line,
            "startColumn": span.column,
            "endLine": span.end_line,
            "endColumn": span.end_column,
        }
    return {"artifactLocation": _artifact(place.path), "region": region}


def _artifact(path: str) -> dict[str, object]:
    """The location of a file: relative to the folder of the check, or absolute where it lies elsewhere."""
    written = quote(path.encode("utf-8", "surrogateescape"), safe=_PATH_CHARACTERS)
    if _DRIVE.match(path):
        return {"uri": f"file:///{path[:2]}{written[len('C%3A') :]}"}
    if path.startswith("/"):
        return {"uri": f"file://{written}"}
    return {"uri": written, "uriBaseId": "%SRCROOT%"}
