"""Partial changes of texts, as whole texts: lines end where the protocol says, at no other character.

pygls applies partial changes to lines that it splits at form feeds and line separators too, where no editor
splits them; it is only given whole texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from lsprotocol import types
from pygls.workspace import PositionCodec, Workspace

from lsp_server.documents.open_documents import held_document

_LINE_END = re.compile(r"\r\n|\r|\n")


def changed(text: str, changes: Iterable[types.TextDocumentContentChangeEvent], codec: PositionCodec) -> str:
    """A text after changes, each of which is about the text that the one before it has left.

    What lies past the end of a line or of the text is its end.
    """
    for change in changes:
        if isinstance(change, types.TextDocumentContentChangePartial):
            start, end = sorted(_offset(text, one, codec) for one in (change.range.start, change.range.end))
            text = text[:start] + change.text + text[end:]
        else:
            text = change.text
    return text


def with_whole_texts(message: Any, workspace: Workspace) -> Any:
    """A message with each document's changes as one new text; other messages as they are."""
    params = getattr(message, "params", None)
    if isinstance(params, types.DidChangeTextDocumentParams):
        held = held_document(workspace, params.text_document.uri)
        before = "" if held is None else held.source
        params.content_changes = _whole(before, params.content_changes, workspace.position_codec)
    elif isinstance(params, types.DidChangeNotebookDocumentParams) and params.change.cells is not None:
        cells = params.change.cells
        opened = {one.uri: one.text for one in (cells.structure and cells.structure.did_open) or []}
        for one in cells.text_content or []:
            before = _cell_text(one.document.uri, opened, workspace)
            one.changes = _whole(before, one.changes, workspace.position_codec)
    return message


def _cell_text(uri: str, opened: Mapping[str, str], workspace: Workspace) -> str:
    held = held_document(workspace, uri)
    return opened.get(uri, "" if held is None else held.source)


def _whole(
    text: str, changes: Iterable[types.TextDocumentContentChangeEvent], codec: PositionCodec
) -> list[types.TextDocumentContentChangeEvent]:
    return [types.TextDocumentContentChangeWholeDocument(changed(text, changes, codec))]


def _offset(text: str, position: types.Position, codec: PositionCodec) -> int:
    """The offset of a client's position; one inside of a character is that of its beginning."""
    start = 0
    for _ in range(position.line):
        found = _LINE_END.search(text, start)
        if found is None:
            return len(text)
        start = found.end()
    found = _LINE_END.search(text, start)
    line = text[start : found.start() if found is not None else len(text)]
    if line.isascii():
        return start + min(position.character, len(line))
    units = 0
    for at, character in enumerate(line):
        units += codec.client_num_units(character)
        if units > position.character:
            return start + at
    return start + len(line)
