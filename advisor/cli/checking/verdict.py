"""The exit status of a check."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.cli.checking.request import Request
from advisor.findings import SEVERITIES, Finding, Report


def exit_status(request: Request, report: Report, findings: Sequence[Finding]) -> int:
    """2 when nothing could be checked, 1 when one of `findings` is at or above the fail level, else 0."""
    if nothing_was_checked(request, report):
        return 2
    floor = SEVERITIES.index(request.fail_level)
    return int(any(SEVERITIES.index(finding.severity) >= floor for finding in findings))


def nothing_was_checked(request: Request, report: Report) -> bool:
    """Whether there was something to check and all of it failed."""
    if not request.checked_paths():
        return bool(request.problems)
    failed = {problem.path for problem in report.problems}
    # A kernel that does not compile is a problem too; its file was read, so its kernels are counted.
    return report.summary.get("kernels") == 0 and request.checked_paths() <= failed
