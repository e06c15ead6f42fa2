"""The report as one JSON document, version 1: the names and shapes are a contract, keys may be added."""

from __future__ import annotations

from advisor import __version__
from advisor.check.speedup_bounds.actions import actions_of
from advisor.model.findings import Report
from advisor.reports.outputs import RenderOptions, RuleCatalogue
from advisor.reports.outputs.interchange.finding_objects import (
    finding_object,
    order_object,
    problem_object,
    summary_object,
)
from advisor.reports.outputs.interchange.fingerprints import fingerprints
from advisor.reports.outputs.interchange.plain import dump
from advisor.reports.outputs.wording.locations import Locations

FOR_MACHINES = True
SHOWS_FIXES = True


def render(report: Report, rules: RuleCatalogue, options: RenderOptions) -> str:  # noqa: ARG001
    """The whole report as a JSON object."""
    locations = Locations(report)
    ranks = _ranks(report)
    content = {
        "version": 1,
        "tool": {"name": "kernel-advisor", "version": __version__},
        "device": report.device,
        "findings": [
            {**finding_object(finding, fingerprint, locations), "rank": ranks[id(finding)]}
            for finding, fingerprint in zip(report.findings, fingerprints(report), strict=True)
        ],
        "orders": [order_object(order, locations) for order in report.orders],
        "errors": [problem_object(problem, locations) for problem in report.problems],
        "undecided": [
            {"rule": entry.rule, "places": entry.places, "needs": entry.needs, "sources": entry.sources}
            for entry in report.undecided
        ],
        "notices": report.notices,
        "summary": summary_object(report),
    }
    return dump(content) + "\n"


def _ranks(report: Report) -> dict[int, int]:
    """The place of each finding in the order of the short report, 1 for what to do first.

    Findings of one remedy in one kernel have the same.
    """
    return {
        id(finding): rank
        for rank, action in enumerate(actions_of(report), start=1)
        for finding in (action.finding, *action.others)
    }
