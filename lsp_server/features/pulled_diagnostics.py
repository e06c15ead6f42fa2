"""Diagnostics for clients that ask for them."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count
from weakref import WeakKeyDictionary

from lsprotocol import types

from lsp_server.answers.diagnostics import SOURCE
from lsp_server.protocol.dispatch import PYTHON
from lsp_server.session import AdvisorServer


@dataclass
class _Reports:
    """What was last answered for each document, and under which name."""

    last: dict[str, tuple[str, list[types.Diagnostic]]] = field(default_factory=dict)
    numbers: count[int] = field(default_factory=count)

    def name(self, uri: str, found: list[types.Diagnostic]) -> str:
        """A name that stays the same as long as the diagnostics do."""
        known = self.last.get(uri)
        if known is None or known[1] != found:
            known = self.last[uri] = str(next(self.numbers)), found
        return known[0]


_reports: WeakKeyDictionary[AdvisorServer, _Reports] = WeakKeyDictionary()


def register(server: AdvisorServer) -> None:
    """Add the pull model, for documents alone: some clients pull a workspace without end."""
    options = types.DiagnosticOptions(
        inter_file_dependencies=True, workspace_diagnostics=False, identifier=SOURCE
    )
    server.dispatcher.answer(types.TEXT_DOCUMENT_DIAGNOSTIC, PYTHON, options)(pull_diagnostics)
    server.dispatcher.hear(types.TEXT_DOCUMENT_DID_CLOSE)(closed)
    _reports[server] = _Reports()


async def pull_diagnostics(
    ls: AdvisorServer, params: types.DocumentDiagnosticParams
) -> types.RelatedFullDocumentDiagnosticReport | types.RelatedUnchangedDocumentDiagnosticReport:
    """The diagnostics that a client asks for, or that they are what it was given before."""
    uri = params.text_document.uri
    _, found = await ls.diagnostics(uri)
    name = _reports[ls].name(uri, found)
    if name == params.previous_result_id:
        return types.RelatedUnchangedDocumentDiagnosticReport(name)
    return types.RelatedFullDocumentDiagnosticReport(items=found, result_id=name)


def closed(ls: AdvisorServer, params: types.DidCloseTextDocumentParams) -> None:
    """Forget a document that was closed."""
    _reports[ls].last.pop(params.text_document.uri, None)
