"""Workloads: run when the user asks for it, or after a file was saved where the user allows that."""

from __future__ import annotations

import asyncio
from pathlib import Path
from uuid import uuid4

from lsprotocol import types

from lsp_server.documents.document import Document
from lsp_server.documents.open_documents import open_document
from lsp_server.evidence.simulating import Simulated
from lsp_server.session import AdvisorServer

SIMULATE = "advisor.simulate"
_NOT_TRUSTED = (
    "Workloads run the code of the workspace, and this workspace is not trusted. "
    "Trust it in the editor, or set kernelAdvisor.trusted."
)
_NOT_SAVED = "{name} has changes that are not saved; its workloads run as they are on the disk."
_NO_WORKLOAD = (
    "{name} has no workload to simulate. A workload is a function `workload()` beside the kernels that "
    "launches them with typical data; `advisor run SCRIPT` records the launches of a whole program instead."
)
_ALREADY = "The workloads of {name} are being run already."


def register(server: AdvisorServer) -> None:
    """Add the command, and what happens after a file was saved."""
    server.command(SIMULATE)(simulate)
    server.dispatcher.hear(types.TEXT_DOCUMENT_DID_SAVE)(saved)


async def simulate(ls: AdvisorServer, *arguments: object) -> None:
    """Run the workloads of a document's file. Argument: its URI."""
    arguments = ls.notebooks.command_arguments(arguments)
    uri = arguments[0] if arguments else None
    document = open_document(ls.workspace, uri) if isinstance(uri, str) else None
    if document is None:
        ls.show_message("This needs an open document with kernels.", types.MessageType.Info)
        return
    if not ls.preferences.trusted:
        ls.show_message(_NOT_TRUSTED)
        return
    if ls.simulations.running(document.file):
        ls.show_message(_ALREADY.format(name=document.file.name), types.MessageType.Info)
        return
    if _on_disk(document.file) != document.text:
        ls.show_message(_NOT_SAVED.format(name=document.file.name), types.MessageType.Info)
    found = await _run(ls, document, again=True)
    if found is not None and not found.found:
        ls.show_message(_NO_WORKLOAD.format(name=document.file.name), types.MessageType.Info)
    for problem in found.problems if found is not None else ():
        ls.show_message(problem)


async def saved(ls: AdvisorServer, params: types.DidSaveTextDocumentParams) -> None:
    """Run workloads of a saved file whose record is out of date, where the user allows it."""
    chosen = ls.preferences
    document = open_document(ls.workspace, params.text_document.uri)
    if document is None or not (chosen.trusted and chosen.simulate) or "workload" not in document.text:
        return
    if not ls.simulations.running(document.file):
        found = await _run(ls, document, again=False)
        for problem in found.problems if found is not None else ():
            ls.show_message_once(problem)


async def _run(ls: AdvisorServer, document: Document, again: bool) -> Simulated | None:
    """What became of the workloads, None when the user has cancelled them; shows how it goes."""
    analysis = await ls.analysis_of(document.uri)
    if analysis is None:
        return None
    run = asyncio.ensure_future(ls.simulations.run(document.file, analysis.device.id, again))
    token = await _begin_progress(ls, document, run) if again else None
    try:
        found = await run
    except asyncio.CancelledError:
        return None
    finally:
        if token is not None:
            ls.work_done_progress.end(token, types.WorkDoneProgressEnd())
    if found.run:
        ls.look_again(saved=document.uri)
    return found


async def _begin_progress(
    ls: AdvisorServer, document: Document, run: asyncio.Future[Simulated]
) -> str | None:
    """The token of a progress that the user can cancel; None where the client shows none."""
    if not ls.client.shows_progress:
        return None
    token = str(uuid4())
    await ls.work_done_progress.create_async(token)
    title = f"Simulating the workloads of {document.file.name}"
    ls.work_done_progress.begin(token, types.WorkDoneProgressBegin(title, cancellable=True))
    loop = asyncio.get_running_loop()
    ls.work_done_progress.tokens[token].add_done_callback(
        lambda future: loop.call_soon_threadsafe(run.cancel) if future.cancelled() else None
    )
    return token


def _on_disk(file: Path) -> str | None:
    try:
        return file.read_bytes().decode()
    except (OSError, ValueError):
        return None
