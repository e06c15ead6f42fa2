"""What hovering over a finding shows: the numbers, why they matter, what to try, and where it is written."""

from __future__ import annotations

from advisor.findings import Finding


def explanation(finding: Finding) -> str:
    """The Markdown text for one finding."""
    parts = [f"**{finding.title or finding.rule}** · {finding.severity} · `{finding.rule}`", finding.message]
    if finding.why:
        parts.append(finding.why)
    if finding.advice:
        parts.append("\n".join(["**Try**", *(f"- {line}" for line in finding.advice)]))
    if finding.gain is not None:
        parts.append(f"**Gain** {finding.gain.basis} {finding.gain.speedup:g}×")
    if finding.evidence:
        rows = [f"| {item.metric} | {item.text or item.value} | {item.source} |" for item in finding.evidence]
        parts.append("\n".join(["| metric | value | evidence |", "| --- | --- | --- |", *rows]))
    if finding.assumptions:
        parts.append("\n".join(["**Assumed**", *(f"- {line}" for line in finding.assumptions)]))
    if finding.url:
        parts.append(f"[Source]({finding.url})")
    return "\n\n".join(parts)
