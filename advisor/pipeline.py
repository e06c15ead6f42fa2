"""The one place that knows the order: source, evidence, metrics, rules, findings."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.config import Config
from advisor.devices import Device, find_device
from advisor.errors import EvidenceUnavailable
from advisor.facts.survey import ENTITIES as SOURCE_ENTITIES
from advisor.facts.survey import Survey, survey
from advisor.findings import SEVERITIES, Finding, Problem, Report
from advisor.garbage_collection import collector_at_rest
from advisor.meta_rules import load_meta_rules
from advisor.metrics.derived import derive_all
from advisor.metrics.joining import join
from advisor.metrics.tables import Tables, build_tables, merge_records
from advisor.neighbours import workspace_files
from advisor.records import SOURCES, Record, Source
from advisor.report_cache import ReportCache
from advisor.rulebook import rulebook_for
from advisor.rules import Rulebook, RuleSettings, judge, to_finding
from advisor.selectors import check_selectors, matches, select_rules
from advisor.suppressions import apply_suppressions, parse_suppressions
from advisor.text import SourceText

if TYPE_CHECKING:
    from advisor.compiled import CompiledEvidence
    from advisor.launches.store import LaunchStore

Progress = Callable[[str, int, int], None]

_COMPILE_SECONDS = 60.0
_WORKLOAD_SECONDS = 60.0


@dataclass(frozen=True)
class CheckOptions:
    """What to check for. `root` is the folder that reported paths are relative to.

    `neighbours` are the other files to look for launches in; None means those of the workspace.
    """

    device: str
    root: Path
    evidence: Source = "compiled"
    no_run: bool = False
    select: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    settings: Config = field(default_factory=Config)
    cache_folder: Path | None = None
    jobs: int | None = None
    stdin: SourceText | None = None
    neighbours: tuple[Path, ...] | None = None


def check(files: Sequence[Path], options: CheckOptions, progress: Progress | None = None) -> Report:
    """The report on `files`: findings in order of path and line, problems, and what stayed undecided.

    Raises UsageError for unknown devices and rules, RuleErrors for a rule that does not load.
    """
    device = find_device(options.device)
    rulebook = rulebook_for(options.settings)
    selected = _selected(rulebook, options)
    workplace = _workplace(files, options)
    kept = _kept_reports(workplace, selected, options)
    report = kept.load() if kept else None
    if report is None:
        with collector_at_rest():
            found = _survey(workplace, options, progress)
            report = _report(found, workplace, device, rulebook, selected, options, progress)
        report.summary["files"] = len(files) + (options.stdin is not None)
        if kept:
            kept.store(report, found.read - {str(file) for file in workplace.every})
    return report


@dataclass(frozen=True)
class _Workplace:
    """The checked files, the text that stands for one of them, and the other files of the workspace."""

    targets: list[Path]
    stdin: tuple[Path, SourceText] | None
    neighbours: list[Path]

    @property
    def every(self) -> list[Path]:
        return [*self.targets, *self.neighbours]


def _workplace(files: Sequence[Path], options: CheckOptions) -> _Workplace:
    # ".../a/../b" and links must name one file one way, or a kernel and its launch would not meet.
    targets = [_absolute(file) for file in files]
    stdin = (_absolute(options.root / options.stdin.path), options.stdin) if options.stdin else None
    known = [*targets, *([stdin[0]] if stdin else [])]
    if options.neighbours is None:
        return _Workplace(targets, stdin, workspace_files(known, options.root))
    return _Workplace(targets, stdin, [file for file in options.neighbours if file not in known])


def _absolute(file: Path) -> Path:
    return Path(os.path.abspath(file))  # noqa: PTH100 - Path.resolve would follow links


def _kept_reports(
    workplace: _Workplace, selected: frozenset[str], options: CheckOptions
) -> ReportCache | None:
    """The kept reports, for source evidence only: what else a report rests on is kept where it is made."""
    if options.cache_folder is None or options.stdin is not None or options.evidence != "source":
        return None
    decisive = (options.device, sorted(selected), options.settings)
    packs = options.settings.packs
    return ReportCache(options.cache_folder, options.root, workplace.every, packs, decisive)


def _report(
    found: Survey,
    workplace: _Workplace,
    device: Device,
    rulebook: Rulebook,
    selected: frozenset[str],
    options: CheckOptions,
    progress: Progress | None,
) -> Report:
    report = Report(device.name, problems=list(found.problems), texts=dict(found.texts))
    records, looked_for = [*found.records, device.record()], {*SOURCE_ENTITIES}
    if _wants(options, "compiled") and found.units:
        compiled = _compiled(found, device, options, report, progress)
        looked_for |= {record.entity for record in compiled}
        records += compiled
    if _wants(options, "simulated"):
        simulated = _simulated(records, _own_texts(found, workplace, options), device, options, report)
        looked_for |= {"defect"} if simulated else set()
        records += simulated
    tables = _tables(records, device, rulebook, looked_for)
    _judge(tables, rulebook, selected, device, options, report)
    _suppress(report, rulebook, selected, options)
    report.findings.sort(key=_position)
    report.summary = _summary(report, tables)
    shown = {finding.path for finding in report.findings}
    report.texts = {path: text for path, text in report.texts.items() if path in shown}
    return report


def _selected(rulebook: Rulebook, options: CheckOptions) -> frozenset[str]:
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


def _wants(options: CheckOptions, source: Source) -> bool:
    return SOURCES.index(options.evidence) >= SOURCES.index(source)


def _survey(workplace: _Workplace, options: CheckOptions, progress: Progress | None) -> Survey:
    return survey(
        workplace.targets,
        options.root,
        neighbours=workplace.neighbours,
        stdin=workplace.stdin,
        with_units=_wants(options, "compiled"),
        jobs=options.jobs or min(os.cpu_count() or 1, 4),
        step=(lambda done, total: progress("reading source", done, total)) if progress else None,
    )


def _compiled(
    found: Survey, device: Device, options: CheckOptions, report: Report, progress: Progress | None
) -> list[Record]:
    from advisor.cache import Cache
    from advisor.compiled import Target, compile_units, records

    evidence: CompiledEvidence = compile_units(
        found.units,
        Target.parse(device.compute_capability),
        cache=Cache(options.cache_folder) if options.cache_folder else None,
        timeout=_COMPILE_SECONDS,
        jobs=options.jobs or min(os.cpu_count() or 1, 4),
        progress=progress,
    )
    if evidence.unavailable is not None:
        report.notices.append(_missing(evidence.unavailable))
    report.problems += [Problem(item.path, item.line, item.message) for item in evidence.problems]
    return [
        record
        for unit in found.units
        if (kernel := evidence.by_kernel.get(unit.kernel)) is not None
        for record in records(unit, kernel)
    ]


def _own_texts(found: Survey, workplace: _Workplace, options: CheckOptions) -> dict[str, str]:
    """The texts of the checked files, without those of their neighbours."""
    own = {*workplace.targets, *([workplace.stdin[0]] if workplace.stdin else [])}
    return {path: text for path, text in found.texts.items() if _absolute(options.root / path) in own}


def _simulated(
    records: Sequence[Record],
    texts: dict[str, str],
    device: Device,
    options: CheckOptions,
    report: Report,
) -> list[Record]:
    """The records of launches: those recorded by `advisor run`, and those of workloads in the files."""
    from advisor.launches.evidence import launch_evidence
    from advisor.launches.store import LaunchStore

    recorded = LaunchStore(options.settings.root)
    stores = [recorded]
    if not options.no_run and options.stdin is None:
        stores.insert(0, _with_workloads(texts, device, options, report))
    new: list[Record] = []
    for store in stores:
        evidence = launch_evidence(store, options.root, device, texts)
        report.notices += evidence.notices
        report.problems += [Problem(*item) for item in evidence.problems]
        new += [*evidence.records, *join([*records, *new], evidence.lines, "simulated")]
        store.close()
    return new


def _with_workloads(
    texts: dict[str, str], device: Device, options: CheckOptions, report: Report
) -> LaunchStore:
    """The record of the files' workloads, those run that have no fresh one."""
    from advisor.launches.evidence import Names
    from advisor.launches.store import LaunchStore
    from advisor.launches.workloads import run_workloads, stale_workloads, workload_folder

    root = options.settings.root
    store = LaunchStore(root, workload_folder(options.cache_folder))
    names = Names(root, options.root)
    named = [(names.recorded(path), text) for path, text in sorted(texts.items())]
    stale = stale_workloads(store, named, device.id)
    if stale:
        jobs = options.jobs or min(os.cpu_count() or 1, 4)
        problems = run_workloads(store, stale, device.id, _WORKLOAD_SECONDS, jobs, options.cache_folder)
        report.problems += [Problem(names.shown(one.path), one.line, one.message) for one in problems]
    return store


