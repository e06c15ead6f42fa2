"""The answer of `check`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from advisor.cli.mcp_server.answers.findings import (
    ShortFinding,
    TextOf,
    Trouble,
    short_finding,
    troubles,
)
from advisor.model.findings import SEVERITIES


@dataclass(frozen=True)
class CheckAnswer:
    """The findings that matter most, what to do first at the top; `left_out` counts the others."""

    device: str
    findings: list[ShortFinding]
    left_out: int
    by_severity: dict[str, int]
    errors: list[Trouble]
    notices: list[str]


def check_answer(report: Mapping[str, Any], most: int, text_of: TextOf) -> CheckAnswer:
    """The report of `advisor check` in short: errors, then by rank, at most so many."""
    ordered = sorted(report["findings"], key=_urgency)
    return CheckAnswer(
        device=report["device"],
        findings=[short_finding(one, text_of) for one in ordered[:most]],
        left_out=max(0, len(ordered) - most),
        by_severity=dict(report["summary"]["by_severity"]),
        errors=troubles(report),
        notices=list(report["notices"]),
    )


def _urgency(finding: Mapping[str, Any]) -> tuple[bool, int, int, str, int]:
    """The order of the short report: what is wrong, then what gains most, then what is grave."""
    grave = SEVERITIES.index(finding["severity"])
    is_error = finding["severity"] == SEVERITIES[-1]
    return not is_error, finding["rank"], -grave, finding["path"], finding["line"]
