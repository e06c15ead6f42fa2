"""What can be done about findings."""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from advisor.findings import Finding
from lsp_server.actions import FIX_ALL, KIND, Desk, Wish, may_be_safe, on_lines, read_wish, wants
from lsp_server.analysis import Analysis
from lsp_server.by_language import PYTHON
from lsp_server.diagnostics import fingerprint
from lsp_server.edits import writes_of
from lsp_server.fix_writing import Written
from lsp_server.session import AdvisorServer

# A menu must open at once; a fix that is not written by then is offered as what the rule may have.
_PATIENCE = 0.005
_GONE = "The text has changed since this was offered; ask again."
_UNWRITTEN = "This fix cannot be written here: the code around the finding is not of a form that it knows."


def register(server: AdvisorServer) -> None:
    """Adds code actions and their resolution."""
    options = types.CodeActionOptions([KIND, FIX_ALL], resolve_provider=True)
    server.languages.answer(types.TEXT_DOCUMENT_CODE_ACTION, PYTHON, options)(code_actions)
    server.languages.answer(types.CODE_ACTION_RESOLVE, PYTHON)(resolve)


async def code_actions(ls: AdvisorServer, params: types.CodeActionParams) -> list[types.CodeAction]:
    """What can be done about the findings on the lines asked for, and about all of them."""
    analysis = await ls.analysis_of(params.text_document.uri)
    # A text that does not parse is not edited: its findings are those of an earlier one.
    if analysis is None or not analysis.parsed:
        return []
    desk, only = _desk(ls, analysis), params.context.only
    patience = _PATIENCE if desk.writes.resolves else None
    actions: list[types.CodeAction] = []
    if wants(only, KIND.value) and (findings := on_lines(analysis, params.range)):
        written = await ls.fixes.written(analysis, findings, patience)
        sent = params.context.diagnostics
        actions = await ls.latest.run(lambda: desk.actions(findings, written, sent))
    safe = [finding for finding in analysis.findings if may_be_safe(finding)]
    # Among quick fixes it stands only where there is more than one to apply.
    if safe and wants(only, FIX_ALL) and (only or (actions and len(safe) > 1)):
        actions.append(await _fix_all(ls, desk, safe))
    return actions


async def resolve(ls: AdvisorServer, action: types.CodeAction) -> types.CodeAction:
    """The action with its edit, for the present text. Raises JsonRpcException where there is none."""
    wish = read_wish(action.data)
    if wish is None or action.edit is not None:
        return action
    analysis, concerned = await _meant(ls, wish)
    desk = _desk(ls, analysis)
    if wish.fix or not wish.finding:
        written = await ls.fixes.written(analysis, concerned) or []
    else:
        written = [Written(finding) for finding in concerned]
    action.edit = await ls.latest.run(lambda: desk.edit(wish, written))
    if action.edit is None:
        raise JsonRpcException(_UNWRITTEN, types.LSPErrorCodes.RequestFailed)
    return action


async def _meant(ls: AdvisorServer, wish: Wish) -> tuple[Analysis, Sequence[Finding]]:
    """The findings that a wish is about and their analysis, which is one of the present text.

    Better evidence may have come since the action was offered, and say the same in other words.
    """
    present, offered = await ls.analysis_of(wish.uri), ls.fixes.last(wish.uri)
    if present is not None:
        for analysis in (present, offered):
            if analysis is not None and analysis.document == present.document:
                concerned = _concerned(analysis, wish)
                if concerned or not wish.finding:
                    return analysis, concerned
    raise JsonRpcException(_GONE, types.LSPErrorCodes.ContentModified)


def _concerned(analysis: Analysis, wish: Wish) -> Sequence[Finding]:
    """The findings that a wish is about, of the present text."""
    if not wish.finding:
        return [finding for finding in analysis.findings if may_be_safe(finding)]
    return [finding for finding in analysis.findings if fingerprint(finding) == wish.finding]


async def _fix_all(ls: AdvisorServer, desk: Desk, safe: Sequence[Finding]) -> types.CodeAction:
    if desk.writes.resolves:
        return desk.fix_all(None)
    written = await ls.fixes.written(desk.analysis, safe)
    return await ls.latest.run(lambda: desk.fix_all(written))


def _desk(ls: AdvisorServer, analysis: Analysis) -> Desk:
    return Desk(analysis, ls.positions(analysis.document), writes_of(ls.client))
