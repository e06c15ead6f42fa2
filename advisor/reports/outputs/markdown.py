"""The report as GitHub-flavoured Markdown, for job summaries and comments on pull requests."""

from __future__ import annotations

import re
from collections.abc import Sequence

from advisor.model.findings import Finding, Report
from advisor.reports.outputs import RenderOptions, RuleCatalogue
from advisor.reports.outputs.drawing.excerpt import draw_excerpt
from advisor.reports.outputs.drawing.palette import Palette
from advisor.reports.outputs.drawing.paragraphs import one_line
from advisor.reports.outputs.drawing.tables import evidence_rows, title_of
from advisor.reports.outputs.wording.counts import listed, summary_sentences
from advisor.reports.outputs.wording.locations import Locations
from advisor.reports.outputs.wording.places import further_lines

FOR_MACHINES = True
SHOWS_FIXES = False

_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~])")
_CODE = re.compile(r"(`[^`]+`)")
_TICKS = re.compile("`+")


def render(report: Report, rules: RuleCatalogue, options: RenderOptions) -> str:
    """The summary, then a section for each finding, and tables of the problems and of what was undecided."""
    locations = Locations(report)
    blocks = ["# Kernel Advisor", " ".join(map(_escape, summary_sentences(report)))]
    blocks += [
        block for finding in report.findings for block in _section(finding, locations, rules, options.width)
    ]
    for title, checked in (("Not checked", False), ("Checked with less evidence", True)):
        problems = [one for one in report.problems if one.checked == checked]
        rows = [(_code(str(locations.of_problem(one)) or "."), _cell(one.message)) for one in problems]
        blocks += [f"## {title}", _table(("place", "reason"), rows)] if rows else []
    if report.undecided and options.statistics:
        needs = [(_code(item.rule), str(item.places), _codes(item.needs)) for item in report.undecided]
        blocks += ["## Undecided for lack of evidence", _table(("rule", "places", "needs"), needs)]
    blocks += [f"> {_escape(notice)}" for notice in report.notices]
    return "\n\n".join(blocks) + "\n"


def _section(finding: Finding, locations: Locations, rules: RuleCatalogue, width: int) -> list[str]:
    title = _escape(title_of(finding, rules) or finding.rule)
    location = locations.of(finding.path, finding.span)
    lines = locations.lines(finding.path, finding.span)
    kernel = f" in kernel {_code(finding.kernel)}" if finding.kernel else ""
    blocks = [
        f"## {title}",
        f"**{finding.severity}** {_code(finding.rule)} at {_code(str(location))}{kernel}",
    ]
    blocks.append(_escape(finding.message))
    excerpt = draw_excerpt(lines, location.span, width, Palette(color=False), str)
    if excerpt:
        blocks.append(_fenced(excerpt))
    if finding.evidence:
        rows = [
            (_code(metric), _cell(value), _cell(threshold.removeprefix("threshold ")), source)
            for metric, value, threshold, source in evidence_rows(finding.evidence)
        ]
        blocks.append(_table(("metric", "value", "threshold", "evidence"), rows))
    if also := further_lines(finding, locations):
        blocks.append(_escape(also))
    if finding.why:
        blocks.append(f"**Why:** {_escape(finding.why)}")
    if finding.advice:
        blocks.append("**Try:**\n\n" + "\n".join(f"- {_escape(advice)}" for advice in finding.advice))
    if finding.assumptions:
        blocks.append("**Assumed:** " + " ".join(map(_escape, finding.assumptions)))
    if finding.url:
        blocks.append(f"<{one_line(finding.url)}>")
    return blocks


def _fenced(lines: list[str]) -> str:
    longest = max((len(ticks) for line in lines for ticks in _TICKS.findall(line)), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join([f"{fence}text", *lines, fence])


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    written = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in written)


def _escape(text: str) -> str:
    """`text` with its markup made literal, but for what stands between two backticks."""
    parts = _CODE.split(one_line(text))
    return "".join(part if at % 2 else _MARKUP.sub(r"\\\1", part) for at, part in enumerate(parts))


def _cell(text: str) -> str:
    return _escape(text).replace("\\|", "|").replace("|", "\\|")


def _code(text: str) -> str:
    """`text` as inline code, also inside a table."""
    text = one_line(text).replace("|", "\\|")
    ticks = "`" * (max(map(len, _TICKS.findall(text)), default=0) + 1)
    return f"{ticks}{text}{ticks}" if len(ticks) == 1 else f"{ticks} {text} {ticks}"


def _codes(words: tuple[str, ...]) -> str:
    return listed([_code(word) for word in words])
