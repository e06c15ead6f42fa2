"""The cards of what stands at a place of the text: an access, a launch, the line of a kernel's `def`."""

from __future__ import annotations

from advisor.model.text.source_text import Span
from lsp_server.analysis.checked_text import Analysis
from lsp_server.numbers.access_card import access_card, stands_in_source
from lsp_server.numbers.cards import Card, Quantities
from lsp_server.numbers.kernel_card import kernel_card
from lsp_server.numbers.known import Known, known_of
from lsp_server.numbers.launch_card import launch_card
from lsp_server.numbers.rows import Row
from lsp_server.protocol.positions import holds


def cards_at(analysis: Analysis, place: tuple[int, int]) -> list[tuple[Card, Span]]:
    """The cards of a line and a column, each with the span that it is about; without grids none is shown.

    Of an access inside the index of another the inner one is told. A device function has the accesses of each
    kernel that calls it.
    """
    known, source = known_of(analysis), analysis.document.source
    quantities = Quantities(analysis.settings)
    found: list[tuple[Card, Span]] = []
    for row in [*_narrowest(known, "access", place), *_narrowest(known, "atomic", place)]:
        card = access_card(row, known.owner(row, "kernel"), source, quantities)
        found.append((card, row.span))
    for row in _narrowest(known, "launch", place):
        found.append((launch_card(row, known, source), row.span))
    for row in known.rows("kernel"):
        if row.span.line == place[0]:
            found.append((kernel_card(row, quantities), row.span))
    return [(card, span) for card, span in found if card.grids]


def _narrowest(known: Known, entity: str, place: tuple[int, int]) -> list[Row]:
    """The records of an entity whose spans hold a place, those with the narrowest of these spans."""
    around = [row for row in known.rows(entity) if holds(row.span, place) and stands_in_source(row)]
    least = min((_size(row.span) for row in around), default=None)
    return [row for row in around if _size(row.span) == least]


def _size(span: Span) -> tuple[int, int]:
    return span.end_line - span.line, span.end_column - span.column
