"""What could not be checked, on standard error, for commands whose output has no place for it."""

from __future__ import annotations

from advisor.cli.checking.telling import tell
from advisor.model.findings import Report
from advisor.reports.outputs.wording.locations import Locations


def print_problems(report: Report) -> None:
    """Write a line for each problem of the report to standard error."""
    locations = Locations(report)
    for problem in report.problems:
        word = "note" if problem.checked else "error"
        place = f"{locations.of_problem(problem)}: " if problem.path else ""
        tell(f"advisor: {word}: {place}{problem.message}")
