"""Diagnostics of rule files: for clients that ask, and for those that wait to be told."""

from __future__ import annotations

import asyncio
import logging
from weakref import WeakKeyDictionary

from lsprotocol import types

from lsp_server.answers.diagnostics import SOURCE
from lsp_server.protocol.dispatch import RULES
from lsp_server.rule_files.documents import open_rule_document, open_rule_documents
from lsp_server.rule_files.session import rules_of
from lsp_server.session import AdvisorServer

_QUIET_SECONDS = 0.1
_log = logging.getLogger(__name__)
_WATCHED = (".rules", "pyproject.toml", "advisor.toml")


def register(server: AdvisorServer) -> None:
    """Add both models, and what makes diagnostics out of date."""
    options = types.DiagnosticOptions(
        inter_file_dependencies=True, workspace_diagnostics=False, identifier=SOURCE
    )
    server.dispatcher.answer(types.TEXT_DOCUMENT_DIAGNOSTIC, RULES, options)(pull)
    server.dispatcher.answer(types.TEXT_DOCUMENT_DID_OPEN, RULES)(changed)
    server.dispatcher.answer(types.TEXT_DOCUMENT_DID_CHANGE, RULES)(changed)
    server.dispatcher.hear(types.TEXT_DOCUMENT_DID_SAVE)(saved)
    server.dispatcher.hear(types.TEXT_DOCUMENT_DID_CLOSE)(closed)
    server.dispatcher.hear(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)(files_changed)


async def pull(
    ls: AdvisorServer, params: types.DocumentDiagnosticParams
) -> types.RelatedFullDocumentDiagnosticReport:
    """The diagnostics that a client asks for."""
    from lsp_server.rule_files.diagnostics import diagnostics_of

    uri = params.text_document.uri
    none: list[types.Diagnostic] = []
    found = await rules_of(ls).answer(ls, uri, diagnostics_of, none)
    _shown(ls)[uri] = found
    return types.RelatedFullDocumentDiagnosticReport(items=found)


def changed(
    ls: AdvisorServer, params: types.DidOpenTextDocumentParams | types.DidChangeTextDocumentParams
) -> None:
    """Look soon at all rule files: others may rest on the one opened or edited."""
    _shown(ls).setdefault(params.text_document.uri, None)
    _look_soon(ls, params.text_document.uri)


async def saved(ls: AdvisorServer, params: types.DidSaveTextDocumentParams) -> None:
    """Look at the disk after a save: other files may have been written with it."""
    if params.text_document.uri.endswith(_WATCHED):
        await _look_at_disk(ls)


async def files_changed(ls: AdvisorServer, params: types.DidChangeWatchedFilesParams) -> None:
    """Look at the files that changed on the disk."""
    if any(change.uri.endswith(_WATCHED) for change in params.changes):
        await _look_at_disk(ls)


async def closed(ls: AdvisorServer, params: types.DidCloseTextDocumentParams) -> None:
    """Go back to the file of a document that was closed, whatever was typed."""
    uri = params.text_document.uri
    if uri in _shown(ls):
        del _shown(ls)[uri]
        rules, left = rules_of(ls), open_rule_documents(ls.workspace)
        await rules.run(lambda: rules.books.keep_only(left))
        _look_soon(ls)


async def _look_at_disk(ls: AdvisorServer) -> None:
    await rules_of(ls).run(rules_of(ls).books.look_at_disk)
    _look_soon(ls)


_pending: WeakKeyDictionary[AdvisorServer, asyncio.Task[None]] = WeakKeyDictionary()
_elsewhere: WeakKeyDictionary[AdvisorServer, dict[str, list[types.Diagnostic]]] = WeakKeyDictionary()
_last: WeakKeyDictionary[AdvisorServer, dict[str, list[types.Diagnostic] | None]] = WeakKeyDictionary()


def _shown(ls: AdvisorServer) -> dict[str, list[types.Diagnostic] | None]:
    """What was last sent of each open document, None where nothing was yet."""
    return _last.setdefault(ls, {})


def _look_soon(ls: AdvisorServer, edited: str = "") -> None:
    """Look at all open rule files once nothing has been typed for a moment."""
    if ls in _pending:
        _pending[ls].cancel()
    if not ls.shut_down:
        _pending[ls] = asyncio.get_running_loop().create_task(_look(ls, edited))


async def _tell_elsewhere(ls: AdvisorServer) -> None:
    """Publish the errors of files that are not open, which no client asks about."""
    from lsp_server.rule_files.elsewhere import errors_elsewhere, withdrawn

    documents, codec = open_rule_documents(ls.workspace), ls.workspace.position_codec
    books = rules_of(ls).books
    try:
        found = await rules_of(ls).run(lambda: errors_elsewhere(books, documents, codec))
    except Exception:
        _log.exception("The rule files that are not open could not be looked at.")
        return
    before = _elsewhere.get(ls, {})
    _elsewhere[ls] = found
    told_otherwise = [] if ls.client.pulls else [one.uri for one in documents]
    gone: dict[str, list[types.Diagnostic]] = {uri: [] for uri in withdrawn(before, found, told_otherwise)}
    for uri, diagnostics in {**gone, **found}.items():
        if before.get(uri) != diagnostics:
            ls.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, diagnostics))


async def _look(ls: AdvisorServer, edited: str) -> None:
    from lsp_server.rule_files.diagnostics import diagnostics_of

    await asyncio.sleep(_QUIET_SECONDS)
    await _tell_elsewhere(ls)
    differs = False
    for document in sorted(open_rule_documents(ls.workspace), key=lambda one: one.uri != edited):
        none: list[types.Diagnostic] = []
        found = await rules_of(ls).answer(ls, document.uri, diagnostics_of, none)
        if open_rule_document(ls.workspace, document.uri) != document:
            continue
        if document.uri == edited or _shown(ls).get(document.uri) != found:
            differs = differs or document.uri != edited
            _shown(ls)[document.uri] = found
            if not ls.client.pulls:
                report = types.PublishDiagnosticsParams(document.uri, found, version=document.version)
                ls.text_document_publish_diagnostics(report)
    if differs and ls.client.pulls and ls.client.refreshes:
        ls.workspace_diagnostic_refresh(None)
