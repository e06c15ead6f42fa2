"""What hovering over a finding shows: the numbers, why they matter, fixes, and where it is written."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.check.rulebook import rulebook_for
from advisor.model.findings import Evidence, Finding
from advisor.model.records import Value
from advisor.model.settings.config import Config
from advisor.rules import Rule
from advisor.rules.units import COUNT, find_unit, format_value
from lsp_server.analysis.checked_text import Analysis
from lsp_server.protocol.positions import holds


def findings_at(analysis: Analysis, place: tuple[int, int]) -> list[Finding]:
    """The findings at a line and column, the narrowest first; without any, those that begin on the line."""
    found = [finding for finding in analysis.findings if holds(finding.span, place)]
    found = found or [finding for finding in analysis.findings if finding.span.line == place[0]]
    return sorted(found, key=_size)


def explanations(findings: Sequence[Finding], settings: Config, place: tuple[int, int]) -> str:
    """The Markdown that explains findings under `settings` at a line and column.

    A finding that holds the place has a diagnostic there, which the editor shows above the hover: what its
    message says is left out.
    """
    rules = {rule.id: rule for rule in rulebook_for(settings, strict=False).rules}
    texts = [_explanation(one, rules.get(one.rule), shown_above=holds(one.span, place)) for one in findings]
    return "\n\n---\n\n".join(dict.fromkeys(texts))


def _size(finding: Finding) -> tuple[int, int]:
    span = finding.span
    return span.end_line - span.line, span.end_column - span.column


def _explanation(finding: Finding, rule: Rule | None, shown_above: bool) -> str:
    kernel = f" · kernel `{finding.kernel}`" if finding.kernel else ""
    parts = [
        f"**{finding.title or finding.rule}** · {finding.severity} · `{finding.rule}`{kernel}",
        "" if shown_above else finding.message,
        _table(finding.evidence),
        f"**Why** {finding.why}",
        _advice(finding, shown_above),
        _listed("Fixes", _fixes(finding)),
        f"**Gain** predicted {finding.gain.basis} {finding.gain.speedup:g} times as fast"
        if finding.gain
        else "",
        "" if shown_above else _listed("Assumed", finding.assumptions),
        _sources(finding, rule),
    ]
    return "\n\n".join(part for part in parts if part)


def _advice(finding: Finding, shown_above: bool) -> str:
    """What to try; the first of it stands in the message of a diagnostic."""
    return (
        _listed("Also to try", finding.advice[1:]) if shown_above else _listed("What to try", finding.advice)
    )


def _gain(finding: Finding) -> str:
    """The gain that the rule predicts, empty without one."""
    gain = finding.gain
    return "" if gain is None else f"**Gain** predicted {gain.basis} {gain.speedup:g} times as fast"


def _fixes(finding: Finding) -> list[str]:
    """The fixes that can be applied here or were proven, else with the condition of equal results."""
    return [
        fix.in_words() if fix.proof else f"{fix.title}. Results stay the same when {fix.condition}."
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
