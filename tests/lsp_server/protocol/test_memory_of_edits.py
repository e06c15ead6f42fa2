"""Edits leave nothing behind: neither tasks nor futures nor the functions that handled them."""

from __future__ import annotations

import asyncio
import concurrent.futures
import gc
import types as python
from collections import Counter

import pytest
from lsprotocol import types

from lsp_server.server import build_server

URI = "file:///house/kernel.py"
NOTEBOOK = "file:///house/kernels.ipynb"
CELL = "vscode-notebook-cell:/house/kernels.ipynb#one"
KEPT_ALIVE = (asyncio.Future, concurrent.futures.Future, python.GeneratorType, python.CoroutineType)


def initialise(server):
    params = types.InitializeParams(types.ClientCapabilities())
    server.protocol.handle_message(types.InitializeRequest(1, params))


def open_file(server):
    item = types.TextDocumentItem(URI, "python", 0, "")
    server.protocol.handle_message(
        types.DidOpenTextDocumentNotification(types.DidOpenTextDocumentParams(item))
    )


def edit_file(server, version):
    changes = [types.TextDocumentContentChangeWholeDocument(f"x = {version}\n")]
    name = types.VersionedTextDocumentIdentifier(version, URI)
    params = types.DidChangeTextDocumentParams(name, changes)
    server.protocol.handle_message(types.DidChangeTextDocumentNotification(params))


def open_notebook(server):
    notebook = types.NotebookDocument(
        NOTEBOOK, "jupyter-notebook", 0, [types.NotebookCell(types.NotebookCellKind.Code, CELL)]
    )
    params = types.DidOpenNotebookDocumentParams(notebook, [types.TextDocumentItem(CELL, "python", 0, "")])
    server.protocol.handle_message(types.DidOpenNotebookDocumentNotification(params))


def edit_notebook(server, version):
    changes = [types.TextDocumentContentChangeWholeDocument(f"x = {version}\n")]
    cell = types.NotebookDocumentCellContentChanges(
        types.VersionedTextDocumentIdentifier(version, CELL), changes
    )
    cells = types.NotebookDocumentCellChanges(text_content=[cell])
    params = types.DidChangeNotebookDocumentParams(
        types.VersionedNotebookDocumentIdentifier(version, NOTEBOOK),
        types.NotebookDocumentChangeEvent(cells=cells),
    )
    server.protocol.handle_message(types.DidChangeNotebookDocumentNotification(params))


async def settled(server):
    """Wait until no task of an edit is under way, and count what is alive."""
    for uri in list(server.workspace.text_documents):
        server.cancel(uri)
        server.refinements.forget(uri)
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    del others
    gc.collect()
    alive = [one for one in gc.get_objects() if isinstance(one, KEPT_ALIVE)]
    loop = asyncio.get_running_loop()
    return Counter(type(one).__name__ for one in alive if is_of_server(one, loop))


def is_of_server(one, loop):
    """Whether it can be the server's: event loops in other threads of the process have tasks of their own."""
    if isinstance(one, asyncio.Future):
        return one.get_loop() is loop
    if isinstance(one, python.CoroutineType):
        return any(part in one.cr_code.co_filename for part in ("lsp_server", "pygls"))
    return True


@pytest.mark.parametrize(
    ("open_it", "edit"), [(open_file, edit_file), (open_notebook, edit_notebook)], ids=["file", "notebook"]
)
def test_nothing_is_kept_of_the_messages_that_come_with_keystrokes(open_it, edit):
    server = build_server()

    async def session():
        initialise(server)
        open_it(server)
        edit(server, 1)
        before = await settled(server)
        for version in range(2, 102):
            edit(server, version)
            await asyncio.sleep(0)
        return before, await settled(server)

    try:
        before, after = asyncio.run(session())
    finally:
        server.end()
    assert {name: count - before[name] for name, count in after.items() if count > before[name] + 5} == {}
    texts = [held.source for held in server.workspace.text_documents.values()]
    assert texts and all("x = 101" in text for text in texts)


def test_a_handler_that_fails_is_reported_and_the_next_change_is_taken(monkeypatch):
    server = build_server()
    reported = []
    monkeypatch.setattr(server, "report_server_error", lambda error, source: reported.append(str(error)))
    looked = server.look_at
    monkeypatch.setattr(server, "look_at", lambda uri: 1 / 0)

    async def session():
        initialise(server)
        open_file(server)
        edit_file(server, 1)
        monkeypatch.setattr(server, "look_at", looked)
        edit_file(server, 2)

    try:
        asyncio.run(session())
    finally:
        server.end()
    assert any("division by zero" in one for one in reported)
    assert server.workspace.text_documents[URI].source == "x = 2\n"
