"""The one place that knows the order: source, evidence, metrics, rules, findings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from advisor.check.gathering import Evidence, Typing, gather_evidence, tables_of, told_of
from advisor.check.inputs import Workplace, workplace_of
from advisor.check.renamed_rules import with_todays_names
from advisor.check.report_cache import ReportCache
from advisor.check.rulebook_problems import deprecated_rules, empty_packs, ended_overrides, knowledge_problems
from advisor.check.speedup_bounds.bound import rooms
from advisor.check.speedup_bounds.shares import time_shares
from advisor.check.steps import USUAL, Means
from advisor.check.suppressions import apply_suppressions, parse_suppressions
from advisor.evidence.metrics.tables import Tables
from advisor.evidence.source.survey import KERNEL_ENTITIES, Survey
from advisor.fixes import with_fixes
from advisor.fixes.proofs import with_proofs
from advisor.model.devices import Device, find_device
from advisor.model.findings import SEVERITIES, Finding, Report, once_for_each_kernel, without_repetitions
from advisor.model.gc_paused import collector_at_rest
from advisor.model.records import Record
from advisor.model.settings.check_options import CheckOptions, Progress
from advisor.model.settings.selectors import check_selectors, matches, select_rules
from advisor.model.suppression_rules import load_meta_rules
from advisor.model.text.notebooks import is_notebook
from advisor.model.text.source_text import SourceText
from advisor.program.syntax.module import readable_source
from advisor.rules import Rulebook, RuleSettings


@dataclass(frozen=True)
class Checked:
    """A report, the tables of what its findings rest on, and the texts of all files that were looked at.

    Where a kept report was found there are neither tables nor texts. Fixes that are written later need both.
    """

    report: Report
    tables: Tables | None
    texts: Mapping[str, str] = field(default_factory=dict)


def check(files: Sequence[Path], options: CheckOptions, progress: Progress | None = None) -> Report:
    """The report on `files`, as `check_with_tables` makes it."""
    return check_with_tables(files, options, progress).report


def check_with_tables(
    files: Sequence[Path], options: CheckOptions, progress: Progress | None = None, means: Means = USUAL
) -> Checked:
    """The report on `files`: findings in order of path and line, problems, and what stayed undecided.

    Rules that do not load are problems of the report. Raises UsageError for unknown devices and rules; a
    `strict` check raises RuleErrors for a rule that does not load.
    """
    device = find_device(options.device)
    rulebook = means.rulebook(options.settings, options.strict)
    options, notices = with_todays_names(options, rulebook)
    selected = selected_rules(rulebook, options)
    workplace = workplace_of(files, options)
    kept = _kept_reports(workplace, selected, options, rulebook)
    report, tables = kept.load() if kept else None, None
    texts: dict[str, str] = {}
    if report is None:
        with collector_at_rest():
            found = means.survey(workplace, options, progress)
            report, tables = _report(found, workplace, device, rulebook, selected, options, progress, means)
        texts = found.texts
        report.notices += notices
        report.summary["files"] = len(files) + (options.stdin is not None)
        if kept:
            kept.store(report, found.read - {str(file) for file in workplace.every})
    if options.proofs:
        report.findings = with_proofs(report.findings, report.texts, options.settings.root, device.id)
    return Checked(report, tables, texts)


def _kept_reports(
    workplace: Workplace, selected: frozenset[str], options: CheckOptions, rulebook: Rulebook
) -> ReportCache | None:
    """The kept reports, for source evidence only: what else a report rests on is kept where it is made."""
    if options.cache_folder is None or options.stdin is not None or options.evidence != "source":
        return None
    if options.settings.metric_providers:
        return None
    changes = (*rulebook.overrides, *rulebook.suppressions, *options.settings.overrides)
    ends = any(getattr(one, "until", "") for one in changes)
    day = date.today() if ends else None
    decisive = (options.device, sorted(selected), options.settings, options.fixes, day)
    packs = [Path(pack.folder) for pack in rulebook.packs]
    return ReportCache(options.cache_folder, options.root, workplace.every, packs, decisive)


def _report(
    found: Survey,
    workplace: Workplace,
    device: Device,
    rulebook: Rulebook,
    selected: frozenset[str],
    options: CheckOptions,
    progress: Progress | None,
    means: Means,
) -> tuple[Report, Tables]:
    report = _report_of(found, device)
    _report_unrecognised(found, report)
    evidence = gather_evidence(found, workplace, device, rulebook, options, report, progress, means)
    tables = evidence.tables
    _judge(evidence, rulebook, selected, device, options, report, means)
    _leave_out_unread(report)
    _suppress(report, rulebook, selected, options)
    report.problems += knowledge_problems(rulebook, options.root)
    report.problems += empty_packs(options.settings, options.root)
    report.findings += ended_overrides(rulebook, options.settings, selected, options.root)
    report.notices += deprecated_rules(rulebook, report.findings)
    report.findings.sort(key=_position)
    report.shares, report.room = time_shares(tables), rooms(tables, device, report.findings)
    report.summary = _summary(report, tables)
    if options.fixes:
        report.findings = with_fixes(report.findings, report.texts, tables, report.unread)
    shown = {path for finding in report.findings for path in finding.paths()}
    shown.update(filter(is_notebook, report.texts))
    report.texts = {path: text for path, text in report.texts.items() if path in shown}
    return report, tables


def _report_unrecognised(found: Survey, report: Report) -> None:
    """Add a notice for each file with `cuda.jit` that no kernel was recognised from.

    Without any kernel at all it is a problem, for then nothing was checked.
    """
    report.unrecognised = list(found.unrecognised)
    kernels = any(record.entity in KERNEL_ENTITIES for record in found.records)
    for one in found.unrecognised:
        if kernels:
            report.notices.append(one.as_notice())
        else:
            report.problems.append(one.as_problem())


def gather(
    files: Sequence[Path], options: CheckOptions, progress: Progress | None = None, means: Means = USUAL
) -> tuple[Tables, Rulebook, Report]:
    """All that is known of the kernels in `files`, the rulebook, and a report of problems and notices."""
    device = find_device(options.device)
    rulebook = means.rulebook(options.settings, options.strict)
    workplace = workplace_of(files, options)
    with collector_at_rest():
        found = means.survey(workplace, options, progress)
        report = _report_of(found, device)
        _report_unrecognised(found, report)
        evidence = gather_evidence(found, workplace, device, rulebook, options, report, progress, means)
    return evidence.tables, rulebook, report


def report_on(
    records: Iterable[Record],
    looked_for: Iterable[str],
    options: CheckOptions,
    texts: Mapping[str, str],
    means: Means = USUAL,
) -> Report:
    """The report on records that were had in another way than by a check: judged and suppressed as its are.

    `texts` are those of the files that the records lie in, `looked_for` the entities that were searched for.
    """
    device = find_device(options.device)
    rulebook = means.rulebook(options.settings, options.strict)
    options, notices = with_todays_names(options, rulebook)
    selected = selected_rules(rulebook, options)
    report = Report(device.name, texts=dict(texts), notices=list(notices))
    tables = tables_of([*records, device.record()], device, rulebook, looked_for)
    _judge(Evidence((Typing(tables, {}),)), rulebook, selected, device, options, report, means)
    _suppress(report, rulebook, selected, options)
    report.problems += knowledge_problems(rulebook, options.root)
    report.problems += empty_packs(options.settings, options.root)
    report.findings.sort(key=_position)
    report.summary = _summary(report, tables)
    return report


def _report_of(found: Survey, device: Device) -> Report:
    """A report with nothing but what the survey could not read."""
    problems, texts = list(found.problems), dict(found.texts)
    return Report(device.name, problems=problems, texts=texts, unread=dict(found.unread))


def _leave_out_unread(report: Report) -> None:
    """Drops what is said of functions of which a part could not be read: it may come of what is missing."""
    unread = report.unread
    report.findings = [
        one for one in report.findings if one.span.line not in unread.get(one.path, frozenset())
    ]
    report.problems = [
        one for one in report.problems if not one.checked or one.line not in unread.get(one.path, frozenset())
    ]


def selected_rules(rulebook: Rulebook, options: CheckOptions) -> frozenset[str]:
    """The ids of the rules that a check is to judge. Raises UsageError for selectors that name no rule."""
    categories = {rule.id: rule.category for rule in rulebook.rules}
    categories |= {rule.id: rule.category for rule in load_meta_rules().values()}
    settings = options.settings
    for pattern, selectors in settings.per_file_ignores.items():
        check_selectors(selectors, categories, f"[tool.advisor] per-file-ignores, {pattern!r}: ")
    return select_rules(
        categories,
        options.select or settings.select,
        (*settings.extend_select, *options.extend_select),
        (*settings.ignore, *options.ignore),
    )


def _judge(
    evidence: Evidence,
    rulebook: Rulebook,
    selected: frozenset[str],
    device: Device,
    options: CheckOptions,
    report: Report,
    means: Means,
) -> None:
    settings = RuleSettings.of_project(
        options.settings, device.id, options.root, select=tuple(sorted(selected))
    )
    found: list[Finding] = []
    for number, typing in enumerate(evidence.typings):
        judgement = means.judge(rulebook, typing.tables, settings)
        found += told_of(judgement.matches, typing, rulebook, further=number > 0)
        if not number:
            report.undecided = list(judgement.undecided)
            report.summary["suppressed"] = judgement.suppressed
    report.findings = list(without_repetitions(found))


def _not_ignored_here(findings: Iterable[Finding], options: CheckOptions) -> Iterable[Finding]:
    ignored: dict[str, tuple[str, ...]] = {}
    for finding in findings:
        if finding.path not in ignored:
            ignored[finding.path] = options.settings.ignored_in(options.root / finding.path)
        if not any(matches(selector, finding.rule, finding.category) for selector in ignored[finding.path]):
            yield finding


def _suppress(report: Report, rulebook: Rulebook, selected: frozenset[str], options: CheckOptions) -> None:
    known = {rule.id for rule in rulebook.rules}
    by_path = {
        path: parse_suppressions(_readable(report, path, text), known)
        for path, text in report.texts.items()
        if "advisor:" in text
    }
    undecided = {item.rule for item in report.undecided}
    applied = apply_suppressions(report.findings, by_path, selected - undecided)
    remarks = [remark for remark in applied.remarks if remark.rule in selected]
    # A comment that silences what the configuration would drop too is of use, so the comments come first.
    kept = _not_ignored_here([*applied.kept, *remarks], options)
    report.findings = once_for_each_kernel(kept)
    accepted = report.summary.get("suppressed", 0)
    report.summary["suppressed"] = len(applied.suppressed) + int(str(accepted))


def _readable(report: Report, path: str, text: str) -> SourceText:
    source = SourceText(path, text)
    return readable_source(source)[0] if path in report.unread else source


def _position(finding: Finding) -> tuple[str, int, int, int, str]:
    return (
        finding.path,
        finding.span.line,
        finding.span.column,
        -SEVERITIES.index(finding.severity),
        finding.rule,
    )


def _summary(report: Report, tables: Tables) -> dict[str, object]:
    counts: dict[str, object] = {
        severity: sum(finding.severity == severity for finding in report.findings) for severity in SEVERITIES
    }
    return {
        **report.summary,
        "kernels": len(tables["kernel"]) if "kernel" in tables else 0,
        "launches": len(tables["launch"]) if "launch" in tables else 0,
        "findings": len(report.findings),
        **counts,
        "undecided_rules": len(report.undecided),
    }
