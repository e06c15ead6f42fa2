"""Documents and files that come, change and go."""

from __future__ import annotations

import os

from lsprotocol import types

from lsp_server.documents.open_documents import open_document
from lsp_server.protocol.dispatch import PYTHON
from lsp_server.session import AdvisorServer

# An editor that has just opened a file asks for much at once.
_SETTLING_SECONDS = 0.5
_WATCHED = ("**/*.py", "**/pyproject.toml", "**/advisor.toml", "**/*.rules")


def register(server: AdvisorServer) -> None:
    """Add the notifications on documents and files."""
    server.dispatcher.hear(types.INITIALIZED)(watch)
    server.dispatcher.answer(types.TEXT_DOCUMENT_DID_OPEN, PYTHON)(did_open)
    server.dispatcher.answer(types.TEXT_DOCUMENT_DID_CHANGE, PYTHON)(did_change)
    server.dispatcher.hear(types.TEXT_DOCUMENT_DID_SAVE)(did_save)
    server.dispatcher.hear(types.TEXT_DOCUMENT_DID_CLOSE)(did_close)
    server.dispatcher.hear(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)(files_changed)


def watch(ls: AdvisorServer, params: types.InitializedParams) -> None:  # noqa: ARG001
    """Ask the client to tell of files that change outside its editors."""
    if ls.client.watches:
        options = types.DidChangeWatchedFilesRegistrationOptions(
            [types.FileSystemWatcher(pattern) for pattern in _WATCHED]
        )
        method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
        wish = types.Registration("advisor-files", method, options)
        ls.client_register_capability(types.RegistrationParams([wish]))


def did_open(ls: AdvisorServer, params: types.DidOpenTextDocumentParams) -> None:
    """Look at a document that was opened."""
    document = open_document(ls.workspace, params.text_document.uri)
    # A name that no file system takes names no file; Path.exists raises an error for it.
    if document is not None and not os.path.exists(document.file):  # noqa: PTH110
        ls.not_on_disk.add(document.file)
    ls.look_at(params.text_document.uri, later=_SETTLING_SECONDS)


def did_change(ls: AdvisorServer, params: types.DidChangeTextDocumentParams) -> None:
    """Look at a document whose text changed."""
    ls.look_at(params.text_document.uri)


async def did_save(ls: AdvisorServer, params: types.DidSaveTextDocumentParams) -> None:
    """Look again after a document was saved: what others say may rest on it."""
    document = open_document(ls.workspace, params.text_document.uri)
    new = document is not None and document.file in ls.not_on_disk
    if document is not None:
        ls.not_on_disk.discard(document.file)
    ls.look_again(saved=params.text_document.uri, new_files=new)


async def did_close(ls: AdvisorServer, params: types.DidCloseTextDocumentParams) -> None:
    """Forget a document that was closed."""
    ls.close(params.text_document.uri)


async def files_changed(ls: AdvisorServer, params: types.DidChangeWatchedFilesParams) -> None:
    """Look again after sources, configurations or rules changed on the disk."""
    ls.look_again(new_files=any(one.type != types.FileChangeType.Changed for one in params.changes))
