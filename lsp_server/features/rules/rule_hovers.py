"""What hovering over a rule file shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from lsp_server.protocol.dispatch import RULES
from lsp_server.rule_files.session import rules_of
from lsp_server.session import AdvisorServer

if TYPE_CHECKING:
    from lsp_server.rule_files.snapshot import Snapshot


def register(server: AdvisorServer) -> None:
    """Add hovering."""
    server.dispatcher.answer(types.TEXT_DOCUMENT_HOVER, RULES)(hover)


async def hover(ls: AdvisorServer, params: types.HoverParams) -> types.Hover | None:
    """What there is to say of the word at a position."""
    from lsp_server.rule_files.explaining.hovering import shown_at

    kind = types.MarkupKind.Markdown if ls.client.reads_markdown else types.MarkupKind.PlainText

    def work(snapshot: Snapshot) -> types.Hover | None:
        found = shown_at(snapshot, snapshot.offset(params.position))
        if found is None:
            return None
        return types.Hover(types.MarkupContent(kind, found.text), snapshot.range(found.start, found.end))

    return await rules_of(ls).answer(ls, params.text_document.uri, work, None)
