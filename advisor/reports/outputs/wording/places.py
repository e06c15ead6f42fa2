"""Findings once for each place: a device function is told about once, whichever kernels call it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from advisor.model.findings import HERE_TOO, Finding, Related, Report
from advisor.reports.outputs.wording.locations import Locations

_NAMED = 3
_LINES = 8


def once_for_each_place(report: Report) -> Report:
    """The report with findings that differ in nothing but the kernel joined into one that names them all.

    What is known of these kernels goes for their names together: their shares add up, and the largest of
    their headrooms bounds the gain.
    """
    alike: dict[tuple[object, ...], list[Finding]] = {}
    for finding in report.findings:
        key = (finding.rule, finding.path, finding.span, finding.severity, finding.message)
        alike.setdefault(key, []).append(finding)
    if len(alike) == len(report.findings):
        return report
    shares, headroom = dict(report.shares), dict(report.headroom)
    for group in alike.values():
        kernels = {finding.kernel_concerned() for finding in group}
        name, rule = _joined(group).kernel_concerned(), group[0].rule
        if name not in kernels and kernels <= report.shares.keys():
            shares[name] = sum(report.shares[one] for one in kernels)
        known = [report.headroom[rule, one] for one in kernels if (rule, one) in report.headroom]
        if name not in kernels and len(known) == len(kernels):
            headroom[rule, name] = max(known)
    findings = [_joined(group) for group in alike.values()]
    return replace(report, findings=findings, shares=shares, headroom=headroom)


def told_together(findings: Sequence[Finding]) -> list[Finding]:
    """Findings that say the same of several lines of a kernel, joined into the first with the other lines."""
    alike: dict[tuple[object, ...], list[Finding]] = {}
    for finding in findings:
        key = (finding.rule, finding.path, finding.kernel, finding.severity, finding.message)
        alike.setdefault(key, []).append(finding)
    return [_with_other_lines(group) for group in alike.values()]


def with_lines_joined(related: Sequence[Related], locations: Locations) -> list[Related]:
    """Related places, those that only say where else a finding holds joined into one that names the lines."""
    too = [one for one in related if one.message == HERE_TOO]
    others = [one for one in related if one.message != HERE_TOO]
    return [*others, _joined_lines(too, locations)] if too else others


def _with_other_lines(group: list[Finding]) -> Finding:
    first, *others = group
    if not others:
        return first
    places = [Related(other.path, other.span, HERE_TOO) for other in others]
    places += [place for one in group for place in one.related if place.message == HERE_TOO]
    kept = [place for place in first.related if place.message != HERE_TOO]
    return replace(first, related=(*kept, *places))


def _joined_lines(places: Sequence[Related], locations: Locations) -> Related:
    lines = list(dict.fromkeys(locations.of(place.path, place.span).line for place in places))
    shown = ", ".join(lines[:_LINES]) + (f" and {len(lines) - _LINES} more" if len(lines) > _LINES else "")
    noun = "line" if len(lines) == 1 else "lines"
    return Related(places[0].path, places[0].span, f"the same in {noun} {shown}")


def _joined(findings: list[Finding]) -> Finding:
    kernels = list(dict.fromkeys(finding.kernel for finding in findings if finding.kernel))
    if len(kernels) < 2:
        return findings[0]
    more = f" and {len(kernels) - _NAMED} more" if len(kernels) > _NAMED else ""
    return replace(findings[0], kernel=", ".join(kernels[:_NAMED]) + more)
