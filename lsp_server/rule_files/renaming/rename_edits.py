"""A new name as the protocol's edits, over all files it stands in."""

from __future__ import annotations

from pathlib import Path

from lsprotocol import types

from lsp_server.rule_files.renaming.navigation import occurrences
from lsp_server.rule_files.renaming.renaming import file_to_move
from lsp_server.rule_files.snapshot import Snapshot
from lsp_server.rule_files.text.symbols import Symbol


def edits_for(
    snapshot: Snapshot,
    symbol: Symbol,
    new: str,
    versioned: bool,
    moves_files: bool,
    configured: tuple[Path, list[types.TextEdit]] | None = None,
) -> types.WorkspaceEdit:
    """The edits that give a name another.

    `versioned` when the client takes edits of whole documents, `moves_files` when it can rename files: a
    rule's file is called like the rule. `configured` is the configuration that names it, with its edits.
    """
    by_uri: dict[str, list[types.TextEdit]] = {}
    for one in occurrences(snapshot, symbol):
        place = snapshot.location(one.file, one.reading, one.name)
        by_uri.setdefault(place.uri, []).append(types.TextEdit(place.range, new))
    if configured is not None:
        by_uri[configured[0].as_uri()] = configured[1]
    if not versioned:
        return types.WorkspaceEdit(changes=by_uri)
    changes: list[types.TextDocumentEdit | types.RenameFile] = []
    for uri, edits in by_uri.items():
        version = snapshot.document.version if uri == snapshot.document.uri else None
        identifier = types.OptionalVersionedTextDocumentIdentifier(uri, version)
        changes.append(types.TextDocumentEdit(identifier, list(edits)))
    moved = file_to_move(snapshot, symbol) if moves_files else None
    if moved is not None:
        target = moved.file.with_name(f"{new}.rules")
        changes.append(types.RenameFile(snapshot.uri(moved.file), target.as_uri(), kind="rename"))
    return types.WorkspaceEdit(document_changes=list(changes))
