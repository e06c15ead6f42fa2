"""One JSON object on each line: the findings, the problems, the notices, told apart by their `type`."""

from __future__ import annotations

from advisor.model.findings import Report
from advisor.reports.outputs import RenderOptions, RuleCatalogue
from advisor.reports.outputs.interchange.finding_objects import finding_object, problem_object, summary_object
from advisor.reports.outputs.interchange.fingerprints import fingerprints
from advisor.reports.outputs.interchange.plain import dump
from advisor.reports.outputs.wording.locations import Locations

FOR_MACHINES = True
SHOWS_FIXES = True


def render(report: Report, rules: RuleCatalogue, options: RenderOptions) -> str:  # noqa: ARG001
    """A line of type `finding` for each finding, `error` for each problem, `notice` for each notice, last a
    `summary`.
    """
    locations = Locations(report)
    rows: list[dict[str, object]] = [
        {"type": "finding"} | finding_object(finding, fingerprint, locations)
        for finding, fingerprint in zip(report.findings, fingerprints(report), strict=True)
    ]
    rows += [{"type": "error"} | problem_object(problem, locations) for problem in report.problems]
    rows += [{"type": "notice", "message": notice} for notice in report.notices]
    rows.append({"type": "summary", "version": 1, "device": report.device} | summary_object(report))
    return "".join(dump(row, indent=None) + "\n" for row in rows)
