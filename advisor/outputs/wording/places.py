"""Findings once for each place: a device function is told about once, whichever kernels call it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from advisor.findings import Finding, Related, Report
from advisor.outputs.wording.locations import Locations

_NAMED = 3
_LINES = 8


def once_for_each_place(report: Report) -> Report:
    """The report with findings that differ in nothing but the kernel joined into one that names them all."""
    alike: dict[tuple[object, ...], list[Finding]] = {}
    for finding in report.findings:
        key = (finding.rule, finding.path, finding.span, finding.severity, finding.message)
        alike.setdefault(key, []).append(finding)
    if len(alike) == len(report.findings):
        return report
    return replace(report, findings=[_joined(findings) for findings in alike.values()])


def told_together(findings: Sequence[Finding], locations: Locations) -> list[Finding]:
    """Findings that say the same of several lines of a kernel, joined into the first with the other lines."""
    alike: dict[tuple[object, ...], list[Finding]] = {}
    for finding in findings:
        key = (finding.rule, finding.path, finding.kernel, finding.severity, finding.message)
        alike.setdefault(key, []).append(finding)
    return [_with_other_lines(group, locations) for group in alike.values()]


def _with_other_lines(group: list[Finding], locations: Locations) -> Finding:
    first, *others = group
    if not others:
        return first
    lines = list(dict.fromkeys(locations.of(other.path, other.span).line for other in others))
    shown = ", ".join(lines[:_LINES]) + (f" and {len(lines) - _LINES} more" if len(lines) > _LINES else "")
    noun = "line" if len(lines) == 1 else "lines"
    place = Related(others[0].path, others[0].span, f"the same in {noun} {shown}")
    return replace(first, related=(*first.related, place))


def _joined(findings: list[Finding]) -> Finding:
    kernels = list(dict.fromkeys(finding.kernel for finding in findings if finding.kernel))
    if len(kernels) < 2:
        return findings[0]
    more = f" and {len(kernels) - _NAMED} more" if len(kernels) > _NAMED else ""
    return replace(findings[0], kernel=", ".join(kernels[:_NAMED]) + more)
