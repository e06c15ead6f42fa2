"""What can be done about findings."""

from __future__ import annotations

from lsprotocol import types

from lsp_server.actions import KIND, actions_for
from lsp_server.by_language import PYTHON
from lsp_server.session import AdvisorServer


def register(server: AdvisorServer) -> None:
    """Adds code actions."""
    options = types.CodeActionOptions([KIND])
    server.languages.answer(types.TEXT_DOCUMENT_CODE_ACTION, PYTHON, options)(code_actions)


async def code_actions(ls: AdvisorServer, params: types.CodeActionParams) -> list[types.CodeAction]:
    """What can be done about the findings on the lines asked for."""
    analysis = await ls.analysis_of(params.text_document.uri)
    if analysis is None:
        return []
    positions, versioned = ls.positions(analysis.document), ls.client.versions_edits
    return await ls.latest.run(lambda: actions_for(analysis, params, positions, versioned))
