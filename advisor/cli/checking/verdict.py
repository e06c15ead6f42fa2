"""The exit status of a check."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.cli.checking.request import Request
from advisor.model.findings import SEVERITIES, Finding, Report, Severity


def exit_status(request: Request, report: Report, findings: Sequence[Finding]) -> int:
    """2 when not all could be checked, 1 when one of `findings` is at or above the fail level, else 0."""
    return status_of(report, findings, request.fail_level)


def status_of(report: Report, findings: Sequence[Finding], fail_level: Severity | None) -> int:
    """The same for a fail level; None for none."""
    if not report.checked_everything:
        return 2
    if fail_level is None:
        return 0
    floor = SEVERITIES.index(fail_level)
    return int(any(SEVERITIES.index(finding.severity) >= floor for finding in findings))
