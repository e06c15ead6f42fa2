"""Tables in plain text: the evidence of a finding, and the statistics of a report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from advisor.model.findings import Evidence, Finding, Report, Severity
from advisor.reports.outputs import RuleCatalogue
from advisor.reports.outputs.drawing.palette import Palette
from advisor.reports.outputs.drawing.paragraphs import one_line, paragraph
from advisor.reports.outputs.wording.counts import counted, listed
from advisor.reports.outputs.wording.quantities import quantity


def columns(rows: Sequence[Sequence[str]], right: Iterable[int] = ()) -> list[str]:
    """The rows with their cells in columns two blanks apart; the columns in `right` are flush right."""
    if not rows:
        return []
    flush = set(right)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if at in flush else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def evidence_rows(evidence: Sequence[Evidence]) -> list[tuple[str, str, str, str]]:
    """For each number of a finding its metric, its value, its threshold and where it comes from."""
    return [
        (
            item.metric,
            one_line(item.text or quantity(item.value, item.unit)),
            "" if item.threshold is None else f"threshold {one_line(quantity(item.threshold, item.unit))}",
            item.source,
        )
        for item in evidence
    ]


def statistics_lines(report: Report, rules: RuleCatalogue, width: int, palette: Palette) -> list[str]:
    """How often each rule fired, the most frequent first, then the rules that were undecided and why."""
    lines: list[str] = []
    if report.findings:
        lines += [palette.strong("Findings by rule"), *_by_rule(report, rules, width)]
    if report.undecided:
        lines += [""] * bool(lines) + [palette.strong("Undecided for lack of evidence")]
        lines += _undecided(report, width, palette)
    return lines or ["No rule fired, and every rule was decided."]


def title_of(finding: Finding, rules: RuleCatalogue) -> str:
    """The title of the finding's rule, empty when nobody knows it."""
    known = rules.get(finding.rule)
    return one_line(finding.title or (known.title if known else ""))


def _by_rule(report: Report, rules: RuleCatalogue, width: int) -> list[str]:
    found: Counter[tuple[str, Severity]] = Counter()
    titles: dict[str, str] = {}
    for finding in report.findings:
        found[finding.rule, finding.severity] += 1
        titles.setdefault(finding.rule, title_of(finding, rules))
    rows = [
        (f"{count:,}", severity, rule, titles[rule])
        for (rule, severity), count in sorted(found.items(), key=lambda item: (-item[1], item[0]))
    ]
    return [line[: max(width, 40)].rstrip() for line in columns(rows, right=[0])]


def _undecided(report: Report, width: int, palette: Palette) -> list[str]:
    lines: list[str] = []
    for entry in sorted(report.undecided, key=lambda entry: (-entry.places, entry.rule)):
        places = palette.faint(f"at {counted(entry.places, 'place')}")
        lines.append(f"{entry.rule}  {places}")
        sources = f" (from {_any_of(entry.sources)} evidence)" if entry.sources else ""
        lines += paragraph(f"needs {listed(entry.needs)}{sources}", width, "    ")
    return lines


def _any_of(words: Sequence[str]) -> str:
    return " or ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)
