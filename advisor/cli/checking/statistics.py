"""Counts by rule, for `advisor check --statistics`."""

from __future__ import annotations

from collections import Counter

from advisor.findings import Report


def count_by_rule(report: Report) -> dict[str, object]:
    """JSON-ready counts: findings by rule; for each undecided rule the places and the metrics it needs."""
    return {
        "findings": dict(Counter(finding.rule for finding in report.findings).most_common()),
        "undecided": [
            {
                "rule": item.rule,
                "places": item.places,
                "needs": list(item.needs),
                "sources": list(item.sources),
            }
            for item in report.undecided
        ],
    }


def statistics_text(report: Report) -> str:
    """The counts as a table for reading."""
    counts = Counter(finding.rule for finding in report.findings).most_common()
    width = max((len(str(count)) for _, count in counts), default=1)
    lines = [f"{count:>{width}}  {rule}" for rule, count in counts]
    if report.undecided:
        lines += ["", f"{len(report.undecided)} rules stayed undecided:"]
        lines += [
            f"  {item.rule}: unknown at {item.places} place{'' if item.places == 1 else 's'}, "
            f"needs {', '.join(item.needs)}" + (f" ({' or '.join(item.sources)})" if item.sources else "")
            for item in report.undecided
        ]
    return "\n".join(lines) if lines else "No findings."
