"""The server's side of the protocol: which message leads to which answer."""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path
from pygls.workspace import TextDocument
from pygls.workspace.position_codec import ServerTextRange

import advisor
from advisor.errors import AdvisorError
from advisor.findings import Finding
from lsp_server.analysis import Analysis, analyse
from lsp_server.diagnostics import SOURCE, diagnostics_of, fingerprint
from lsp_server.explanations import explanation
from lsp_server.positions import touches
from lsp_server.suppress_action import suppression

_QUIET_SECONDS = 0.15
_log = logging.getLogger(__name__)


class AdvisorServer(LanguageServer):
    """Keeps the latest analysis of each open document; a newer text makes an older analysis void."""

    def __init__(self) -> None:
        super().__init__("kernel-advisor", advisor.__version__)
        # One analysis at a time: the next keystroke is answered as soon as this one is done.
        self._worker = ThreadPoolExecutor(1, "analysis")
        self._pending: dict[str, asyncio.Task[None]] = {}
        self._analyses: dict[str, Analysis] = {}
        self._told: set[str] = set()

    @property
    def client_pulls(self) -> bool:
        """Whether the client asks for diagnostics itself, so that none are pushed."""
        text_document = self.client_capabilities.text_document
        return text_document is not None and text_document.diagnostic is not None

    def root_of(self, file: Path) -> Path:
        """The innermost workspace folder that holds a file, else the file's own folder."""
        folders = [Path(path) for uri in self.workspace.folders if (path := to_fs_path(uri))]
        if self.workspace.root_path:
            folders.append(Path(self.workspace.root_path))
        around = [folder for folder in folders if file.is_relative_to(folder)]
        return max(around, key=lambda folder: len(folder.parts), default=file.parent)

    async def analysis_of(self, document: TextDocument) -> Analysis | None:
        """The analysis of a document's present text, None where there is none to be had."""
        known = self._analyses.get(document.uri)
        if known is not None and known.version == document.version:
            return known
        path = to_fs_path(document.uri)
        if path is None:
            return None
        file, text, version = Path(path), document.source, document.version
        loop = asyncio.get_running_loop()
        try:
            found = await loop.run_in_executor(self._worker, analyse, file, text, version, self.root_of(file))
        except AdvisorError as error:
            self._tell(str(error))
            return None
        except Exception:
            _log.exception("The analysis of %s failed; please report this with the lines above.", path)
            self._tell("Kernel Advisor met a fault of its own; its log has the details.")
            return None
        self._analyses[document.uri] = found
        return found

    def _tell(self, message: str) -> None:
        if message not in self._told:
            self._told.add(message)
            shown = types.ShowMessageParams(types.MessageType.Error, f"Kernel Advisor: {message}")
            self.window_show_message(shown)

    def diagnostics(self, document: TextDocument, analysis: Analysis) -> list[types.Diagnostic]:
        """The diagnostics of a document, in the client's units of position."""
        file = Path(to_fs_path(document.uri) or "")
        root = self.root_of(file)
        path = file.relative_to(root).as_posix() if file.is_relative_to(root) else file.as_posix()
        return diagnostics_of(analysis.report, path, root, document.range_to_client_units)

    def findings_at(self, document: TextDocument, asked: ServerTextRange) -> list[Finding]:
        """The findings of the latest analysis that touch the lines of a range."""
        analysis = self._analyses.get(document.uri)
        if analysis is None or analysis.version != document.version:
            return []
        first, last = asked.start.line + 1, asked.end.line + 1
        file = Path(to_fs_path(document.uri) or "").name
        return [
            finding
            for finding in analysis.report.findings
            if finding.span.line <= last and finding.span.end_line >= first and finding.path.endswith(file)
        ]

    def schedule(self, uri: str) -> None:
        """Begins an analysis once the document has been quiet for a moment."""
        self.forget(uri)
        if not self.client_pulls:
            self._pending[uri] = asyncio.get_running_loop().create_task(self._publish(uri))

    def forget(self, uri: str) -> None:
        """Drops what is under way for a document."""
        task = self._pending.pop(uri, None)
        if task is not None:
            task.cancel()

    async def _publish(self, uri: str) -> None:
        await asyncio.sleep(_QUIET_SECONDS)
        document = self.workspace.get_text_document(uri)
        analysis = await self.analysis_of(document)
        if analysis is None or analysis.version != document.version:
            return
        found = self.diagnostics(document, analysis)
        self.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri, found, version=document.version)
        )


