"""What can be done about errors and remarks in rule files."""

from __future__ import annotations

from lsprotocol import types

from lsp_server.protocol.dispatch import RULES
from lsp_server.rule_files.session import rules_of
from lsp_server.session import AdvisorServer


def register(server: AdvisorServer) -> None:
    """Add code actions."""
    options = types.CodeActionOptions([types.CodeActionKind.QuickFix])
    server.dispatcher.answer(types.TEXT_DOCUMENT_CODE_ACTION, RULES, options)(code_actions)


async def code_actions(ls: AdvisorServer, params: types.CodeActionParams) -> list[types.CodeAction]:
    """The corrections of the lines asked for."""
    from lsp_server.rule_files.corrections import actions_at

    none: list[types.CodeAction] = []
    versioned, uri = ls.client.versions_edits, params.text_document.uri
    return await rules_of(ls).answer(ls, uri, lambda one: actions_at(one, params, versioned), none)
