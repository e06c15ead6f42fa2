"""Our edits as the client takes them: in its units, with versions and snippets where it knows these."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.capabilities import get_capability

from advisor.check.suppressions import NO_REASON_YET
from advisor.model.findings import Edit
from advisor.model.text.source_text import SourceText, Span
from lsp_server.analysis.checked_text import Analysis
from lsp_server.documents.open_documents import OpenText
from lsp_server.protocol.client import Client
from lsp_server.protocol.positions import Positions

if TYPE_CHECKING:
    from lsp_server.fixes.suppression import Insertion

_LINE_END = re.compile(r"\r\n|\r|\n")
# Behind a comment for a client that has no places to fill in; it counts as no reason.
_NO_REASON = f"{NO_REASON_YET}: say why this is acceptable here"


@dataclass(frozen=True)
class Writes:
    """What a client can do with edits: name the version they are for, have places to fill in.

    `disabled` whether it shows actions that cannot be taken, with the reason.
    """

    versions: bool = False
    snippets: bool = False
    disabled: bool = False


def writes_of(client: Client) -> Writes:
    """What the connected client can do."""
    snippets = get_capability(client.declared, "workspace.workspace_edit.snippet_edit_support")
    disabled = get_capability(client.declared, "text_document.code_action.disabled_support")
    return Writes(client.versions_edits, bool(snippets) and client.versions_edits, bool(disabled))


def workspace_edit(
    edits: Iterable[Edit],
    texts: Mapping[str, str],
    analysis: Analysis,
    positions: Positions,
    writes: Writes,
    opened: Mapping[str, OpenText],
) -> types.WorkspaceEdit | None:
    """Edits of the document and of other files, which need not be open: an empty path is the document's.

    `texts` are those that the edits were written for, by path from the document's root, and `opened` the
    texts that the client holds. None where it holds another text of one of the files.
    """
    document = analysis.document
    by_path: dict[str, list[types.TextEdit]] = {document.path: []}
    for edit in edits:
        path = edit.path or document.path
        # A byte order mark is no part of the text that places are counted in.
        text = document.source.text if path == document.path else texts[path].removeprefix("\ufeff")
        if path != document.path and path in opened and opened[path].text != text:
            return None
        there = positions if path == document.path else replace(positions, text=SourceText(path, text))
        by_path.setdefault(path, []).append(
            types.TextEdit(there.range(_span(text, edit.start, edit.end)), edit.text)
        )
    files = [(*_named(path, analysis, opened), changed) for path, changed in by_path.items() if changed]
    if not writes.versions:
        return types.WorkspaceEdit(changes={uri: changed for uri, _, changed in files})
    return types.WorkspaceEdit(document_changes=[_versioned(*one) for one in files])


def _named(path: str, analysis: Analysis, opened: Mapping[str, OpenText]) -> tuple[str, int | None]:
    """The URI and the version of a file; a version only of what is open."""
    document = analysis.document
    if path == document.path:
        return document.uri, document.version
    held = opened.get(path)
    return ((document.root / path).as_uri(), None) if held is None else (held.uri, held.version)


def insertion_edit(
    insertion: Insertion, analysis: Analysis, positions: Positions, writes: Writes
) -> types.WorkspaceEdit:
    """The edit that puts in a suppression comment; its reason is for the user to type.

    A client that has places to fill in puts the cursor there, any other gets a note that counts as no reason.
    """
    document = analysis.document
    place = positions.range(Span(insertion.line, insertion.column, insertion.line, insertion.column))
    text = insertion.text.replace("\n", "\r\n") if "\r\n" in document.text else insertion.text
    body, end = text.rstrip("\r\n"), text[len(text.rstrip("\r\n")) :]
    if body.endswith("]") and not writes.snippets:
        text = f"{body} {_NO_REASON}{end}"
    elif body.endswith("]"):
        snippet = types.StringValue(f"{_plain(body)} $1{end}")
        edits: list[types.TextEdit | types.AnnotatedTextEdit | types.SnippetTextEdit]
        edits = [types.SnippetTextEdit(place, snippet)]
        named = types.OptionalVersionedTextDocumentIdentifier(document.uri, document.version)
        return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(named, edits)])
    edit = types.TextEdit(place, text)
    if not writes.versions:
        return types.WorkspaceEdit(changes={document.uri: [edit]})
    return types.WorkspaceEdit(document_changes=[_versioned(document.uri, document.version, [edit])])


def _versioned(uri: str, version: int | None, edits: list[types.TextEdit]) -> types.TextDocumentEdit:
    return types.TextDocumentEdit(types.OptionalVersionedTextDocumentIdentifier(uri, version), list(edits))


def _span(text: str, start: int, end: int) -> Span:
    """The lines and columns, from 1, of offsets into a text."""
    places = []
    for offset in (start, end):
        ends = [found.end() for found in _LINE_END.finditer(text, 0, offset)]
        places += [len(ends) + 1, offset - (ends[-1] if ends else 0) + 1]
    return Span(*places)


def _plain(text: str) -> str:
    """A text that means itself in a snippet."""
    return text.replace("\\", "\\\\").replace("$", "\\$").replace("}", "\\}")
