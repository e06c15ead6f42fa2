"""What is wrong with a rule file, and what lint remarks about it."""

from __future__ import annotations

from lsprotocol import types

from advisor.rules.language.problems import RuleError
from advisor.rules.lint import Remark, lint, shown_as
from advisor.rules.testing.coverage import cover
from lsp_server.answers.diagnostics import SOURCE
from lsp_server.protocol.positions import Positions
from lsp_server.rule_files.snapshot import Snapshot

_SEVERITIES = {
    "warning": types.DiagnosticSeverity.Warning,
    "hint": types.DiagnosticSeverity.Hint,
}
EXAMPLE_FAILS = "example-fails"
DEPRECATED = "deprecated-rule"


def diagnostics_of(snapshot: Snapshot) -> list[types.Diagnostic]:
    """The errors of the document, then examples that do not hold, remarks, and names of deprecated rules."""
    errors = [one for one in snapshot.book.errors if one.path == snapshot.path]
    found = [diagnostic_of(one, snapshot.positions) for one in errors]
    found += _failing_examples(snapshot)
    remarks = lint(snapshot.book, {snapshot.path}, snapshot.opened.reached)
    found += [_of_remark(one, snapshot) for one in remarks]
    return found + _deprecated(snapshot)


def diagnostic_of(error: RuleError, positions: Positions) -> types.Diagnostic:
    """The diagnostic of an error in a text with those positions."""
    return types.Diagnostic(
        range=positions.range(error.span),
        message=_sentence(error.sentence) + (f"\n{_sentence(error.help)}" if error.help else ""),
        severity=types.DiagnosticSeverity.Error,
        code=error.code,
        source=SOURCE,
    )


def _of_remark(remark: Remark, snapshot: Snapshot) -> types.Diagnostic:
    unused = [types.DiagnosticTag.Unnecessary] if remark.name.startswith("unused") else None
    return types.Diagnostic(
        range=snapshot.positions.range(remark.span),
        message=f"{_sentence(remark.sentence)}\n{_sentence(remark.help)}",
        severity=_SEVERITIES[shown_as(remark.code)],
        code=remark.code,
        source=SOURCE,
        tags=unused,
    )


def _deprecated(snapshot: Snapshot) -> list[types.Diagnostic]:
    """The names of deprecated rules, where they are declared and where they are used."""
    said = {rule.id: rule.deprecated for rule in snapshot.book.rules if rule.deprecated}
    return [
        types.Diagnostic(
            range=snapshot.range(one.start, one.end),
            message=f"The rule `{one.symbol.name}` is deprecated: {said[one.symbol.name]}",
            severity=types.DiagnosticSeverity.Hint,
            code=DEPRECATED,
            source=SOURCE,
            tags=[types.DiagnosticTag.Deprecated],
        )
        for one in snapshot.reading.names
        if one.symbol.kind == "rule" and one.symbol.name in said
    ]


def _failing_examples(snapshot: Snapshot) -> list[types.Diagnostic]:
    rules = [rule for rule in snapshot.book.rules if rule.path == snapshot.path]
    return [
        types.Diagnostic(
            range=snapshot.positions.range(failure.example.span),
            message=f"This example should be {failure.example.verdict}, but the rule is {failure.found}.",
            severity=types.DiagnosticSeverity.Warning,
            code=EXAMPLE_FAILS,
            source=SOURCE,
        )
        for covered in cover(snapshot.book, rules, with_mutants=False)
        for failure in covered.failures
    ]


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] if text[:1].isalpha() else text
