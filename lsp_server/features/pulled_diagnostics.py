"""Diagnostics for clients that ask for them."""

from __future__ import annotations

from lsprotocol import types

from lsp_server.by_language import PYTHON
from lsp_server.diagnostics import SOURCE
from lsp_server.session import AdvisorServer


def register(server: AdvisorServer) -> None:
    """Adds the pull model, for documents alone: some clients pull a workspace without end."""
    options = types.DiagnosticOptions(
        inter_file_dependencies=True, workspace_diagnostics=False, identifier=SOURCE
    )
    server.languages.answer(types.TEXT_DOCUMENT_DIAGNOSTIC, PYTHON, options)(pull_diagnostics)


async def pull_diagnostics(
    ls: AdvisorServer, params: types.DocumentDiagnosticParams
) -> types.RelatedFullDocumentDiagnosticReport:
    """The diagnostics that a client asks for."""
    _, found = await ls.diagnostics(params.text_document.uri)
    return types.RelatedFullDocumentDiagnosticReport(items=found)
