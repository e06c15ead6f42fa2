"""The report as one JSON document, version 1: the names and shapes are a contract, keys may be added."""

from __future__ import annotations

from advisor import __version__
from advisor.model.findings import Report
from advisor.reports.outputs import RenderOptions, RuleCatalogue
from advisor.reports.outputs.interchange.finding_objects import finding_object, problem_object, summary_object
from advisor.reports.outputs.interchange.fingerprints import fingerprints
from advisor.reports.outputs.interchange.plain import dump
from advisor.reports.outputs.wording.locations import Locations

FOR_MACHINES = True
SHOWS_FIXES = True


def render(report: Report, rules: RuleCatalogue, options: RenderOptions) -> str:  # noqa: ARG001
    """The whole report as a JSON object."""
    locations = Locations(report)
    content = {
        "version": 1,
        "tool": {"name": "kernel-advisor", "version": __version__},
        "device": report.device,
        "findings": [
            finding_object(finding, fingerprint, locations)
            for finding, fingerprint in zip(report.findings, fingerprints(report), strict=True)
        ],
        "errors": [problem_object(problem, locations) for problem in report.problems],
        "undecided": [
            {"rule": entry.rule, "places": entry.places, "needs": entry.needs, "sources": entry.sources}
            for entry in report.undecided
        ],
        "notices": report.notices,
        "summary": summary_object(report),
    }
    return dump(content) + "\n"
