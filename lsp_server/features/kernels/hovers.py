"""What hovering shows."""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types

from advisor.model.errors import AdvisorError
from advisor.model.findings import Finding
from advisor.model.text.source_text import Span
from lsp_server.analysis.checked_text import Analysis
from lsp_server.answers.diagnostics import fingerprint
from lsp_server.protocol.dispatch import PYTHON
from lsp_server.session import AdvisorServer

# Fixes are told of when they are written by then.
_PATIENCE = 0.005


def register(server: AdvisorServer) -> None:
    """Add hovering."""
    server.dispatcher.answer(types.TEXT_DOCUMENT_HOVER, PYTHON)(hover)


async def hover(ls: AdvisorServer, params: types.HoverParams) -> types.Hover | None:
    """The explanation of the findings at a position, the narrowest first, then the numbers known there."""
    # Imported for the first one: an editor waits for the server to begin.
    from lsp_server.answers.hover import findings_at

    analysis = await ls.analysis_of(params.text_document.uri)
    if analysis is None:
        return None
    positions, markdown = ls.positions(analysis.document), ls.client.reads_markdown
    place = positions.place(params.position)
    numbers, found = ls.preferences.number_hovers, findings_at(analysis, place)
    fixable = analysis.fixable
    written = await ls.fixes.written(fixable, found, _PATIENCE) if fixable is not None else []
    known = {fingerprint(one.finding): one.finding for one in written}
    found = [known.get(fingerprint(one), one) for one in found]
    told = await ls.analyses.run(lambda: _told(analysis, place, found, markdown, numbers))
    if told is None:
        return None
    text, span = told
    kind = types.MarkupKind.Markdown if markdown else types.MarkupKind.PlainText
    return types.Hover(types.MarkupContent(kind, text), positions.range(span))


def _told(
    analysis: Analysis,
    place: tuple[int, int],
    found: Sequence[Finding],
    markdown: bool,
    numbers: bool,
) -> tuple[str, Span] | None:
    """The text of a place, and what it is about; None where there is nothing to tell."""
    from lsp_server.answers.hover import explanations, span_at
    from lsp_server.numbers.at_place import cards_at
    from lsp_server.numbers.cards import joined

    parts: list[str] = []
    spans: list[Span] = []
    try:
        if found:
            parts.append(explanations(found, analysis.settings, place))
            spans.append(span_at(found[0], place) or found[0].span)
        if numbers and (cards := cards_at(analysis, place)):
            parts.append(joined([card for card, _ in cards], markdown))
            spans.append(cards[0][1])
    except AdvisorError:  # the rules have broken since; the next analysis tells
        return None
    return ("\n\n---\n\n".join(parts), spans[0]) if parts else None
