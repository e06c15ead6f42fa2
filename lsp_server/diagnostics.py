"""Findings and problems as the diagnostics of one document, in the client's units of position."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

from lsprotocol import types
from pygls.workspace.position_codec import ServerTextRange

from advisor.findings import Finding, Problem, Report, Severity
from advisor.text import Span
from lsp_server.positions import range_of, start_of_line

SOURCE = "advisor"
# Turns a range in characters into one in the units agreed with the client.
ToClient = Callable[[ServerTextRange], types.Range]

_SEVERITIES: dict[Severity, types.DiagnosticSeverity] = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "info": types.DiagnosticSeverity.Information,
}


def diagnostics_of(report: Report, path: str, root: Path, to_client: ToClient) -> list[types.Diagnostic]:
    """The diagnostics of the document that is reported as `path`."""
    found = [_of_problem(problem, to_client) for problem in report.problems if problem.path == path]
    shown: set[tuple[str, Span, str]] = set()
    for finding in report.findings:
        key = (finding.rule, finding.span, finding.message)
        if finding.path == path and key not in shown:
            shown.add(key)
            found.append(_of_finding(finding, root, to_client))
    return found


def fingerprint(finding: Finding) -> str:
    """A short text by which a finding is known again, whatever range the client sends back."""
    place = (finding.rule, finding.path, finding.span, finding.message)
    return hashlib.sha256(repr(place).encode()).hexdigest()[:16]


def _of_finding(finding: Finding, root: Path, to_client: ToClient) -> types.Diagnostic:
    related = [
        types.DiagnosticRelatedInformation(
            types.Location((root / other.path).as_uri(), start_of_line(other.span)), other.message
        )
        for other in finding.related
    ]
    return types.Diagnostic(
        range=to_client(range_of(finding.span)),
        message=_message(finding),
        severity=_SEVERITIES[finding.severity],
        code=finding.rule,
        code_description=types.CodeDescription(finding.url) if finding.url else None,
        source=SOURCE,
        related_information=related or None,
        data=fingerprint(finding),
    )


def _message(finding: Finding) -> str:
    assumed = f"\nAssumed: {' '.join(finding.assumptions)}" if finding.assumptions else ""
    advice = f"\nTry: {finding.advice[0]}" if finding.advice else ""
    return finding.message + advice + assumed


def _of_problem(problem: Problem, to_client: ToClient) -> types.Diagnostic:
    line = max(problem.line, 1)
    return types.Diagnostic(
        range=to_client(range_of(Span(line, 1, line, 2))),
        message=problem.message,
        severity=types.DiagnosticSeverity.Error,
        code="not-checked",
        source=SOURCE,
    )
