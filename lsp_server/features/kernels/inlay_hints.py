"""Numbers behind the lines of the text that they are about."""

from __future__ import annotations

from lsprotocol import types

from lsp_server.protocol.dispatch import PYTHON
from lsp_server.session import AdvisorServer


def register(server: AdvisorServer) -> None:
    """Add inlay hints."""
    server.dispatcher.answer(types.TEXT_DOCUMENT_INLAY_HINT, PYTHON)(inlay_hints)


async def inlay_hints(ls: AdvisorServer, params: types.InlayHintParams) -> list[types.InlayHint]:
    """The hints on the lines asked for."""
    # Imported for the first one: an editor waits for the server to begin.
    from lsp_server.numbers.cards import joined
    from lsp_server.numbers.hints import hints

    if not ls.preferences.inlay_hints:
        return []
    analysis = await ls.analysis_of(params.text_document.uri)
    if analysis is None:
        return []
    positions, wanted = ls.positions(analysis.document), params.range
    found = await ls.analyses.run(lambda: hints(analysis, wanted.start.line + 1, wanted.end.line + 1))
    shown = []
    for hint in found:
        position = positions.position(hint.line, hint.column)
        # Of the first and the last line only a part may have been asked for.
        if _place(wanted.start) <= _place(position) <= _place(wanted.end):
            tooltip = types.MarkupContent(types.MarkupKind.Markdown, joined(hint.cards, True))
            shown.append(types.InlayHint(position, hint.label, tooltip=tooltip, padding_left=True))
    return shown


def _place(position: types.Position) -> tuple[int, int]:
    return position.line, position.character
