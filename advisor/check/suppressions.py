"""Comments that silence a rule: `# advisor: ignore[rule-id] reason`, for a line, a block or a file."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from advisor.model.findings import Finding, Report
from advisor.model.settings.check_options import CheckOptions
from advisor.model.settings.selectors import matches, suggestion
from advisor.model.suppression_rules import load_suppression_rules
from advisor.model.text.logical_lines import Comment, LogicalLines, read_logical_lines
from advisor.model.text.source_text import SourceText, Span
from advisor.program.syntax.module import readable_source

DIRECTIVES = ("ignore", "ignore-block", "ignore-file")

_MARK = "advisor:"
# An editor without places to fill in leaves such a note where the reason belongs.
NO_REASON_YET = "TODO"
_COMMENT = re.compile(r"#\s*advisor:\s*(?P<word>[\w-]+)\s*(?:\[(?P<rules>[^\]#]*)\])?(?P<reason>[^#]*)")


@dataclass(frozen=True, slots=True)
class Suppression:
    """One rule silenced on the lines `first` to `last`; `span` is the comment's place."""

    rule: str
    scope: Literal["ignore", "ignore-block", "ignore-file"]
    span: Span
    first: int
    last: int
    reason: str

    def covers(self, finding: Finding) -> bool:
        """Whether the finding is of this rule and stands, at least in part, on the silenced lines."""
        return self.silences(finding.rule, finding.span)

    def silences(self, rule: str, span: Span) -> bool:
        """Whether a finding of a rule at a place would be silenced."""
        end = span.end_line - (span.end_line > span.line and span.end_column <= 1)
        return rule == self.rule and span.line <= self.last and end >= self.first


@dataclass(frozen=True, slots=True)
class Suppressions:
    """The suppressions of one file, and the findings about comments that say nothing that can be followed."""

    path: str
    items: tuple[Suppression, ...] = ()
    remarks: tuple[Finding, ...] = ()


class Applied(NamedTuple):
    """Findings after suppression: those that stay, those silenced, and findings about the suppressions."""

    kept: list[Finding]
    suppressed: list[Finding]
    remarks: list[Finding]


def suppress(report: Report, rules: Collection[str], selected: frozenset[str], options: CheckOptions) -> None:
    """Take out of a report what comments or the configuration silence, and add remarks on such comments.

    `rules` are all rule ids, `selected` those that were judged.
    """
    by_path = {
        path: parse_suppressions(_readable(report, path, text), rules)
        for path, text in report.texts.items()
        if _MARK in text
    }
    undecided = {item.rule for item in report.undecided}
    applied = apply_suppressions(report.findings, by_path, selected - undecided)
    remarks = [remark for remark in applied.remarks if remark.rule in selected]
    # A comment that silences what the configuration would drop too is of use, so the comments come first.
    report.findings = list(_not_ignored_here([*applied.kept, *remarks], options))
    accepted = report.summary.get("suppressed", 0)
    report.summary["suppressed"] = len(applied.suppressed) + int(str(accepted))


def parse_suppressions(text: SourceText, known_rules: Collection[str]) -> Suppressions:
    """The suppressions in the comments of `text`. `known_rules` are all rule ids, selected or not."""
    if _MARK not in text.text:
        return Suppressions(text.path)
    lines = read_logical_lines(text)
    known = {*known_rules, *load_suppression_rules()}
    items: list[Suppression] = []
    remarks: list[Finding] = []
    for comment in lines.comments:
        for found in _COMMENT.finditer(comment.text):
            _read_directive(text.path, lines, comment, found, known, items, remarks)
    return Suppressions(text.path, tuple(items), tuple(remarks))


def apply_suppressions(
    findings: Iterable[Finding],
    by_path: Mapping[str, Suppressions],
    evaluated: Collection[str],
) -> Applied:
    """What stays of `findings`, what is silenced, and findings about the suppressions themselves.

    `evaluated` are the rules that this run selected and could decide at every place: only a suppression of
    one of these can be called unused. Findings about suppressions can be suppressed in their turn.
    """
    meta = load_suppression_rules()
    kept: list[Finding] = []
    suppressed: list[Finding] = []
    used: set[tuple[str, Suppression]] = set()
    _sort_out(findings, by_path, kept, suppressed, used)
    remarks = [remark for suppressions in by_path.values() for remark in suppressions.remarks]
    remarks += _unused(by_path, used, {rule for rule in evaluated if rule not in meta})
    open_remarks: list[Finding] = []
    _sort_out(remarks, by_path, open_remarks, suppressed, used)
    open_remarks += _unused(by_path, used, {rule for rule in evaluated if rule in meta})
    return Applied(kept, suppressed, open_remarks)


