"""Definitions, references, highlights and renaming in rule files."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, TypeVar

from lsprotocol import types
from pygls.capabilities import get_capability
from pygls.exceptions import JsonRpcException

from lsp_server.protocol.dispatch import RULES
from lsp_server.rule_files.session import rules_of
from lsp_server.session import AdvisorServer

if TYPE_CHECKING:
    from lsp_server.rule_files.renaming.navigation import Occurrence
    from lsp_server.rule_files.snapshot import Snapshot

_T = TypeVar("_T")
_NO_NAME = "There is no name here."


def register(server: AdvisorServer) -> None:
    """Add what concerns names."""
    logging.getLogger("pygls.protocol.json_rpc").addFilter(_is_no_refusal)
    server.dispatcher.answer(types.TEXT_DOCUMENT_DEFINITION, RULES)(definition)
    server.dispatcher.answer(types.TEXT_DOCUMENT_REFERENCES, RULES)(references)
    server.dispatcher.answer(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT, RULES)(highlights)
    server.dispatcher.answer(types.TEXT_DOCUMENT_PREPARE_RENAME, RULES)(prepare_rename)
    options = types.RenameOptions(prepare_provider=True)
    server.dispatcher.answer(types.TEXT_DOCUMENT_RENAME, RULES, options)(rename)


async def definition(ls: AdvisorServer, params: types.DefinitionParams) -> list[types.Location]:
    """Where the name at a position is declared."""
    from lsp_server.rule_files.renaming.navigation import declarations, symbol_at

    def work(snapshot: Snapshot) -> list[types.Location]:
        named = symbol_at(snapshot, snapshot.offset(params.position))
        return _locations(snapshot, declarations(snapshot, named[1])) if named else []

    none: list[types.Location] = []
    return await rules_of(ls).answer(ls, params.text_document.uri, work, none)


async def references(ls: AdvisorServer, params: types.ReferenceParams) -> list[types.Location]:
    """Where the name at a position is used."""
    from lsp_server.rule_files.renaming.navigation import occurrences, symbol_at

    def work(snapshot: Snapshot) -> list[types.Location]:
        named = symbol_at(snapshot, snapshot.offset(params.position))
        found = occurrences(snapshot, named[1]) if named else []
        declared = params.context.include_declaration
        return _locations(snapshot, [one for one in found if declared or one.name.role == "reference"])

    none: list[types.Location] = []
    return await rules_of(ls).answer(ls, params.text_document.uri, work, none)


async def highlights(
    ls: AdvisorServer, params: types.DocumentHighlightParams
) -> list[types.DocumentHighlight]:
    """The places of the name at a position in the same document."""

    def work(snapshot: Snapshot) -> list[types.DocumentHighlight]:
        named = snapshot.reading.name_at(snapshot.offset(params.position))
        if named is None:
            return []
        kinds = {"definition": types.DocumentHighlightKind.Write}
        return [
            types.DocumentHighlight(
                snapshot.range(one.start, one.end), kinds.get(one.role, types.DocumentHighlightKind.Read)
            )
            for one in snapshot.reading.names
            if one.symbol == named.symbol
        ]

    none: list[types.DocumentHighlight] = []
    return await rules_of(ls).answer(ls, params.text_document.uri, work, none)


async def prepare_rename(
    ls: AdvisorServer, params: types.PrepareRenameParams
) -> types.PrepareRenamePlaceholder:
    """The name that can be given another; an error says why it cannot."""
    from lsp_server.rule_files.renaming.navigation import symbol_at
    from lsp_server.rule_files.renaming.renaming import refusal

    def work(snapshot: Snapshot) -> types.PrepareRenamePlaceholder | str:
        named = symbol_at(snapshot, snapshot.offset(params.position))
        if named is None:
            return _NO_NAME
        name, symbol = named
        refused = refusal(snapshot, symbol)
        return refused or types.PrepareRenamePlaceholder(snapshot.range(name.start, name.end), symbol.name)

    none: types.PrepareRenamePlaceholder | str = _NO_NAME
    return _or_refused(await rules_of(ls).answer(ls, params.text_document.uri, work, none))


async def rename(ls: AdvisorServer, params: types.RenameParams) -> types.WorkspaceEdit:
    """The edits that give a name another; an error says why there are none."""
    from lsp_server.rule_files.renaming.configured_names import configured_edits
    from lsp_server.rule_files.renaming.navigation import symbol_at
    from lsp_server.rule_files.renaming.rename_edits import edits_for
    from lsp_server.rule_files.renaming.renaming import fault_of, refusal

    versioned = ls.client.versions_edits
    operations = get_capability(ls.client_capabilities, "workspace.workspace_edit.resource_operations") or ()
    moves = types.ResourceOperationKind.Rename in operations

    def work(snapshot: Snapshot) -> tuple[types.WorkspaceEdit, str] | str:
        named = symbol_at(snapshot, snapshot.offset(params.position))
        if named is None:
            return _NO_NAME
        symbol, new = named[1], params.new_name
        refused = refusal(snapshot, symbol) or fault_of(new, snapshot, symbol)
        if refused:
            return refused
        try:
            configured, unread = configured_edits(snapshot, symbol, new), ""
        except ValueError as error:
            configured, unread = None, str(error)
        return edits_for(snapshot, symbol, new, versioned, moves, configured), unread

    none: tuple[types.WorkspaceEdit, str] | str = _NO_NAME
    edit, unread = _or_refused(await rules_of(ls).answer(ls, params.text_document.uri, work, none))
    if unread:
        text = f"Kernel Advisor: {unread} cannot be read and was not changed; it may name it, too."
        ls.window_show_message(types.ShowMessageParams(types.MessageType.Warning, text))
    return edit


def _is_no_refusal(record: logging.LogRecord) -> bool:
    """Whether a line of the log is of interest: that a name cannot be changed is an answer, not a fault."""
    error = record.exc_info[1] if record.exc_info else None
    return getattr(error, "code", None) != types.LSPErrorCodes.RequestFailed


def _or_refused(found: _T | str) -> _T:
    if isinstance(found, str):
        raise JsonRpcException(found, types.LSPErrorCodes.RequestFailed)
    return found


def _locations(snapshot: Snapshot, found: list[Occurrence]) -> list[types.Location]:
    return [snapshot.location(one.file, one.reading, one.name) for one in found]
