"""The report for people who want to know what to do: what matters most, and how much is left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from advisor.check.speedup_bounds.actions import Action
from advisor.model.findings import Finding, Problem, Report, share_in_words
from advisor.model.text.visible_text import visible
from advisor.reports.outputs import RenderOptions, RuleCatalogue
from advisor.reports.outputs.drawing.cause_block import CauseBlocks
from advisor.reports.outputs.drawing.palette import Palette
from advisor.reports.outputs.drawing.paragraphs import paragraph, paragraph_within
from advisor.reports.outputs.drawing.tables import statistics_lines
from advisor.reports.outputs.wording.counts import (
    counted,
    listed,
    problem_name,
    severities_in_words,
    summary_sentences,
    undecided_sentence,
)
from advisor.reports.outputs.wording.locations import Locations
from advisor.reports.outputs.wording.shown_causes import Owner, amounts, owner_of, shown_causes

FOR_MACHINES = False
SHOWS_FIXES = True

_EVERYTHING = "advisor check --all"


def render(report: Report, rules: RuleCatalogue, options: RenderOptions) -> str:
    """The causes by kernel, problems, notices, statistics when asked for, and the summary."""
    page = _Page(report, options)
    shown = shown_causes(report, options.causes or amounts().causes)
    blocks = [page.kernel(owner, actions) for owner, actions in shown.in_full]
    blocks.append(page.in_lines(shown.in_a_line))
    blocks.append(page.problems())
    blocks.append(page.notices())
    if options.statistics:
        blocks.append(statistics_lines(report, rules, options.width, page.palette))
    blocks.append(page.closing(shown.left_out))
    kept = [block for block in blocks if block]
    return "\n\n".join("\n".join(block) for block in kept) + ("\n" if kept else "")


class _Page:
    """What the parts of one report are drawn with."""

    def __init__(self, report: Report, options: RenderOptions) -> None:
        self.report, self.options, self.width = report, options, options.width
        self.palette, self.locations = Palette(options.color), Locations(report)
        self.causes = CauseBlocks(self.locations, self.palette, self.width, amounts(), options.terminal)

    def kernel(self, owner: Owner, actions: Sequence[Action]) -> list[str]:
        """The heading of a kernel and its causes."""
        heading = map(self.palette.gutter, paragraph(self._heading(owner), self.width, rest="  "))
        return [*heading, *(line for one in actions for line in self.causes.in_full(one))]

    def in_lines(self, actions: Sequence[Action]) -> list[str]:
        """A line for each of some causes."""
        return [line for one in actions for line in self.causes.in_a_line(one)]

    def problems(self) -> list[str]:
        """The first files and kernels that could not be looked at, before those that lack evidence alone."""
        problems = sorted(self.report.problems, key=lambda one: one.checked)
        most = amounts().problems
        lines = [line for one in problems[:most] for line in self._problem(one)]
        if len(problems) > most:
            lines.append(f"{counted(len(problems) - most, 'more problem')}: {_EVERYTHING}")
        return lines

    def notices(self) -> list[str]:
        """The notices as one paragraph, as many of the first as it has room for."""
        notices = self.report.notices
        for count in range(len(notices), 0, -1):
            rest = [f"{counted(len(notices) - count, 'more note')}: {_EVERYTHING}"] * (count < len(notices))
            lines = self._note(" ".join([*notices[:count], *rest]), amounts().lines_of_notices + 1)
            if len(lines) <= amounts().lines_of_notices:
                return lines
        return self._note(notices[0], amounts().lines_of_notices) if notices else []

    def closing(self, left_out: Sequence[Finding]) -> list[str]:
        """How much is left out, and around it the counts of the report."""
        more = [_left_out(left_out)] if left_out else []
        if self.options.quiet:
            return more
        found, *others = summary_sentences(self.report)
        if undecided := undecided_sentence(self.report, asked=self.options.statistics):
            others.append(undecided)
        clean = not self.report.findings and not self.report.problems
        paint = self.palette.good if clean else self.palette.strong
        rest = [line for sentence in (*more, *others) for line in paragraph(sentence, self.width)]
        return [*map(paint, paragraph(found, self.width)), *rest]

    def _heading(self, owner: Owner) -> str:
        path = visible(owner.path)
        if not owner.kernel:
            return f"host code, {path}"
        share = self.report.shares.get(owner.kernel)
        part = "" if share is None else f", {share_in_words(share)} of the time of all kernels"
        noun = "kernels" if ", " in owner.kernel else "kernel"
        return f"{noun} {visible(owner.kernel)}, {path}{part}"

    def _problem(self, problem: Problem) -> list[str]:
        place = visible(str(self.locations.of_problem(replace(problem, path=problem.path or "."))))
        what = f"error[{problem_name(problem)}]"
        first, *rest = paragraph_within(
            f"{place} {what} {problem.message}", self.width, amounts().lines_of_problem, rest="  "
        )
        paint = self.palette.severity("error")
        return [first.replace(place, self.palette.strong(place), 1).replace(what, paint(what), 1), *rest]

    def _note(self, text: str, most: int) -> list[str]:
        first, *rest = paragraph_within(text, self.width, most, "note: ")
        return [self.palette.strong("note: ") + first[len("note: ") :], *rest]


def _left_out(findings: Sequence[Finding]) -> str:
    owners = {owner_of(one) for one in findings}
    kernels = sum(bool(one.kernel) for one in owners)
    where = [counted(kernels, "kernel")] if kernels else []
    where += ["host code"] if kernels < len(owners) else []
    severities = severities_in_words(findings)
    if " and " not in severities:
        return f"{severities.replace(' ', ' more ', 1)} in {listed(where)}: {_EVERYTHING}"
    return f"{len(findings):,} more findings in {listed(where)} ({severities}): {_EVERYTHING}"
