"""What can be done about findings."""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types

from advisor.model.findings import Finding
from lsp_server.analysis.checked_text import Analysis
from lsp_server.answers.actions import FIX_ALL, KIND, CodeActions, may_be_safe, on_lines, wants
from lsp_server.documents.open_documents import open_document, open_texts
from lsp_server.protocol.dispatch import PYTHON
from lsp_server.protocol.edits import writes_of
from lsp_server.session import AdvisorServer

# How long a menu waits for edits; a fix whose edit is not known by then is not offered in it. An editor that
# asks by itself, to show that there is something to do, asks again soon.
_PATIENCE = 5.0
_PATIENCE_OF_EDITORS = 1.0


def register(server: AdvisorServer) -> None:
    """Add code actions."""
    options = types.CodeActionOptions([KIND, FIX_ALL])
    server.dispatcher.answer(types.TEXT_DOCUMENT_CODE_ACTION, PYTHON, options)(code_actions)


async def code_actions(ls: AdvisorServer, params: types.CodeActionParams) -> list[types.CodeAction]:
    """What can be done about the findings on the lines asked for, and about all of them.

    Every action has its edit, for the present version of the text: none is left to be resolved.
    """
    shown = await ls.analysis_of(params.text_document.uri)
    # What an earlier text gave is shown where this one cannot be read, and not edited.
    analysis = shown.fixable if shown is not None else None
    if analysis is None:
        return []
    offers, only = _offers(ls, analysis), params.context.only
    actions: list[types.CodeAction] = []
    if wants(only, KIND.value) and (findings := on_lines(analysis, params.range)):
        by_itself = params.context.trigger_kind == types.CodeActionTriggerKind.Automatic
        patience = _PATIENCE_OF_EDITORS if by_itself else _PATIENCE
        written = await ls.fixes.written(analysis, findings, patience)
        sent = params.context.diagnostics
        actions = await ls.analyses.run(lambda: offers.actions(findings, written, sent, params.range))
    safe = [finding for finding in analysis.findings if may_be_safe(finding)]
    # Among quick fixes it stands only where there is more than one to apply.
    if safe and wants(only, FIX_ALL) and (only or (actions and len(safe) > 1)):
        actions += await _fix_all(ls, offers, safe, patience=None if only else 0.0)
    # What was offered for a former text would be put at the wrong places.
    return actions if open_document(ls.workspace, analysis.document.uri) == analysis.document else []


async def _fix_all(
    ls: AdvisorServer, offers: CodeActions, safe: Sequence[Finding], patience: float | None
) -> list[types.CodeAction]:
    """The action that applies all safe fixes, where all of them are known within some seconds."""
    written = await ls.fixes.written(offers.analysis, safe, patience)
    if len(written) < len(safe):
        return []
    action = await ls.analyses.run(lambda: offers.fix_all(written))
    return [] if action is None else [action]


def _offers(ls: AdvisorServer, analysis: Analysis) -> CodeActions:
    document = analysis.document
    opened = open_texts(ls.workspace, document.root)
    return CodeActions(analysis, ls.positions(document), writes_of(ls.client), opened)
