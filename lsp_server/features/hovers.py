"""What hovering shows."""

from __future__ import annotations

from lsprotocol import types

from advisor.errors import AdvisorError
from lsp_server.by_language import PYTHON
from lsp_server.hover import explanations, findings_at
from lsp_server.session import AdvisorServer


def register(server: AdvisorServer) -> None:
    """Adds hovering."""
    server.languages.answer(types.TEXT_DOCUMENT_HOVER, PYTHON)(hover)


async def hover(ls: AdvisorServer, params: types.HoverParams) -> types.Hover | None:
    """The explanation of the findings at a position, the narrowest first."""
    analysis = await ls.analysis_of(params.text_document.uri)
    if analysis is None:
        return None
    positions = ls.positions(analysis.document)
    found = findings_at(analysis, positions.place(params.position))
    if not found:
        return None
    try:
        text = await ls.latest.run(lambda: explanations(found, analysis.settings))
    except AdvisorError:  # the rules have broken since; the next analysis tells
        return None
    kind = types.MarkupKind.Markdown if ls.client.reads_markdown else types.MarkupKind.PlainText
    return types.Hover(types.MarkupContent(kind, text), positions.range(found[0].span))
