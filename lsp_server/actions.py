"""The actions offered on the lines of findings: the fixes of their rules, and to silence them there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lsprotocol import types

from advisor.findings import Finding, Fix
from advisor.text import SourceText, Span
from lsp_server.analysis import Analysis
from lsp_server.diagnostics import SOURCE, fingerprint
from lsp_server.positions import Positions
from lsp_server.suppression import Insertion, suppression

KIND = types.CodeActionKind.QuickFix


def actions_for(
    analysis: Analysis, params: types.CodeActionParams, positions: Positions, versioned: bool
) -> list[types.CodeAction]:
    """The actions for each rule with a finding on the lines asked for: its fixes, and to silence it there.

    The findings are our own of the present text; of what the client sends back only the data is believed.
    `versioned` when the client takes edits that name the version they were made for.
    """
    if not _wanted(params.context.only):
        return []
    first, last = params.range.start.line + 1, params.range.end.line + 1
    sent = {str(item.data): item for item in params.context.diagnostics if item.source == SOURCE}
    alike: dict[tuple[str, int], list[Finding]] = {}
    for finding in analysis.findings:
        if finding.span.line <= last and finding.span.end_line >= first:
            alike.setdefault((finding.rule, finding.span.line), []).append(finding)
    actions = []
    for findings in alike.values():
        known = [sent[key] for finding in findings if (key := fingerprint(finding)) in sent]
        actions += _fixes(findings[0], known, analysis, positions, versioned)
        insertion = suppression(findings[0], analysis.document.source)
        if insertion is not None:
            edit = _edit(insertion, analysis, positions, versioned)
            title = f"Suppress {findings[0].rule} on this line"
            actions.append(types.CodeAction(title, kind=KIND, diagnostics=known or None, edit=edit))
    return actions


def _fixes(
    finding: Finding,
    known: list[types.Diagnostic],
    analysis: Analysis,
    positions: Positions,
    versioned: bool,
) -> list[types.CodeAction]:
    """The fixes of a finding that can be written as edits; what needs review says under which condition."""
    found = []
    for fix in finding.fixes:
        if not fix.edits:
            continue
        safe = fix.safety == "safe"
        title = fix.title if safe else f"{fix.title} (needs review: {fix.condition})"
        if fix.proof is not None:
            title = f"{title} ({fix.proof.in_words()})"
        change = _change(fix, analysis, positions, versioned)
        found.append(
            types.CodeAction(
                title, kind=KIND, diagnostics=known or None, edit=change, is_preferred=safe or None
            )
        )
    return found


def _change(fix: Fix, analysis: Analysis, positions: Positions, versioned: bool) -> types.WorkspaceEdit:
    """The edits of a fix, also those in other files, which need not be open."""
    document = analysis.document
    by_path: dict[str, list[types.TextEdit]] = {}
    for edit in fix.edits:
        path = edit.path or document.path
        text = document.text if path == document.path else analysis.texts[path]
        there = positions if path == document.path else replace(positions, text=SourceText(path, text))
        span = _span(text, edit.start, edit.end)
        by_path.setdefault(path, []).append(types.TextEdit(there.range(span), edit.text))
    own = by_path.pop(document.path, [])
    if not by_path:
        return _workspace_edit(own, analysis, versioned)
    uris = {(document.root / path).as_uri(): edits for path, edits in by_path.items()}
    if not versioned:
        return types.WorkspaceEdit(changes={document.uri: own, **uris})
    changes = [_versioned(document.uri, document.version, own)]
    return types.WorkspaceEdit(
        document_changes=[*changes, *(_versioned(uri, None, edits) for uri, edits in uris.items())]
    )


def _versioned(uri: str, version: int | None, edits: list[types.TextEdit]) -> types.TextDocumentEdit:
    return types.TextDocumentEdit(types.OptionalVersionedTextDocumentIdentifier(uri, version), list(edits))


def _span(text: str, start: int, end: int) -> Span:
    """The lines and columns, from 1, of offsets into a text."""
    places = []
    for offset in (start, end):
        places += [text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)]
    return Span(*places)


def _wanted(only: Sequence[types.CodeActionKind | str] | None) -> bool:
    """Whether quick fixes are among the kinds asked for; a kind stands for those below it."""
    if only is None:
        return True
    kinds = [kind.value if isinstance(kind, types.CodeActionKind) else kind for kind in only]
    return any(kind in ("", KIND.value) for kind in kinds)


def _edit(
    insertion: Insertion, analysis: Analysis, positions: Positions, versioned: bool
) -> types.WorkspaceEdit:
    document = analysis.document
    line, column = insertion.line, insertion.column
    text = insertion.text.replace("\n", "\r\n") if "\r\n" in document.text else insertion.text
    edit = types.TextEdit(positions.range(Span(line, column, line, column)), text)
    return _workspace_edit([edit], analysis, versioned)


def _workspace_edit(edits: list[types.TextEdit], analysis: Analysis, versioned: bool) -> types.WorkspaceEdit:
    document = analysis.document
    if not versioned:
        return types.WorkspaceEdit(changes={document.uri: edits})
    return types.WorkspaceEdit(document_changes=[_versioned(document.uri, document.version, edits)])
