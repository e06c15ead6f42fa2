"""The rules of a report as SARIF describes them."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.model.findings import Confidence, Finding, Severity
from advisor.reports.outputs import RuleCatalogue, RuleInfo

LEVELS: dict[Severity, str] = {"info": "note", "warning": "warning", "error": "error"}

_PROBLEM_SEVERITY: dict[Severity, str] = {"info": "recommendation", "warning": "warning", "error": "error"}
_WEB = ("https://", "http://")
_CONFIDENCES: tuple[Confidence, ...] = ("low", "medium", "high")


def rule_objects(findings: Sequence[Finding], rules: RuleCatalogue) -> list[dict[str, object]]:
    """A reportingDescriptor for each rule that fired, in alphabetical order.

    The precision is the lowest confidence among the rule's findings. A rule that the catalogue does not know
    is described by its first finding.
    """
    first: dict[str, Finding] = {}
    lowest: dict[str, int] = {}
    for finding in findings:
        first.setdefault(finding.rule, finding)
        confidence = _CONFIDENCES.index(finding.confidence)
        lowest[finding.rule] = min(confidence, lowest.get(finding.rule, confidence))
    return [_descriptor(first[rule], rules.get(rule), _CONFIDENCES[lowest[rule]]) for rule in sorted(first)]


def _descriptor(finding: Finding, info: RuleInfo | None, precision: Confidence) -> dict[str, object]:
    title = (info.title if info else "") or finding.title or finding.rule
    doc = info.doc if info else ""
    why = (info.why if info else "") or finding.why
    url = (info.url if info else "") or finding.url
    severity = info.severity if info else finding.severity
    category = (info.category if info else "") or finding.category
    descriptor: dict[str, object] = {
        "id": finding.rule,
        "name": "".join(word.capitalize() for word in finding.rule.replace("_", "-").split("-")),
        "shortDescription": {"text": title},
        "fullDescription": {"text": doc or title},
        "help": _help(title, doc, why, url),
        "defaultConfiguration": {"level": LEVELS[severity]},
        "properties": {
            "tags": [*dict.fromkeys(tag for tag in ("performance", "gpu", category) if tag)],
            "precision": precision,
            "problem.severity": _PROBLEM_SEVERITY[severity],
        },
    }
    if url.startswith(_WEB):
        descriptor["helpUri"] = url
    return descriptor


def _help(title: str, doc: str, why: str, url: str) -> dict[str, str]:
    paragraphs = [text for text in (doc, why) if text] or [title]
    link = [f"<{url}>"] if url.startswith(_WEB) else []
    return {
        "text": "\n\n".join([*paragraphs, *([url] if url else [])]),
        "markdown": "\n\n".join([f"# {title}", *paragraphs, *link]),
    }
