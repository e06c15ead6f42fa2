"""The whole report for people: each finding with its source lines, the numbers behind it, and what to try."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.check.speedup_bounds.actions import Action
from advisor.model.findings import Finding, Problem, Related, Report
from advisor.model.text.visible_text import visible
from advisor.reports.diagnosis.actions_in_words import first_actions, gain_in_words, what_to_do
from advisor.reports.outputs import RenderOptions, RuleCatalogue
from advisor.reports.outputs.drawing.excerpt import draw_excerpt, gutter_width
from advisor.reports.outputs.drawing.palette import Palette
from advisor.reports.outputs.drawing.paragraphs import one_line, paragraph
from advisor.reports.outputs.drawing.tables import columns, evidence_rows, statistics_lines
from advisor.reports.outputs.wording.counts import counted, summary_sentences, undecided_sentence
from advisor.reports.outputs.wording.locations import Location, Locations
from advisor.reports.outputs.wording.places import with_lines_joined

FOR_MACHINES = False
SHOWS_FIXES = True

_LABELS = 8


def render(report: Report, rules: RuleCatalogue, options: RenderOptions) -> str:
    """The report in blocks: findings, problems, notices, statistics when asked for, and the summary."""
    page = _Page(report, rules, options)
    blocks = [page.finding(finding) for finding in report.findings]
    if first := first_actions(report):
        blocks.insert(0, page.first(first))
    blocks += [page.problem(problem) for problem in report.problems]
    if report.notices:
        blocks.append(
            [line for notice in report.notices for line in page.labelled("note", [notice], indent=0)]
        )
    if options.statistics:
        blocks.append(statistics_lines(report, rules, options.width, page.palette))
    if not options.quiet:
        blocks.append(page.summary())
    return "\n\n".join("\n".join(block) for block in blocks) + ("\n" if blocks else "")


class _Page:
    """What all findings of one report are drawn with."""

    def __init__(self, report: Report, rules: RuleCatalogue, options: RenderOptions) -> None:
        self.report = report
        self.rules = rules
        self.width, self.terminal = options.width, options.terminal
        self.statistics = options.statistics
        self.palette = Palette(options.color)
        self.locations = Locations(report)

    def finding(self, finding: Finding) -> list[str]:
        """The block of one finding."""
        mark = self.palette.severity(finding.severity)
        source = self.locations.lines(finding.path, finding.span)
        location = self.locations.of(finding.path, finding.span)
        gutter = gutter_width(min(len(source), location.span.end_line + 1))
        lines = self._head(finding, location, gutter)
        excerpt = draw_excerpt(source, location.span, self.width, self.palette, mark)
        body = [*self._numbers(finding), *self._words(finding)]
        lines += excerpt if body else excerpt[:-1]
        lines += [" " * (gutter + 1) + line for line in body]
        return lines

    def first(self, actions: Sequence[Action]) -> list[str]:
        """What to do first, before all findings."""
        lines = [self.palette.strong(f"Start with these of {counted(len(self.report.findings), 'finding')}:")]
        for at, action in enumerate(actions, start=1):
            finding = action.finding
            place = f"{self.locations.of(finding.path, finding.span)} [{finding.rule}]"
            kernel = f" in {finding.kernel_concerned()}" if finding.kernel_concerned() else ""
            told = visible(one_line(f"{place} {what_to_do(action)}{kernel}: {gain_in_words(action)}."))
            lines += paragraph(told, self.width, f"  {at}. ", "     ")
        return lines

    def problem(self, problem: Problem) -> list[str]:
        """The block of one file or kernel that could not be looked at."""
        head = self.palette.severity("error")("error") + ": "
        first, *rest = paragraph(problem.message, self.width, " " * len("error: "))
        lines = [head + self.palette.strong(first.lstrip()), *map(self.palette.strong, rest)]
        if problem.path:
            place = self.locations.of_problem(problem)
            lines.append(f"  {self.palette.gutter('-->')} {visible(str(place))}")
        return lines

    def labelled(self, label: str, texts: Sequence[str], indent: int = _LABELS) -> list[str]:
        """Paragraphs behind a label; several are numbered."""
        lines: list[str] = []
        name = f"{label}: ".rjust(indent) if indent else f"{label}: "
        for at, text in enumerate(texts, start=1):
            first = name if at == 1 else " " * len(name)
            bullet = f"{at}. " if len(texts) > 1 else ""
            wrapped = paragraph(text, self.width - 4, first + bullet, " " * len(first + bullet))
            if at == 1:
                wrapped[0] = self.palette.strong(name) + wrapped[0][len(name) :]
            lines += wrapped
        return lines

    def summary(self) -> list[str]:
        """The last block."""
        sentences = summary_sentences(self.report)
        if undecided := undecided_sentence(self.report, asked=self.statistics):
            sentences.append(undecided)
        clean = not self.report.findings and not self.report.problems
        paint = self.palette.good if clean else self.palette.strong
        first, *rest = sentences
        return [
            *map(paint, paragraph(first, self.width)),
            *(line for sentence in rest for line in paragraph(sentence, self.width)),
        ]

    def _head(self, finding: Finding, location: Location, gutter: int) -> list[str]:
        mark = self.palette.severity(finding.severity)
        prefix = f"{finding.severity}[{finding.rule}]: "
        first, *rest = paragraph(finding.message, self.width, prefix, "  ")
        name = visible(finding.kernel or "")
        kernel = f" in kernel {self.palette.strong(name)}" if name else ""
        arrow = f"{' ' * gutter}{self.palette.gutter('-->')}"
        place = visible(str(location))
        if self.terminal and name and gutter + len(f"--> {place} in kernel {name}") > self.width:
            kernel = f"\n{' ' * gutter}   {kernel}"
        return [
            mark(prefix[:-2]) + self.palette.strong(first[len(prefix) - 2 :]),
            *map(self.palette.strong, rest),
            f"{arrow} {place}{kernel}",
        ]

    def _numbers(self, finding: Finding) -> list[str]:
        equals = self.palette.gutter("=")
        return [f"{equals} {line}" for line in columns(evidence_rows(finding.evidence))]

    def _words(self, finding: Finding) -> list[str]:
        lines: list[str] = []
        if finding.why:
            lines += self.labelled("why", [finding.why])
        if finding.advice:
            lines += self.labelled("try", finding.advice)
        if finding.fixes:
            lines += self.labelled("fix", [fix.in_words() for fix in finding.fixes])
        if finding.gain:
            lines += self.labelled("gain", [finding.gain.in_words()])
        if finding.effort:
            lines += self.labelled("effort", [finding.effort])
        if finding.assumptions:
            lines += self.labelled("assume", finding.assumptions)
        for related in with_lines_joined(finding.related, self.locations):
            lines += self._related(related)
        if finding.url:
            lines.append(
                self.palette.strong("see: ".rjust(_LABELS)) + self.palette.link(one_line(finding.url))
            )
        return lines

    def _related(self, related: Related) -> list[str]:
        place = visible(str(self.locations.of(related.path, related.span)))
        return self.labelled("also", [f"{place} {related.message}"])
