"""The exit status of a check."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.cli.checking.request import Request
from advisor.model.findings import SEVERITIES, Finding, Report


def exit_status(request: Request, report: Report, findings: Sequence[Finding]) -> int:
    """2 when not all could be checked, 1 when one of `findings` is at or above the fail level, else 0."""
    if not report.checked_everything:
        return 2
    floor = SEVERITIES.index(request.fail_level)
    return int(any(SEVERITIES.index(finding.severity) >= floor for finding in findings))