def _not_ignored_here(findings: Iterable[Finding], options: CheckOptions) -> Iterable[Finding]:
    ignored: dict[str, tuple[str, ...]] = {}
    for finding in findings:
        if finding.path not in ignored:
            ignored[finding.path] = options.settings.ignored_in(options.root / finding.path)
        if not any(matches(selector, finding.rule, finding.category) for selector in ignored[finding.path]):
            yield finding


def _readable(report: Report, path: str, text: str) -> SourceText:
    source = SourceText(path, text)
    return readable_source(source)[0] if path in report.unread else source


def _sort_out(
    findings: Iterable[Finding],
    by_path: Mapping[str, Suppressions],
    kept: list[Finding],
    suppressed: list[Finding],
    used: set[tuple[str, Suppression]],
) -> None:
    for finding in findings:
        suppressions = by_path.get(finding.path)
        covering = [item for item in suppressions.items if item.covers(finding)] if suppressions else []
        used.update((finding.path, item) for item in covering)
        (suppressed if covering else kept).append(finding)


def _unused(
    by_path: Mapping[str, Suppressions], used: set[tuple[str, Suppression]], evaluated: Collection[str]
) -> list[Finding]:
    rule = load_suppression_rules()["unused-suppression"]
    return [
        rule.finding(path, item.span, rule=item.rule)
        for path, suppressions in by_path.items()
        for item in suppressions.items
        if item.rule in evaluated and (path, item) not in used
    ]


def _read_directive(
    path: str,
    lines: LogicalLines,
    comment: Comment,
    found: re.Match[str],
    known: Collection[str],
    items: list[Suppression],
    remarks: list[Finding],
) -> None:
    word, listed, reason = found["word"], found["rules"], found["reason"].strip(" \t:-–—")
    start = comment.column + found.start()
    span = Span(comment.line, start, comment.line, start + len(found[0].rstrip()))
    names = [name.strip() for name in (listed or "").split(",") if name.strip()]
    cause = _fault(word, names, lines, comment)
    if cause:
        remarks.append(load_suppression_rules()["unknown-suppression"].finding(path, span, cause=cause))
    if cause or word not in DIRECTIVES:
        return
    first, last = _reach(word, lines, comment)
    for name in dict.fromkeys(names):
        if name in known:
            items.append(Suppression(name, word, span, first, last, reason))  # type: ignore[arg-type]
            continue
        cause = f"there is no rule `{name}`.{suggestion(name, known)}"
        remarks.append(load_suppression_rules()["unknown-suppression"].finding(path, span, cause=cause))
    if not reason or reason.startswith(NO_REASON_YET):
        shown = ", ".join(f"`{name}`" for name in names)
        remarks.append(
            load_suppression_rules()["suppression-without-reason"].finding(path, span, rules=shown)
        )


def _fault(word: str, names: list[str], lines: LogicalLines, comment: Comment) -> str:
    if word not in DIRECTIVES:
        hint = suggestion(word, DIRECTIVES)
        return f"`{word}` is not known.{hint}" if hint else ""
    if not names:
        return "it names no rule."
    if word == "ignore-file" and not (comment.alone and comment.line <= lines.first_statement):
        return "`ignore-file` must stand on a line of its own before the file's first statement."
    if word == "ignore-block" and not comment.alone:
        return "`ignore-block` must stand on a line of its own, before the block."
    return ""


def _reach(word: str, lines: LogicalLines, comment: Comment) -> tuple[int, int]:
    if word == "ignore-file":
        return 1, lines.last_line
    if word == "ignore-block":
        return lines.block_after(comment)
    return lines.statement_after(comment) if comment.alone else lines.lines_beside(comment)
