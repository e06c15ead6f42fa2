"""The places of findings: a device function's once, whichever kernels call it; many of one in few words."""

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
        places = tuple((one.path, one.span) for one in finding.further_places)
        key = (finding.rule, finding.path, finding.span, finding.severity, finding.message, places)
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


def with_lines_joined(related: Sequence[Related], locations: Locations) -> list[Related]:
    """Related places, those of which nothing of their own is said joined into one that names the lines.

    Of further places with a message of their own the first few are kept, the others joined.
    """
    too = [one for one in related if one.same_cause and one.message == HERE_TOO]
    own = [one for one in related if one.same_cause and one.message != HERE_TOO]
    others = [one for one in related if not one.same_cause]
    found = [*others, *own[:_LINES]]
    if too:
        lines = _lines(too, locations)
        found.append(Related(too[0].path, too[0].span, f"the same in {lines}"))
    if rest := own[_LINES:]:
        found.append(Related(rest[0].path, rest[0].span, f"similar in {_lines(rest, locations)}"))
    return found


def further_lines(finding: Finding, locations: Locations) -> str:
    """Where else the finding holds, as a sentence; empty where it has one place."""
    places = finding.further_places
    return f"Also in {_lines(places, locations)}." if places else ""


def _lines(places: Sequence[Related], locations: Locations) -> str:
    lines = list(dict.fromkeys(locations.of(place.path, place.span).line for place in places))
    shown = ", ".join(lines[:_LINES]) + (f" and {len(lines) - _LINES} more" if len(lines) > _LINES else "")
    return f"{'line' if len(lines) == 1 else 'lines'} {shown}"


def _joined(findings: list[Finding]) -> Finding:
    kernels = list(dict.fromkeys(finding.kernel for finding in findings if finding.kernel))
    if len(kernels) < 2:
        return findings[0]
    more = f" and {len(kernels) - _NAMED} more" if len(kernels) > _NAMED else ""
    return replace(findings[0], kernel=", ".join(kernels[:_NAMED]) + more)
