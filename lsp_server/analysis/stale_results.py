"""The last good findings and numbers, carried along while the text does not parse."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import TYPE_CHECKING

from advisor.model.findings import HERE_TOO, Finding
from advisor.model.text.source_text import Span
from lsp_server.analysis.checked_text import Analysis

if TYPE_CHECKING:
    from advisor.evidence.metrics.tables import Table

Moved = Callable[[int], "int | None"]


def with_stale_results(good: Analysis, now: Analysis) -> Analysis:
    """What `good` said of an earlier text, at the places where its lines are now, beside what is wrong `now`.

    What stood on lines that have changed is left out of the findings; tables keep it near its place. Of the
    functions that could be read the findings are those of `now`, which fixes are written from.
    """
    path = now.document.path
    moved = line_move(good.document.source.lines, now.document.source.lines)
    findings = [
        one for finding in good.findings if (one := _finding(finding, path, moved, now.unread)) is not None
    ]
    findings = sorted([*now.findings, *findings], key=lambda one: one.span)
    tables = {entity: _table(table, path, moved) for entity, table in good.tables.items()}
    texts = {**good.texts, path: now.document.source.text}
    return replace(
        now,
        findings=tuple(findings),
        tables=tables,
        texts=texts,
        shares=good.shares,
        headroom=good.headroom,
        evidence=good.evidence,
        device=good.device,
        former=good.former,
        own=now if now.unread else None,
    )


def line_move(old: tuple[str, ...], new: tuple[str, ...]) -> Moved:
    """What gives the present line of a former one, both from 1; None where that line has changed."""
    from difflib import SequenceMatcher

    shorter = min(len(old), len(new))
    head = next((at for at in range(shorter) if old[at] != new[at]), shorter)
    rest = shorter - head
    tail = next((at for at in range(rest) if old[-1 - at] != new[-1 - at]), rest)
    middle = SequenceMatcher(None, old[head : len(old) - tail], new[head : len(new) - tail], autojunk=False)
    inside = {
        head + block.a + at + 1: head + block.b + at + 1
        for block in middle.get_matching_blocks()
        for at in range(block.size)
    }
    shift = len(new) - len(old)

    def moved(line: int) -> int | None:
        if line <= head:
            return line
        return line + shift if line > len(old) - tail else inside.get(line)

    return moved


def _finding(finding: Finding, path: str, moved: Moved, unread: Collection[int]) -> Finding | None:
    """The finding at those of its places that are still there, and unread where some lines are; None without.

    Where its worst place is gone, it stands at the first of the others.
    """

    def now(own: str, span: Span) -> Span | None:
        return moved_span(span, moved) if own == path else span

    related = [replace(one, span=span) for one in finding.related if (span := now(one.path, one.span))]
    places = [one for one in related if one.same_cause and (not unread or one.span.line in unread)]
    others = [one for one in related if not one.same_cause]
    span = now(finding.path, finding.span)
    if span is not None and (not unread or span.line in unread):
        return replace(finding, span=span, related=(*others, *places), fixes=())
    if not places:
        return None
    first, *rest = places
    message = finding.message if first.message == HERE_TOO else first.message
    return replace(
        finding, path=first.path, span=first.span, message=message, related=(*others, *rest), fixes=()
    )


def moved_span(span: Span, moved: Moved) -> Span | None:
    """Where a span of the former text is now; None where its lines have changed."""
    first, last = moved(span.line), moved(span.end_line)
    if first is None or last is None or last - first != span.end_line - span.line:
        return None
    return Span(first, span.column, last, span.end_column)


def _table(table: Table, path: str, moved: Moved) -> Table:
    spans = [
        (moved_span(span, moved) or _near(span, moved)) if own == path else span
        for own, span in zip(table.paths, table.spans, strict=True)
    ]
    return replace(table, spans=spans)


def _near(span: Span, moved: Moved) -> Span:
    """The first column of the nearest line above that has not changed."""
    for line in range(span.line, 0, -1):
        found = moved(line)
        if found is not None:
            return Span(found)
    return Span(1)
