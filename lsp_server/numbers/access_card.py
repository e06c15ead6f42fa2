"""The card of one access to memory: how the lanes of a warp lie, and what that costs."""

from __future__ import annotations

from advisor.model.text.source_text import SourceText, Span
from lsp_server.numbers.cards import Card, Quantities
from lsp_server.numbers.rows import Row

METRICS = (
    "sectors_per_request",
    "ideal_sectors_per_request",
    "bank_conflict_ways",
    "lane_stride",
    "itemsize",
    "requests",
    "moved_bytes",
    "l1_hit_rate",
)
ATOMIC_METRICS = ("target", "lanes_per_address", "requests")


def access_card(access: Row, kernel: Row | None, source: SourceText, quantities: Quantities) -> Card:
    """What is known of a load, a store or an update, or of an atomic."""
    atomic = access.entity == "atomic"
    metrics = ATOMIC_METRICS if atomic else METRICS
    kind = "atomic" if atomic else access.text("kind") or "access"
    space = access.text("space")
    memory = f" in {space} memory" if space not in ("", "unknown") else ""
    owner = f", kernel `{kernel.label}`" if kernel is not None else ""
    pattern = "" if atomic else _pattern(access)
    return Card(
        text_at(source, access.span) if stands_in_source(access) else access.label,
        f"{kind}{memory}{owner}",
        (pattern,) if pattern else (),
        quantities.grid("", access, metrics),
        access.assumptions(("lane_axis", *metrics)),
    )


def stands_in_source(access: Row) -> bool:
    """Whether the source shows the access; else a run saw it somewhere in its line."""
    return access.entity != "access" or access.value("index_kind") is not None


def text_at(source: SourceText, span: Span) -> str:
    """The text of a span, of several lines the first."""
    if not 1 <= span.line <= len(source.lines):
        return ""
    line = source.lines[span.line - 1]
    return line[span.column - 1 : span.end_column - 1 if span.end_line == span.line else None].strip()


def _pattern(access: Row) -> str:
    """How the elements of neighbouring lanes lie, empty where it is not known."""
    stride = access.amount("lane_stride")
    if access.text("index_kind") == "indirect":
        return "The index was loaded from memory: neighbouring lanes may touch elements anywhere."
    if stride == 0.0:
        return "All lanes of a warp use one element."
    if stride == 1.0:
        return "Neighbouring lanes use neighbouring elements."
    if stride is not None:
        return f"Neighbouring lanes use elements that lie {abs(stride):g} apart."
    if access.text("lane_axis") == "slow":
        return "Neighbouring lanes use elements that lie a row of the array apart."
    return ""
