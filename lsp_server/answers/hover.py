"""What hovering over a finding shows: the numbers, why they matter, fixes, and where it is written."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.check.rulebook import rulebook_for
from advisor.model.findings import HERE_TOO, Evidence, Finding
from advisor.model.records import Value
from advisor.model.settings.config import Config
from advisor.model.text.source_text import Span
from advisor.rules import Rule
from advisor.rules.units import COUNT, find_unit, format_value
from lsp_server.analysis.checked_text import Analysis
from lsp_server.protocol.positions import holds


def findings_at(analysis: Analysis, place: tuple[int, int]) -> list[Finding]:
    """The findings with a place at a line and column, the narrowest first; without any, those with one that
    begins on the line.
    """
    spans = [(finding, span_at(finding, place)) for finding in analysis.findings]
    found = [(finding, span) for finding, span in spans if span is not None and holds(span, place)]
    found = found or [(finding, span) for finding, span in spans if span is not None]
    return [finding for finding, _ in sorted(found, key=lambda one: _size(one[1]))]


def span_at(finding: Finding, place: tuple[int, int]) -> Span | None:
    """The span of that place of a finding which holds a line and column, else of one that begins on the line,
    None without one.
    """
    spans = [one.span for one in finding.at_each_place() if one.path == finding.path]
    held = (span for span in spans if holds(span, place))
    return next(held, next((span for span in spans if span.line == place[0]), None))


def explanations(findings: Sequence[Finding], settings: Config, place: tuple[int, int]) -> str:
    """The Markdown that explains findings under `settings` at a line and column.

    A finding whose worst place it is has a diagnostic there, which the editor shows above the hover: what its
    message says is left out.
    """
    rules = {rule.id: rule for rule in rulebook_for(settings, strict=False).rules}
    texts = [_explanation(one, rules.get(one.rule), place) for one in findings]
    return "\n\n---\n\n".join(dict.fromkeys(texts))


def _size(span: Span) -> tuple[int, int]:
    return span.end_line - span.line, span.end_column - span.column


def _explanation(finding: Finding, rule: Rule | None, place: tuple[int, int]) -> str:
    shown_above = holds(finding.span, place)
    kernel = f" · kernel `{finding.kernel}`" if finding.kernel else ""
    parts = [
        f"**{finding.title or finding.rule}** · {finding.severity} · `{finding.rule}`{kernel}",
        "" if shown_above else finding.message,
        "" if shown_above else _here(finding, span_at(finding, place)),
        _table(finding.evidence),
        f"**Why** {finding.why}",
        _advice(finding, shown_above),
        _listed("Fixes", _fixes(finding)),
        f"**Gain** {finding.gain.in_words()}" if finding.gain else "",
        "" if shown_above else _listed("Assumed", finding.assumptions),
        _sources(finding, rule),
    ]
    return "\n\n".join(part for part in parts if part)


def _here(finding: Finding, span: Span | None) -> str:
    """What the rule says of a further place, where that is something else, and where the worst one is."""
    said = next((one.message for one in finding.further_places if one.span == span), "")
    if not said:
        return ""
    here = "" if said == HERE_TOO else f"**Here** {said}\n\n"
    return f"{here}**Worst** in line {finding.span.line}."


def _advice(finding: Finding, shown_above: bool) -> str:
    """What to try; the first of it stands in the message of a diagnostic."""
    return (
        _listed("Also to try", finding.advice[1:]) if shown_above else _listed("What to try", finding.advice)
    )


def _fixes(finding: Finding) -> list[str]:
    """The fixes that can be applied here or were proven, else with the condition of equal results."""
    return [
        fix.in_words() if fix.proof else f"{fix.title}. Conditions: {fix.condition}."
        for fix in finding.fixes
        if fix.edits or fix.proof
    ]


def _listed(heading: str, lines: Sequence[str]) -> str:
    return "\n".join([f"**{heading}**", "", *(f"- {line}" for line in lines)]) if lines else ""


def _table(evidence: Sequence[Evidence]) -> str:
    if not evidence:
        return ""
    rows = [
        (
            f"`{item.metric}`",
            item.text or _quantity(item.value, item.unit),
            "" if item.threshold is None else _quantity(item.threshold, item.unit),
            item.source,
        )
        for item in evidence
    ]
    table = [("metric", "value", "threshold", "evidence"), ("---", "---", "---", "---"), *rows]
    lines = ("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in table)
    return "\n".join(["**Evidence**", "", *lines])


def _quantity(value: Value, unit: str) -> str:
    return format_value(value, find_unit(unit) or COUNT)


def _sources(finding: Finding, rule: Rule | None) -> str:
    if rule is None or not rule.sources:
        return f"**Source** <{finding.url}>" if finding.url else ""
    named = (", ".join(part for part in (source.text, source.at) if part) for source in rule.sources)
    linked = (
        f"[{name}](<{source.url}>)" if source.url else name
        for name, source in zip(named, rule.sources, strict=True)
    )
    return "**Source** " + "; ".join(linked)
