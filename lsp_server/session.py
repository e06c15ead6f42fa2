"""What the server knows while a client is connected: settled analyses, pending ones, and what was told."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

from lsprotocol import types
from pygls.lsp.server import LanguageServer

import advisor
from advisor.errors import AdvisorError
from lsp_server.analysis import Analysis, analyse
from lsp_server.by_language import ByLanguage
from lsp_server.client import Client
from lsp_server.diagnostics import diagnostics_of
from lsp_server.documents import Document, open_document, open_documents
from lsp_server.latest import LatestAnalyses
from lsp_server.positions import Positions
from lsp_server.preferences import Preferences
from lsp_server.surroundings import Surroundings

NAME = "kernel-advisor"
_QUIET_SECONDS = 0.15
_FAULT = "the analysis of {name} failed. Please report this with the traceback in this server's log."
_log = logging.getLogger(__name__)


class AdvisorServer(LanguageServer):
    """A language server with the latest analysis of each open document."""

    def __init__(self) -> None:
        # pygls applies partial changes to lines split at form feeds too, where no editor splits them.
        super().__init__(NAME, advisor.__version__, types.TextDocumentSyncKind.Full)
        self.languages = ByLanguage()
        self.shut_down = False
        self.preferences = Preferences()
        self._surroundings = Surroundings()
        self.latest = LatestAnalyses(lambda document: analyse(document, self._surroundings))
        self._pending: dict[str, asyncio.Task[None]] = {}
        self._told: dict[str, Path] = {}

    @property
    def client(self) -> Client:
        """What the connected client can do."""
        return Client(self.client_capabilities)

    def positions(self, document: Document) -> Positions:
        """The places of a document in the client's units."""
        return Positions(document.source, self.workspace.position_codec)

    async def analysis_of(self, uri: str) -> Analysis | None:
        """The analysis of a document's present text, None where there is none to be had."""
        while (document := open_document(self.workspace, uri)) is not None:
            try:
                found = await self.latest.of(document)
            except AdvisorError as error:
                self._tell(document, str(error))
                return None
            except Exception:
                _log.exception("The analysis of %s failed.", document.file)
                self._tell(document, _FAULT.format(name=document.file.name))
                return None
            if found is not None and open_document(self.workspace, uri) == document:
                if found.broken_rules:
                    self._tell(document, found.broken_rules)
                else:
                    self._forget_told(document)
                return found
        return None

    async def diagnostics(self, uri: str) -> tuple[int | None, list[types.Diagnostic]]:
        """The version of a document and its diagnostics; none for a document that cannot be analysed."""
        analysis = await self.analysis_of(uri)
        if analysis is None:
            document = open_document(self.workspace, uri)
            return document.version if document else None, []
        document = analysis.document
        return document.version, diagnostics_of(analysis, self.positions(document))

    def look_at(self, uri: str) -> None:
        """Publishes the diagnostics of a document once it has been quiet for a moment.

        A client that asks for diagnostics itself is sent none, or it would show each of them twice.
        """
        self.cancel(uri)
        if not self.client.pulls and open_document(self.workspace, uri) is not None:
            self._pending[uri] = asyncio.get_running_loop().create_task(self._publish(uri))

    def look_again(self) -> None:
        """Makes every analysis void: a file that any of them may rest on has changed."""
        self._surroundings.forget()
        self.latest.forget()
        for document in open_documents(self.workspace):
            self.look_at(document.uri)
        if self.client.pulls and self.client.refreshes:
            self.workspace_diagnostic_refresh(None)

    def close(self, uri: str) -> None:
        """Takes away what a document showed."""
        self.cancel(uri)
        self.latest.forget(uri)
        if not self.client.pulls:
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    def end(self) -> None:
        """Begins nothing more: the client is about to end the server."""
        self.shut_down = True
        for uri in list(self._pending):
            self.cancel(uri)
        self.latest.close()

    def cancel(self, uri: str) -> None:
        """Drops what is about to be published for a document."""
        task = self._pending.pop(uri, None)
        if task is not None:
            task.cancel()

    async def _publish(self, uri: str) -> None:
        await asyncio.sleep(_QUIET_SECONDS)
        version, found = await self.diagnostics(uri)
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, found, version=version))

    def _tell(self, document: Document, message: str) -> None:
        """Shows a message, once until a document of the same folder can be analysed again."""
        if message not in self._told:
            self._told[message] = document.file.parent
            text = f"Kernel Advisor: {message}"
            self.window_show_message(types.ShowMessageParams(types.MessageType.Error, text))

    def _forget_told(self, document: Document) -> None:
        folder = document.file.parent
        self._told = {message: place for message, place in self._told.items() if place != folder}
