"""Notebooks that come, change and go: the features see each as one text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lsprotocol import types

from lsp_server.documents.held_cells import Notebook
from lsp_server.session import AdvisorServer


def register(server: AdvisorServer) -> None:
    """Add the notifications on notebooks."""
    server.feature(types.NOTEBOOK_DOCUMENT_DID_OPEN)(did_open)
    server.feature(types.NOTEBOOK_DOCUMENT_DID_CHANGE)(did_change)
    server.feature(types.NOTEBOOK_DOCUMENT_DID_SAVE)(did_save)
    server.feature(types.NOTEBOOK_DOCUMENT_DID_CLOSE)(did_close)


def did_open(ls: AdvisorServer, params: types.DidOpenNotebookDocumentParams) -> None:
    """Take in a notebook that was opened."""
    notebook = ls.notebooks.take(ls.workspace, params.notebook_document.uri)
    if notebook is not None:
        item = _put(ls, notebook)
        _feature(ls, types.TEXT_DOCUMENT_DID_OPEN)(types.DidOpenTextDocumentParams(item))


def did_change(ls: AdvisorServer, params: types.DidChangeNotebookDocumentParams) -> None:
    """Take in cells of a notebook that came, went or changed."""
    before = ls.notebooks.held(params.notebook_document.uri)
    notebook = ls.notebooks.take(ls.workspace, params.notebook_document.uri)
    if before is None or notebook is None:
        return
    _put(ls, notebook)
    left = {cell.uri for cell in notebook.cells}
    for cell in before.cells:
        if cell.uri not in left and not ls.client.pulls:
            ls.text_document_publish_diagnostics(types.PublishDiagnosticsParams(cell.uri, []))
    if notebook.cells == before.cells:
        return
    changed = types.DidChangeTextDocumentParams(
        types.VersionedTextDocumentIdentifier(notebook.version, notebook.uri),
        [types.TextDocumentContentChangeWholeDocument(notebook.text)],
    )
    _feature(ls, types.TEXT_DOCUMENT_DID_CHANGE)(changed)


async def did_save(ls: AdvisorServer, params: types.DidSaveNotebookDocumentParams) -> None:
    """Look again after a notebook was saved."""
    uri = params.notebook_document.uri
    if ls.notebooks.held(uri) is not None:
        saved = types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(uri))
        await _feature(ls, types.TEXT_DOCUMENT_DID_SAVE)(saved)


async def did_close(ls: AdvisorServer, params: types.DidCloseNotebookDocumentParams) -> None:
    """Forget a notebook that was closed."""
    uri = params.notebook_document.uri
    if ls.notebooks.held(uri) is None:
        return
    ls.workspace.remove_text_document(uri)
    closed = types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri))
    await _feature(ls, types.TEXT_DOCUMENT_DID_CLOSE)(closed)
    ls.notebooks.forget(uri)


def _put(ls: AdvisorServer, notebook: Notebook) -> types.TextDocumentItem:
    item = types.TextDocumentItem(notebook.uri, "python", notebook.version, notebook.text)
    ls.workspace.put_text_document(item)
    return item


def _feature(ls: AdvisorServer, method: str) -> Callable[[Any], Any]:
    """What is called for a text document, which the text of a notebook counts as."""
    handler: Callable[[Any], Any] = ls.protocol.fm.features[method]
    return handler