def _missing(unavailable: EvidenceUnavailable) -> str:
    remedy = f" {unavailable.remedy}" if unavailable.remedy else ""
    return f"{unavailable}{remedy} The check goes on without it."


def _tables(
    records: Iterable[Record], device: Device, rulebook: Rulebook, looked_for: Iterable[str]
) -> Tables:
    merged = merge_records(records)
    derive_all(merged.get("kernel", {}).values(), device)
    return build_tables(
        (record for group in merged.values() for record in group.values()),
        rulebook.owner_entity(),
        looked_for,
    )


def _judge(
    tables: Tables,
    rulebook: Rulebook,
    selected: frozenset[str],
    device: Device,
    options: CheckOptions,
    report: Report,
) -> None:
    settings = RuleSettings(select=tuple(sorted(selected)), device=device.name, config=options.settings.rules)
    judgement = judge(rulebook, tables, settings=settings)
    findings = [to_finding(match, rulebook, tables) for match in judgement.matches]
    report.undecided = list(judgement.undecided)
    report.findings = list(_merged(findings))


def _not_ignored_here(findings: Iterable[Finding], options: CheckOptions) -> Iterable[Finding]:
    ignored: dict[str, tuple[str, ...]] = {}
    for finding in findings:
        if finding.path not in ignored:
            ignored[finding.path] = options.settings.ignored_in(options.root / finding.path)
        if not any(matches(selector, finding.rule, finding.category) for selector in ignored[finding.path]):
            yield finding


def _merged(findings: Iterable[Finding]) -> Iterable[Finding]:
    """Findings without repetitions: of one rule, line and kernel the first is kept."""
    seen: set[tuple[str, str, int, str | None]] = set()
    for finding in findings:
        key = (finding.rule, finding.path, finding.span.line, finding.kernel)
        if key not in seen:
            seen.add(key)
            yield finding


def _suppress(report: Report, rulebook: Rulebook, selected: frozenset[str], options: CheckOptions) -> None:
    known = {rule.id for rule in rulebook.rules}
    by_path = {
        path: parse_suppressions(SourceText(path, text), known)
        for path, text in report.texts.items()
        if "advisor:" in text
    }
    undecided = {item.rule for item in report.undecided}
    applied = apply_suppressions(report.findings, by_path, selected - undecided)
    remarks = [remark for remark in applied.remarks if remark.rule in selected]
    # A comment that silences what the configuration would drop too is of use, so the comments come first.
    report.findings = list(_not_ignored_here([*applied.kept, *remarks], options))
    report.summary["suppressed"] = len(applied.suppressed)


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
