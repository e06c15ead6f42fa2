"""Findings once for each place: a device function is told about once, whichever kernels call it."""

from __future__ import annotations

from dataclasses import replace

from advisor.findings import Finding, Report

_NAMED = 3


def once_for_each_place(report: Report) -> Report:
    """The report with findings that differ in nothing but the kernel joined into one that names them all."""
    alike: dict[tuple[object, ...], list[Finding]] = {}
    for finding in report.findings:
        key = (finding.rule, finding.path, finding.span, finding.severity, finding.message)
        alike.setdefault(key, []).append(finding)
    if len(alike) == len(report.findings):
        return report
    return replace(report, findings=[_joined(findings) for findings in alike.values()])


def _joined(findings: list[Finding]) -> Finding:
    kernels = list(dict.fromkeys(finding.kernel for finding in findings if finding.kernel))
    if len(kernels) < 2:
        return findings[0]
    more = f" and {len(kernels) - _NAMED} more" if len(kernels) > _NAMED else ""
    return replace(findings[0], kernel=", ".join(kernels[:_NAMED]) + more)