server = AdvisorServer()


@server.feature(types.TEXT_DOCUMENT_DID_OPEN)
async def did_open(ls: AdvisorServer, params: types.DidOpenTextDocumentParams) -> None:
    """A document was opened."""
    ls.schedule(params.text_document.uri)


@server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
async def did_change(ls: AdvisorServer, params: types.DidChangeTextDocumentParams) -> None:
    """A document's text changed."""
    ls.schedule(params.text_document.uri)


@server.feature(types.TEXT_DOCUMENT_DID_SAVE)
async def did_save(ls: AdvisorServer, params: types.DidSaveTextDocumentParams) -> None:
    """A document was saved: other files may have changed with it, so it is looked at anew."""
    ls._analyses.clear()
    ls.schedule(params.text_document.uri)


@server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
async def did_close(ls: AdvisorServer, params: types.DidCloseTextDocumentParams) -> None:
    """A document was closed: what it showed is taken away."""
    uri = params.text_document.uri
    ls.forget(uri)
    ls._analyses.pop(uri, None)
    if not ls.client_pulls:
        ls.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))


@server.feature(
    types.TEXT_DOCUMENT_DIAGNOSTIC,
    types.DiagnosticOptions(inter_file_dependencies=True, workspace_diagnostics=False, identifier=SOURCE),
)
async def pull_diagnostics(
    ls: AdvisorServer, params: types.DocumentDiagnosticParams
) -> types.RelatedFullDocumentDiagnosticReport:
    """The diagnostics that a client asks for."""
    document = ls.workspace.get_text_document(params.text_document.uri)
    analysis = await ls.analysis_of(document)
    found = [] if analysis is None else ls.diagnostics(document, analysis)
    return types.RelatedFullDocumentDiagnosticReport(items=found)


@server.feature(types.TEXT_DOCUMENT_HOVER)
async def hover(ls: AdvisorServer, params: types.HoverParams) -> types.Hover | None:
    """The explanation of the findings at a position, the narrowest first."""
    document = ls.workspace.get_text_document(params.text_document.uri)
    position = document.position_from_client_units(params.position)
    found = [
        finding
        for finding in ls.findings_at(document, ServerTextRange(position, position))
        if touches(finding.span, position)
    ]
    if not found:
        return None
    text = "\n\n---\n\n".join(dict.fromkeys(explanation(finding) for finding in found))
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text))


@server.feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions([types.CodeActionKind.QuickFix]))
async def code_actions(ls: AdvisorServer, params: types.CodeActionParams) -> list[types.CodeAction]:
    """For each diagnostic of ours in the range, the action that silences its rule on its line."""
    document = ls.workspace.get_text_document(params.text_document.uri)
    ours = {str(item.data): item for item in params.context.diagnostics if item.source == SOURCE}
    actions = []
    for finding in ls.findings_at(document, document.range_from_client_units(params.range)):
        diagnostic = ours.pop(fingerprint(finding), None)
        insertion = suppression(finding, document.lines) if diagnostic else None
        if diagnostic is None or insertion is None:
            continue
        edit = types.TextEdit(document.range_to_client_units(insertion.place), insertion.text)
        actions.append(
            types.CodeAction(
                title=f"Suppress {finding.rule} on this line",
                kind=types.CodeActionKind.QuickFix,
                diagnostics=[diagnostic],
                edit=types.WorkspaceEdit(changes={document.uri: [edit]}),
            )
        )
    return actions


def main() -> int:
    """The exit status after the client has ended the session; speaks over standard input and output."""
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    server.start_io()
    return 0
