"""The server's side of the protocol: which message leads to which answer."""

from __future__ import annotations

import logging

from lsprotocol import types

from advisor.errors import AdvisorError
from lsp_server.actions import KIND, actions_for
from lsp_server.diagnostics import SOURCE
from lsp_server.hover import explanations, findings_at
from lsp_server.session import AdvisorServer
from lsp_server.stdio import protocol_streams

_WATCHED = ("**/*.py", "**/pyproject.toml", "**/advisor.toml", "**/*.rules")


def watch(ls: AdvisorServer, params: types.InitializedParams) -> None:  # noqa: ARG001
    """Asks the client to tell of files that change outside its editors."""
    if ls.client.watches:
        options = types.DidChangeWatchedFilesRegistrationOptions(
            [types.FileSystemWatcher(pattern) for pattern in _WATCHED]
        )
        method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
        wish = types.Registration("advisor-files", method, options)
        ls.client_register_capability(types.RegistrationParams([wish]))


async def did_open(ls: AdvisorServer, params: types.DidOpenTextDocumentParams) -> None:
    """A document was opened."""
    ls.look_at(params.text_document.uri)


async def did_change(ls: AdvisorServer, params: types.DidChangeTextDocumentParams) -> None:
    """A document's text changed."""
    ls.look_at(params.text_document.uri)


async def did_save(ls: AdvisorServer, params: types.DidSaveTextDocumentParams) -> None:  # noqa: ARG001
    """A document was saved: what others say may rest on it."""
    ls.look_again()


async def did_close(ls: AdvisorServer, params: types.DidCloseTextDocumentParams) -> None:
    """A document was closed."""
    ls.close(params.text_document.uri)


async def files_changed(ls: AdvisorServer, params: types.DidChangeWatchedFilesParams) -> None:  # noqa: ARG001
    """Files changed on the disk: sources, configurations or rules."""
    ls.look_again()


async def pull_diagnostics(
    ls: AdvisorServer, params: types.DocumentDiagnosticParams
) -> types.RelatedFullDocumentDiagnosticReport:
    """The diagnostics that a client asks for."""
    _, found = await ls.diagnostics(params.text_document.uri)
    return types.RelatedFullDocumentDiagnosticReport(items=found)


async def hover(ls: AdvisorServer, params: types.HoverParams) -> types.Hover | None:
    """The explanation of the findings at a position, the narrowest first."""
    analysis = await ls.analysis_of(params.text_document.uri)
    if analysis is None:
        return None
    positions = ls.positions(analysis.document)
    found = findings_at(analysis, positions.place(params.position))
    if not found:
        return None
    try:
        text = await ls.latest.run(lambda: explanations(found, analysis.settings))
    except AdvisorError:  # the rules have broken since; the next analysis tells
        return None
    kind = types.MarkupKind.Markdown if ls.client.reads_markdown else types.MarkupKind.PlainText
    return types.Hover(types.MarkupContent(kind, text), positions.range(found[0].span))


async def code_actions(ls: AdvisorServer, params: types.CodeActionParams) -> list[types.CodeAction]:
    """What can be done about the findings on the lines asked for."""
    analysis = await ls.analysis_of(params.text_document.uri)
    if analysis is None:
        return []
    positions, versioned = ls.positions(analysis.document), ls.client.versions_edits
    return await ls.latest.run(lambda: actions_for(analysis, params, positions, versioned))


def shutdown(ls: AdvisorServer, params: None) -> None:  # noqa: ARG001
    """The client is about to end the server."""
    ls.end()


def build_server() -> AdvisorServer:
    """A server that answers everything it offers, not yet connected."""
    server = AdvisorServer()
    pull = types.DiagnosticOptions(
        inter_file_dependencies=True, workspace_diagnostics=False, identifier=SOURCE
    )
    server.feature(types.INITIALIZED)(watch)
    server.feature(types.SHUTDOWN)(shutdown)
    server.feature(types.TEXT_DOCUMENT_DID_OPEN)(did_open)
    server.feature(types.TEXT_DOCUMENT_DID_CHANGE)(did_change)
    server.feature(types.TEXT_DOCUMENT_DID_SAVE)(did_save)
    server.feature(types.TEXT_DOCUMENT_DID_CLOSE)(did_close)
    server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)(files_changed)
    server.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, pull)(pull_diagnostics)
    server.feature(types.TEXT_DOCUMENT_HOVER)(hover)
    server.feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions([KIND]))(code_actions)
    return server


def main() -> int:
    """0 when the client has ended the session in due form, else 1; speaks over standard input and output."""
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    server = build_server()
    with protocol_streams() as (received, sent):
        server.start_io(received, sent)
    return 0 if server.shut_down else 1
