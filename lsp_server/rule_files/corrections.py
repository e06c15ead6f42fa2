"""What corrects an error or a remark in a rule file with certainty, as code actions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lsprotocol import types

from advisor.model.text.source_text import Span
from advisor.rules.language.problems import RuleError
from advisor.rules.lint import lint
from lsp_server.rule_files.snapshot import Snapshot

KIND = types.CodeActionKind.QuickFix
_MEANT = re.compile(r"did you mean `([^`]+)`\?")
_INSTEAD = re.compile(r"write `([^`]+)`\.")
_NAMED = re.compile(r"`([^`]+)`")


@dataclass(frozen=True, slots=True)
class Correction:
    """A text to put in the place of the text between two offsets, for what has that code."""

    code: str
    start: int
    end: int
    text: str


def corrections(snapshot: Snapshot, first: int, last: int) -> Iterator[Correction]:
    """What corrects the errors and remarks that begin on a line between `first` and `last`, from 1."""
    for error in snapshot.book.errors:
        if error.path == snapshot.path and first <= error.span.line <= last:
            yield from _of_error(error, snapshot)
    for remark in lint(snapshot.book, {snapshot.path}, snapshot.opened.reached):
        if remark.replacement is not None and first <= remark.span.line <= last:
            yield Correction(remark.code, *_offsets(remark.span, snapshot), remark.replacement)


def actions_at(snapshot: Snapshot, params: types.CodeActionParams, versioned: bool) -> list[types.CodeAction]:
    """The actions for the lines asked for; of what the client sends back only the codes are believed."""
    wanted = params.context.only
    if wanted is not None and not any(str(getattr(one, "value", one)) in ("", KIND.value) for one in wanted):
        return []
    first, last = params.range.start.line + 1, params.range.end.line + 1
    return [
        _action(one, snapshot, params.context.diagnostics, versioned)
        for one in corrections(snapshot, first, last)
    ]


def _of_error(error: RuleError, snapshot: Snapshot) -> Iterator[Correction]:
    start, end = _offsets(error.span, snapshot)
    written = snapshot.document.content[start:end]
    instead = _INSTEAD.fullmatch(error.help)
    if instead is not None and _is_number(written):
        yield Correction(error.code, start, end, instead[1])
    meant = _MEANT.search(error.help)
    named = _NAMED.search(error.sentence)
    if meant is None or named is None:
        return
    found = [*re.finditer(rf"(?<![\w-]){re.escape(named[1])}(?![\w-])", written)]
    if len(found) == 1:
        yield Correction(error.code, start + found[0].start(), start + found[0].end(), meant[1])


def _is_number(text: str) -> bool:
    return re.fullmatch(r"[\d.]+", text) is not None


def _offsets(span: Span, snapshot: Snapshot) -> tuple[int, int]:
    lines = snapshot.reading.lines
    return lines.offset((span.line, span.column)), lines.offset((span.end_line, span.end_column))


def _action(
    one: Correction, snapshot: Snapshot, sent: Sequence[types.Diagnostic], versioned: bool
) -> types.CodeAction:
    document = snapshot.document
    where = snapshot.range(one.start, one.end)
    edit = types.TextEdit(where, one.text)
    if versioned:
        identifier = types.OptionalVersionedTextDocumentIdentifier(document.uri, document.version)
        change = types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(identifier, [edit])])
    else:
        change = types.WorkspaceEdit(changes={document.uri: [edit]})
    line = where.start.line
    known = [item for item in sent if item.code == one.code and item.range.start.line <= line]
    return types.CodeAction(
        f"Write `{one.text}`", kind=KIND, diagnostics=known[:1] or None, edit=change, is_preferred=True
    )
