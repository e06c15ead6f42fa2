"""Findings and problems as the diagnostics of one document, in the client's units of position."""

from __future__ import annotations

import hashlib

from lsprotocol import types

from advisor.model.findings import Finding, Problem, Related, Severity, Unrecognised
from advisor.model.text.source_text import Span
from lsp_server.analysis.checked_text import Analysis
from lsp_server.documents.document import Document
from lsp_server.protocol.positions import Positions, first_of_line

SOURCE = "advisor"
NOT_CHECKED = "not-checked"
_SYNTAX_ERROR = "syntax error"

_SEVERITIES: dict[Severity, types.DiagnosticSeverity] = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "info": types.DiagnosticSeverity.Information,
}
# A comment that does nothing is shown faded; no kernel's line is, for that would say that it does nothing.
_TAGS = {"unused-suppression": [types.DiagnosticTag.Unnecessary]}


def diagnostics_of(
    analysis: Analysis, positions: Positions, syntax_errors: bool = True
) -> list[types.Diagnostic]:
    """The diagnostics of an analysed document: what could not be checked first, then the findings.

    Without `syntax_errors` nothing is said of what is no Python: another server says that.
    """
    document = analysis.document
    problems = [
        _of_problem(problem, document, positions)
        for problem in analysis.problems
        if syntax_errors or not problem.message.startswith(_SYNTAX_ERROR)
    ]
    if analysis.left_out:
        place = positions.range(Span(1, 1, 1, len(document.source.lines[0]) + 1))
        information = types.DiagnosticSeverity.Information
        said = f"Not checked: {analysis.left_out}"
        problems.append(types.Diagnostic(place, said, information, code=NOT_CHECKED, source=SOURCE))
    problems += [_of_unrecognised(one, document, positions) for one in analysis.unrecognised]
    return problems + [_of_finding(finding, document, positions) for finding in analysis.findings]


def fingerprint(finding: Finding) -> str:
    """A short text by which a finding is known again, whatever range the client sends back."""
    place = (finding.rule, finding.path, finding.span, finding.message)
    return hashlib.sha256(repr(place).encode(errors="replace")).hexdigest()[:16]


def _of_finding(finding: Finding, document: Document, positions: Positions) -> types.Diagnostic:
    return types.Diagnostic(
        range=positions.range(finding.span),
        message=_message(finding),
        severity=_SEVERITIES[finding.severity],
        code=finding.rule,
        code_description=types.CodeDescription(finding.url) if finding.url else None,
        source=SOURCE,
        related_information=[_related(other, document, positions) for other in finding.related] or None,
        tags=_TAGS.get(finding.rule),
        data=fingerprint(finding),
    )


def _related(other: Related, document: Document, positions: Positions) -> types.DiagnosticRelatedInformation:
    if other.path == document.path:
        location = types.Location(document.uri, positions.range(other.span))
    else:
        location = types.Location((document.root / other.path).as_uri(), first_of_line(other.span))
    return types.DiagnosticRelatedInformation(location, other.message)


def _message(finding: Finding) -> str:
    advice = f"\nTry: {finding.advice[0]}" if finding.advice else ""
    assumed = f"\nAssumed: {' '.join(finding.assumptions)}" if finding.assumptions else ""
    return finding.message + advice + assumed


def _of_unrecognised(one: Unrecognised, document: Document, positions: Positions) -> types.Diagnostic:
    """Information over the first line with `cuda.jit` that is no known kernel; the message has all lines."""
    said = _of_problem(one.as_problem(), document, positions)
    said.severity = types.DiagnosticSeverity.Information
    return said


def _of_problem(problem: Problem, document: Document, positions: Positions) -> types.Diagnostic:
    """An error over the whole line, for problems have no column."""
    lines = document.source.lines
    line = min(max(problem.line, 1), max(len(lines), 1))
    text = lines[line - 1] if lines else ""
    span = Span(line, len(text) - len(text.lstrip()) + 1, line, len(text) + 1)
    return types.Diagnostic(
        range=positions.range(span),
        message=f"Not checked: {problem.message}",
        severity=types.DiagnosticSeverity.Error,
        code=NOT_CHECKED,
        source=SOURCE,
    )
