"""One line for each finding: `path:line:column: severity rule message`, for terminals and editors' lists."""

from __future__ import annotations

from dataclasses import replace

from advisor.model.findings import Report
from advisor.model.text.visible_text import visible
from advisor.reports.outputs import RenderOptions, RuleCatalogue
from advisor.reports.outputs.drawing.palette import Palette
from advisor.reports.outputs.drawing.paragraphs import one_line
from advisor.reports.outputs.drawing.tables import statistics_lines
from advisor.reports.outputs.wording.counts import problem_name, summary_sentences
from advisor.reports.outputs.wording.locations import Location, Locations
from advisor.reports.outputs.wording.places import further_lines

FOR_MACHINES = False
SHOWS_FIXES = False


def render(report: Report, rules: RuleCatalogue, options: RenderOptions) -> str:
    """A line for each problem and each finding of `report`, then the summary on one line."""
    palette, locations = Palette(options.color), Locations(report)
    lines = [
        f"{_place(palette, locations.of_problem(replace(problem, path=problem.path or '.')))} "
        f"{palette.severity('error')('error')} {problem_name(problem)} {one_line(problem.message)}"
        for problem in report.problems
    ]
    for finding in report.findings:
        place = _place(palette, locations.of(finding.path, finding.span))
        severity = palette.severity(finding.severity)(finding.severity)
        told = " ".join(filter(None, (one_line(finding.message), further_lines(finding, locations))))
        lines.append(f"{place} {severity} {finding.rule} {told}")
    lines += [f"note: {one_line(notice)}" for notice in report.notices]
    if options.statistics:
        lines += ["", *statistics_lines(report, rules, options.width, palette), ""]
    if not options.quiet:
        lines.append(" ".join(summary_sentences(report)))
    return "".join(f"{line}\n" for line in lines)


def _place(palette: Palette, location: Location) -> str:
    holder = palette.strong(visible(location.holder))
    return f"{holder}:{location.span.line}:{location.span.column}:" if location.span.line else f"{holder}:"
