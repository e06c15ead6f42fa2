"""What the server knows while a client is connected: settled analyses, pending ones, and what was told."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from pathlib import Path

from lsprotocol import types
from pygls.lsp.server import LanguageServer

import advisor
from advisor.model.errors import AdvisorError
from lsp_server.analysis.analyst import Analyst
from lsp_server.analysis.checked_text import Analysis
from lsp_server.analysis.debounce import DebouncedAnalyses
from lsp_server.analysis.refinement import Level, Refinements
from lsp_server.answers.diagnostics import diagnostics_of
from lsp_server.answers.file_faults import Fault, FileFaults, faults_of_configuration, faults_of_rules
from lsp_server.documents import notebooks
from lsp_server.documents.document import Document
from lsp_server.documents.open_documents import open_document, open_documents
from lsp_server.evidence.simulating import Simulations
from lsp_server.fixes.fix_service import FixService
from lsp_server.protocol.client import Client
from lsp_server.protocol.dispatch import Dispatcher
from lsp_server.protocol.positions import Positions
from lsp_server.protocol.preferences import Preferences
from lsp_server.protocol.server_protocol import ServerProtocol

NAME = "kernel-advisor"
_QUIET_SECONDS = 0.15
# How long a text must stay as it is before more than its source is looked at.
_PAUSE_SECONDS = 3.0
_SOON_SECONDS = 1.0
# How long a text must stay as it is before the fixes of its findings are written.
_FIXES_SECONDS = 0.5
# How long a compiler's process waits for the next kernel.
_IDLE_SECONDS = 600.0
_LEVELS: tuple[Level, ...] = ("recorded", "compiled", "synthesised")
_FAULT = "the analysis of {name} failed. Please report this with the traceback in this server's log."
_VALID_SETTINGS_HOLD = "Until it is corrected, the last valid settings hold, or else the defaults."
_log = logging.getLogger(__name__)


class AdvisorServer(LanguageServer):
    """A language server with the latest analysis of each open document."""

    def __init__(self) -> None:
        super().__init__(
            NAME,
            advisor.__version__,
            types.TextDocumentSyncKind.Incremental,
            notebook_document_sync=notebooks.SYNCHRONISATION,
            protocol_cls=ServerProtocol,
        )
        self.notebooks = notebooks.Notebooks()
        self.dispatcher = Dispatcher()
        self.shut_down = False
        self.initial_options: object = None
        self.not_on_disk: set[Path] = set()
        self.analyst = Analyst()
        self.analyses = DebouncedAnalyses(self.analyst.from_source)
        self.simulations = Simulations()
        self.refinements = Refinements(self.analyst.later, self._show, self._report_failure, self._prepare)
        self._pending: dict[str, asyncio.Task[None]] = {}
        self._settings = Preferences()
        self._chosen_device: str | None = None
        self._shown: dict[str, Path] = {}
        self._said: set[str] = set()
        self._resting: asyncio.TimerHandle | None = None
        self.fixes = FixService()
        self._preparing: dict[str, asyncio.Task[None]] = {}
        # Documents that were last shown with an error of syntax.
        self._unparsed: set[str] = set()
        self._completing: set[asyncio.Task[None]] = set()
        self._faults = FileFaults(self.text_document_publish_diagnostics)

    @property
    def preferences(self) -> Preferences:
        """What the user has chosen."""
        return self.analyst.preferences

    def take_settings(self, settings: Preferences) -> None:
        """Take on the client's settings; a device chosen by command holds until theirs is another."""
        if settings.device != self._settings.device:
            self._chosen_device = None
        self._settings = settings
        chosen = self._chosen_device
        self.use(settings if chosen is None else replace(settings, device=chosen))

    def choose_device(self, device: str) -> None:
        """Take another device for this session, the configured one where it is empty."""
        self._chosen_device = device
        self.use(replace(self._settings, device=device))

    def use(self, preferences: Preferences) -> None:
        """Take on other preferences: what rested on the former ones is looked at again."""
        if preferences == self.analyst.preferences:
            return
        self.analyst.prefer(preferences)
        if wrong := self.analyst.unknown_device():
            self.show_message_once(wrong)
        self.refinements.forget()
        self.look_again()

    @property
    def client(self) -> Client:
        """What the connected client can do."""
        return Client(self.client_capabilities)

    def positions(self, document: Document) -> Positions:
        """The places of a document in the client's units."""
        return Positions(document.source, self.workspace.position_codec)

    def text_document_publish_diagnostics(self, params: types.PublishDiagnosticsParams) -> None:
        """Send the diagnostics of a document, those of a notebook cell by cell."""
        for one in self.notebooks.published(params):
            super().text_document_publish_diagnostics(one)

    async def analysis_of(self, uri: str) -> Analysis | None:
        """The analysis of a document's present text, None where there is none to be had."""
        while (document := open_document(self.workspace, uri)) is not None:
            try:
                found = await self.analyses.of(document)
            except AdvisorError as error:
                self._show_error(document, str(error))
                self._show_faults(document, faults_of_configuration(str(error), document.file.parent))
                return None
            except Exception:
                _log.exception("The analysis of %s failed.", document.file)
                self._show_error(document, _FAULT.format(name=document.file.name))
                return None
            if found is not None and open_document(self.workspace, uri) == document:
                self._report_faults(found)
                return self.refinements.best(found)
        return None

    async def diagnostics(self, uri: str) -> tuple[int | None, list[types.Diagnostic]]:
        """The version of a document and its diagnostics; none for a document that cannot be analysed."""
        analysis = await self._without_errors(uri) or await self.analysis_of(uri)
        if analysis is None:
            document = open_document(self.workspace, uri)
            return document.version if document else None, []
        document = analysis.document
        if analysis.parsed:
            self._unparsed.discard(uri)
        else:
            self._unparsed.add(uri)
        shown = diagnostics_of(analysis, self.positions(document), self.preferences.syntax_errors)
        return document.version, shown

    async def _without_errors(self, uri: str) -> Analysis | None:
        """What is shown of a text that parses again until it is analysed: nothing of its former error.

        The client is shown the rest as soon as that is known.
        """
        document = open_document(self.workspace, uri)
        if uri not in self._unparsed or document is None:
            return None
        expected = await asyncio.to_thread(self.analyst.expected, document)
        if expected is None or open_document(self.workspace, uri) != document:
            return None
        self._unparsed.discard(uri)
        task = asyncio.get_running_loop().create_task(self._complete(document))
        self._completing.add(task)
        task.add_done_callback(self._completing.discard)
        return expected

    async def _complete(self, document: Document) -> None:
        """Show the findings of a text whose error was taken back before it was analysed."""
        analysis = await self.analysis_of(document.uri)
        if analysis is None or open_document(self.workspace, document.uri) != document:
            return
        if self.client.pulls:
            self._refresh()
        else:
            await self._publish(document.uri, 0.0)

    def look_at(self, uri: str, later: float = _PAUSE_SECONDS) -> None:
        """Publish the diagnostics of a document once it has been quiet for a moment, and looks for better
        evidence after `later` seconds.

        A client that asks for diagnostics itself is sent none, or it would show each of them twice.
        """
        document = open_document(self.workspace, uri)
        self.cancel(uri)
        if document is not None:
            self.refinements.begin(document, later, _LEVELS)
            self._prepare(document, _FIXES_SECONDS)
            if not self.client.pulls:
                # An error of syntax that was corrected goes at once.
                quiet = 0.0 if uri in self._unparsed else _QUIET_SECONDS
                self._pending[uri] = asyncio.get_running_loop().create_task(self._publish(uri, quiet))

    def look_again(self, saved: str = "", new_files: bool = True) -> None:
        """Make every analysis void: a file that any of them may rest on has changed or was `saved`.

        Without `new_files` what is kept of files stays: that one of them has changed is seen by itself.
        """
        self.analyst.forget(new_files)
        self.analyses.forget()
        for document in open_documents(self.workspace):
            self.look_at(document.uri, later=0.0 if document.uri == saved else _SOON_SECONDS)
        self._refresh()

    def close(self, uri: str) -> None:
        """Take away what a document showed."""
        self.cancel(uri)
        self._unparsed.discard(uri)
        self.analyses.forget(uri)
        self.refinements.forget(uri)
        self.analyst.close_document(uri)
        if not self.client.pulls:
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    def end(self) -> None:
        """Begin nothing more: the client is about to end the server."""
        self.shut_down = True
        for uri in list(self._pending):
            self.cancel(uri)
        self.analyses.close()
        self.refinements.close()
        self.fixes.close()
        self.simulations.close()
        self.analyst.close()

    def cancel(self, uri: str) -> None:
        """Drop what is about to be published for a document."""
        task = self._pending.pop(uri, None)
        if task is not None:
            task.cancel()

    async def _publish(self, uri: str, after: float = _QUIET_SECONDS) -> None:
        await asyncio.sleep(after)
        version, found = await self.diagnostics(uri)
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, found, version=version))

    def _show(self, analysis: Analysis) -> None:
        """Show what a later level of evidence has found, where the text is still the same."""
        uri = analysis.document.uri
        self.analyst.better(analysis)
        if self._resting is not None:
            self._resting.cancel()
        self._resting = asyncio.get_running_loop().call_later(_IDLE_SECONDS, self.analyst.rest)
        for sentence in self.analyst.losses():
            self.show_message_once(sentence)
        for problem in analysis.remarks:
            self._log_once(f"{problem.path}:{problem.line}: {problem.message}")
        for notice in analysis.notices:
            self._log_once(notice)
        if not self.client.pulls and open_document(self.workspace, uri) == analysis.document:
            self.cancel(uri)
            self._pending[uri] = asyncio.get_running_loop().create_task(self._publish(uri, 0.0))
        self._refresh()

    def _prepare(self, document: Document, after: float = 0.0) -> None:
        """Have the fixes of a quiet text written, so that the first menu has them."""
        before = self._preparing.pop(document.uri, None)
        if before is not None:
            before.cancel()
        task = asyncio.get_running_loop().create_task(self._prepare_fixes(document, after))
        self._preparing[document.uri] = task
        task.add_done_callback(lambda one: self._forget_preparing(document.uri, one))

    def _forget_preparing(self, uri: str, task: asyncio.Task[None]) -> None:
        if self._preparing.get(uri) is task:
            del self._preparing[uri]

    async def _prepare_fixes(self, document: Document, after: float) -> None:
        await asyncio.sleep(after)
        if open_document(self.workspace, document.uri) != document:
            return
        analysis = await self.analysis_of(document.uri)
        fixable = analysis.fixable if analysis is not None else None
        if fixable is not None and not self.shut_down:
            await self.fixes.prepare(fixable)

    def _refresh(self) -> None:
        """Make the client ask again for what it shows of all documents."""
        client = self.client
        if client.pulls and client.refreshes:
            self.workspace_diagnostic_refresh(None)
        if client.refreshes_inlay_hints:
            self.workspace_inlay_hint_refresh(None)
        if client.refreshes_code_lenses:
            self.workspace_code_lens_refresh(None)

    def show_message(self, message: str, kind: types.MessageType = types.MessageType.Warning) -> None:
        """Show a message to the user."""
        self.window_show_message(types.ShowMessageParams(kind, f"Kernel Advisor: {message}"))

    def show_message_once(self, message: str, kind: types.MessageType = types.MessageType.Warning) -> None:
        """Show a message that was not shown before."""
        if message not in self._said:
            self._said.add(message)
            self.show_message(message, kind)

    def _log_once(self, message: str) -> None:
        """Write into the client's log what was not written there before."""
        if message not in self._said:
            self._said.add(message)
            self.window_log_message(types.LogMessageParams(types.MessageType.Info, message))

    def _report_faults(self, found: Analysis) -> None:
        """Say what is wrong with the configuration and with rules, which an analysis had to do without."""
        document = found.document
        wrong = faults_of_configuration(found.wrong_settings, document.file.parent)
        broken = faults_of_rules(found.broken_rules, document.root)
        self._show_faults(document, [*wrong, *broken])
        told = [one.in_words() for one in wrong] or [found.wrong_settings]
        if found.wrong_settings:
            told.append(_VALID_SETTINGS_HOLD)
        told += [f"{one.path}:{one.line}: {one.message}" for one in found.broken_rules]
        if message := "\n".join(filter(None, told)):
            self._show_error(document, message)
        else:
            self._forget_shown(document)

    def _report_failure(self, document: Document, error: Exception) -> None:
        if not isinstance(error, AdvisorError):
            _log.error("The analysis of %s failed.", document.file, exc_info=error)
            self._show_error(document, _FAULT.format(name=document.file.name))

    def _show_faults(self, document: Document, faults: list[Fault]) -> None:
        """Show what is wrong with configuration and rules where it is; an open rule file tells it itself."""
        closed = [one for one in faults if one.file.as_uri() not in self.workspace.text_documents]
        self._faults.show(document.file.parent, closed, self.workspace.position_codec)

    def _show_error(self, document: Document, message: str) -> None:
        """Show a message, once until a document of the same folder can be analysed again."""
        if message not in self._shown:
            self._shown[message] = document.file.parent
            self.show_message(message, types.MessageType.Error)

    def _forget_shown(self, document: Document) -> None:
        folder = document.file.parent
        self._shown = {message: place for message, place in self._shown.items() if place != folder}
