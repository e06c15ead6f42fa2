"""A new name as the protocol's edits, over all files it stands in."""

from __future__ import annotations

from lsprotocol import types

from advisor.config import find_config_file
from lsp_server.rule_files.navigation import occurrences
from lsp_server.rule_files.renaming import file_to_move
from lsp_server.rule_files.snapshot import Snapshot
from lsp_server.rule_files.symbols import Symbol


def edits_for(
    snapshot: Snapshot, symbol: Symbol, new: str, versioned: bool, moves_files: bool
) -> types.WorkspaceEdit:
    """The edits that give a name another.

    `versioned` when the client takes edits of whole documents, `moves_files` when it can rename files: a
    rule's file is called like the rule.
    """
    by_uri: dict[str, list[types.TextEdit]] = {}
    for one in occurrences(snapshot, symbol):
        place = snapshot.location(one.file, one.reading, one.name)
        by_uri.setdefault(place.uri, []).append(types.TextEdit(place.range, new))
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


def configuration_naming(snapshot: Snapshot, symbol: Symbol) -> str:
    """The configuration file that names a rule or parameter as well, "" where none does."""
    if symbol.kind not in ("rule", "param"):
        return ""
    file = find_config_file(snapshot.document.file.parent)
    rule = symbol.name if symbol.kind == "rule" else symbol.owner
    try:
        text = file.read_text("utf-8", "replace") if file is not None else ""
    except OSError:
        return ""
    return file.name if file is not None and rule in text and symbol.name in text else ""
