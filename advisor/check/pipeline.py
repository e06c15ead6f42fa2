"""The main path, from files to a report: `Check.report` and `Check.evidence` have its steps in order."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.check.collectors import (
    Collectors,
    DefaultCollectors,
    MeasuredRecords,
    counted_kernels,
    launched_types,
    looked_for,
    simulated_records,
)
from advisor.check.inputs import Inputs
from advisor.check.launches.different_launches import DifferentLaunches
from advisor.check.metric_plugins import provided_records
from advisor.check.report_cache import ReportCache
from advisor.check.rule_selection import selected_rules, with_todays_names
from advisor.check.rulebook import rulebook_for
from advisor.check.rulebook_problems import deprecated_rules, empty_packs, ended_overrides, knowledge_problems
from advisor.check.speedup_bounds.bound import headrooms, within_headroom
from advisor.check.speedup_bounds.remedy_gains import (
    KernelCounts,
    Worth,
    with_gains,
    with_gains_of_run,
    with_levels,
)
from advisor.check.speedup_bounds.shares import time_shares
from advisor.check.suppressions import suppress
from advisor.check.typings import (
    CompiledTypings,
    Metrics,
    Typing,
    compile_typings,
    findings_of,
    tables_of,
)
from advisor.evidence.metrics.joining import join
from advisor.evidence.metrics.tables import Tables
from advisor.evidence.source.analysis import KERNEL_ENTITIES, SourceEvidence
from advisor.fixes import with_fixes
from advisor.fixes.proofs import with_proofs
from advisor.model.compilation_unit import CompilationUnit
from advisor.model.devices import find_device
from advisor.model.findings import SEVERITIES, Finding, Report, without_repetitions
from advisor.model.processes.gc_paused import gc_paused
from advisor.model.records import Record, Source
from advisor.model.settings.check_options import CheckOptions, Progress
from advisor.model.text.notebooks import is_notebook
from advisor.model.text.source_text import SourceText
from advisor.program.syntax.module import readable_source
from advisor.rules import Rulebook, RuleSettings, judge
from advisor.rules.evaluation.causes import joined_causes, leave_out_told
from advisor.rules.evaluation.incremental_judge import IncrementalJudge
from advisor.rules.evaluation.one_configuration import joined_configurations
from advisor.rules.policy import policy_for

if TYPE_CHECKING:
    from advisor.evidence.simulated.launches.evidence import LaunchEvidence
    from advisor.evidence.simulated.synthesis.evidence import SynthesisedEvidence
    from advisor.evidence.simulated.synthesis.result import Synthesis


@dataclass(frozen=True)
class Checked:
    """A report, the tables of what its findings rest on, and the texts of all files that were looked at.

    `read` are all files whose content was used, `syntheses` what made-up launches tell of
    kernels. Where a stored report was found there are neither tables nor
    texts; fixes that are written later need both.
    """

    report: Report
    tables: Tables | None
    texts: Mapping[str, str] = field(default_factory=dict)
    read: frozenset[str] = frozenset()
    syntheses: Mapping[str, Synthesis] = field(default_factory=dict)


@dataclass(frozen=True)
class Evidence:
    """What is known of the checked files before any rule is judged; the report has problems and notices.

    `syntheses` are what launches that were made up tell, by the keys of kernels.
    """

    source: SourceEvidence
    metrics: Metrics
    report: Report
    different: DifferentLaunches | None = None
    syntheses: Mapping[str, Synthesis] = field(default_factory=dict)


class Check:
    """One check of some files.

    The evidence comes from `collectors`, the rules from `rulebook` or else from the configuration; a program
    that checks the same files again and again gives the `verdicts` of the check before. Raises UsageError for
    an unknown device; a `strict` check raises RuleErrors for a rule that does not load.
    """

    def __init__(
        self,
        files: Sequence[Path],
        options: CheckOptions,
        progress: Progress | None = None,
        *,
        collectors: Collectors | None = None,
        rulebook: Rulebook | None = None,
        verdicts: IncrementalJudge | None = None,
    ) -> None:
        self.files, self.options, self.progress = files, options, progress
        self.device = find_device(options.device)
        self.rulebook = rulebook or rulebook_for(options.settings, strict=options.strict)
        self.collectors: Collectors = collectors or DefaultCollectors()
        self.verdicts = verdicts
        self.selected: frozenset[str] = frozenset()

    @cached_property
    def inputs(self) -> Inputs:
        """The files that are checked, and the others of the workspace."""
        return Inputs.of(self.files, self.options)

    def run(self) -> Checked:
        """The report of a check, stored or new, with what proofs say of its fixes.

        Raises UsageError for rules that do not exist.
        """
        notices = self.select_rules()
        stored = self.report_cache()
        known = stored.load() if stored else None
        checked = self.report() if known is None else Checked(known, None)
        report = checked.report
        if known is None and stored:
            stored.store(report, checked.read - {str(file) for file in self.inputs.on_disk})
        # The configuration may call things otherwise than it did when the report was stored.
        report.notices += notices
        if self.options.proofs:
            root = self.options.settings.root
            report.findings = with_proofs(report.findings, report.texts, root, self.device.id)
        return checked

    def report(self) -> Checked:
        """The main path: evidence, rules, suppressions, findings, fixes; no stored report is looked at."""
        with gc_paused():
            evidence = self.evidence()
            report, metrics = evidence.report, evidence.metrics
            self.apply_rules(metrics, report, evidence.different)
            self.leave_out_unread(report)
            self.apply_suppressions(report)
            self.join_causes(report)
            leave_out_told(report, self.rulebook)
            self.weigh(report, metrics.tables, evidence.syntheses)
            self.add_problems_of_rules(report)
            self.complete(report, metrics.tables)
            report.summary["files"] = len(self.files) + (self.options.stdin is not None)
            self.write_fixes(report, metrics.tables)
        source = evidence.source
        return Checked(report, metrics.tables, source.texts, source.read, evidence.syntheses)

    def evidence(self) -> Evidence:
        """The first half of the main path: source, launches, compiled, synthesised, simulated, measured,
        metrics.
        """
        with gc_paused():
            source = self.collectors.source(self.inputs, self.options, self.progress)
            report = self.begin_report(source)
            launches = self.launches(source, report)
            compiled = self.compiled(source, launches, report)
            records = [*source.records, self.device.record(), *compiled.records]
            synthesised = self.synthesised(compiled, launches, report)
            records += [*synthesised.records, *join(records, synthesised.lines, "synthesised")]
            records += self.element_times(synthesised, compiled)
            of_triton = self.synthesised_of_triton(source, launches, report)
            records += [*of_triton.records, *join(records, of_triton.lines, "synthesised")]
            others = len(records)
            simulated = self.simulated(records, launches)
            records += simulated
            # Behind the source's records, whose places are exact; the runs of others are not those measured.
            first = len(source.records)
            measured = self.measured(source, records, report)
            records[first:first] = measured.records
            provided = self.metrics_of_plugins(records, report)
            without = [*records[: others + len(measured.records)], *provided]
            records += provided
            sought = looked_for(source, compiled.records, defects_sought=bool(simulated))
            metrics = self.metrics(records, compiled, sought)
            different = DifferentLaunches.of(without, launches if simulated else [], sought, measured.shapes)
        syntheses = synthesised.by_kernel | of_triton.by_kernel
        return Evidence(source, metrics, report, different, syntheses)

    def begin_report(self, source: SourceEvidence) -> Report:
        """A report of what the source could not tell.

        A file with `cuda.jit` that no kernel was recognised from is a notice; without any kernel at all it is
        a problem, for then nothing was checked.
        """
        report = Report(
            self.device.name,
            problems=list(source.problems),
            texts=dict(source.texts),
            unread=dict(source.unread),
            unrecognised=list(source.unrecognised),
        )
        kernels = any(record.entity in KERNEL_ENTITIES for record in source.records)
        for one in source.unrecognised:
            if kernels:
                report.notices.append(one.as_notice())
            else:
                report.problems.append(one.as_problem())
        return report

    def launches(self, source: SourceEvidence, report: Report) -> list[LaunchEvidence]:
        """Launches that were recorded or are made by workloads; compiled evidence takes types from them."""
        types_wanted = self.options.wants("compiled") and bool(source.units)
        if not self.options.wants("simulated") and not types_wanted:
            return []
        return self.collectors.launches(self.own_texts(source), self.device, self.options, report)

    def compiled(
        self, source: SourceEvidence, launches: Sequence[LaunchEvidence], report: Report
    ) -> CompiledTypings:
        """The kernels' machine code, for the types that they are launched with."""
        if not self.options.wants("compiled") or not source.units:
            return CompiledTypings()

        def compile(units: Sequence[CompilationUnit], problems: Report) -> list[Record]:
            return self.collectors.compiled(units, self.device, self.options, problems, self.progress)

        return compile_typings(source, launched_types(launches), report, compile)

    def synthesised(
        self, compiled: CompiledTypings, launches: Sequence[LaunchEvidence], report: Report
    ) -> SynthesisedEvidence:
        """What launches tell that are made up for the compiled kernels of which no other is used."""
        from advisor.evidence.simulated.synthesis.evidence import SynthesisedEvidence

        if not self.options.wants("synthesised"):
            return SynthesisedEvidence()
        known = counted_kernels(launches) if self.options.wants("simulated") else frozenset()
        code = {record.key for record in compiled.records if record.entity == "kernel"} - known
        units = [unit for unit in compiled.units if unit.kernel in code and unit.cuda is None]
        if not units:
            return SynthesisedEvidence()
        return self.collectors.synthesised(units, self.device, self.options, report, self.progress)

    def synthesised_of_triton(
        self, source: SourceEvidence, launches: Sequence[LaunchEvidence], report: Report
    ) -> SynthesisedEvidence:
        """What launches tell that are made up for the kernels of Triton of which no other is used."""
        from advisor.evidence.simulated.synthesis.evidence import SynthesisedEvidence

        if not self.options.wants("synthesised") or not source.triton_units:
            return SynthesisedEvidence()
        known = (
            counted_kernels(launches, "triton_kernel")
            if self.options.wants("simulated")
            else frozenset[str]()
        )
        units = [unit for unit in source.triton_units if unit.kernel not in known]
        return self.collectors.synthesised_of_triton(units, self.device, self.options, report, self.progress)

    def element_times(self, synthesised: SynthesisedEvidence, compiled: CompiledTypings) -> list[Record]:
        """The predicted time by element of the kernels for which launches were made up."""
        if not synthesised.records:
            return []
        from advisor.evidence.metrics.times.element_times import element_times

        return element_times(synthesised, compiled.records, self.device)

    def simulated(self, records: Sequence[Record], launches: Sequence[LaunchEvidence]) -> list[Record]:
        """What was counted in launches on the simulated GPU."""
        return simulated_records(records, launches) if self.options.wants("simulated") else []

    def measured(self, source: SourceEvidence, records: Sequence[Record], report: Report) -> MeasuredRecords:
        """The latest measurements from the project's history."""
        if not self.options.wants("measured"):
            return MeasuredRecords()
        texts = self.own_texts(source)
        return self.collectors.measured(records, texts, self.device, self.options, report)

    def metrics_of_plugins(self, records: Sequence[Record], report: Report) -> list[Record]:
        """Metrics from the installed functions that the configuration names."""
        settings = self.options.settings
        if not settings.metric_providers or self.options.no_run:
            return []
        return provided_records(settings, records, self.rulebook, self.device, report)

    def metrics(
        self, records: Sequence[Record], compiled: CompiledTypings, looked_for: Collection[str]
    ) -> Metrics:
        """Tables of all records and of what follows from them, for each typing of the kernels."""
        return Metrics(
            tuple(
                Typing(
                    tables_of(compiled.in_round(records, round), self.device, self.rulebook, looked_for),
                    round.kernels,
                )
                for round in compiled.rounds
            )
        )

    def own_texts(self, source: SourceEvidence) -> dict[str, str]:
        """The texts of the checked files as far as they can be read, and of the files of CUDA C++ that they
        name, without the others of the workspace.
        """
        return {
            path: readable_source(SourceText(path, text))[0].text if path in source.unread else text
            for path, text in source.texts.items()
            if path in source.cuda_files or self.inputs.checks(self.options.root / path)
        }

    def select_rules(self) -> list[str]:
        """Choose the rules that are judged; a sentence for each that the options call by a former name."""
        self.options, notices = with_todays_names(self.options, self.rulebook)
        self.selected = selected_rules(self.rulebook, self.options)
        return notices

    def apply_rules(
        self, metrics: Metrics, report: Report, different: DifferentLaunches | None = None
    ) -> None:
        """Put the findings of the selected rules into the report, and what stays undecided.

        Those of kernels with `different` launches say how many of these show them.
        """
        options = self.options
        settings = RuleSettings.of_project(
            options.settings, self.device.id, options.root, select=tuple(sorted(self.selected))
        )
        found: list[Finding] = []
        for number, typing in enumerate(metrics.typings):
            if self.verdicts is not None:
                judgement = self.verdicts.judge(self.rulebook, typing.tables, settings)
            else:
                judgement = judge(self.rulebook, typing.tables, settings=settings)
            told = findings_of(judgement.matches, typing, self.rulebook, further=number > 0)
            if not number:
                if different is not None and different.kernels:
                    launches = different.judge_again(self.rulebook, settings, self.device)
                    told = launches.findings(judgement.matches, told, typing.tables)
                report.undecided = list(judgement.undecided)
                report.summary["suppressed"] = judgement.suppressed
            found += told
        report.findings = list(without_repetitions(found))

    def leave_out_unread(self, report: Report) -> None:
        """Drop what is said of functions of which a part could not be read: it may be wrong."""
        unread, nothing = report.unread, frozenset[int]()
        report.findings = [
            one for one in report.findings if one.span.line not in unread.get(one.path, nothing)
        ]
        report.problems = [
            one for one in report.problems if not one.checked or one.line not in unread.get(one.path, nothing)
        ]

    def apply_suppressions(self, report: Report) -> None:
        """Take out what comments and the configuration silence."""
        suppress(report, {rule.id for rule in self.rulebook.rules}, self.selected, self.options)

    def join_causes(self, report: Report) -> None:
        """Make one finding of all that a rule says of a kernel or of a host function.

        What a comment silences is no place of it. What is said of such comments is about each of them.
        """
        rules = {rule.id for rule in self.rulebook.rules}
        report.findings = joined_causes(report.findings, report.texts, rules)

    def causes_of(self, rule: str, evidence: Evidence) -> list[Finding]:
        """The causes that one rule finds in what was gathered, as loud as they are told."""
        self.select_rules()
        self.selected = frozenset({rule})
        report = Report(self.device.name, texts=evidence.report.texts, unread=evidence.report.unread)
        self.apply_rules(evidence.metrics, report, evidence.different)
        self.leave_out_unread(report)
        self.apply_suppressions(report)
        self.join_causes(report)
        self.weigh(report, evidence.metrics.tables, evidence.syntheses)
        return report.findings

    def weigh(self, report: Report, tables: Tables, syntheses: Mapping[str, Synthesis]) -> None:
        """Ask the time model what remedies gain, and let the policy say how loud their causes are then."""
        policy = policy_for(self.options.settings.policy).gain
        chosen = [find_device(one) for one in policy.devices] if self.options.any_device else []
        others = [one for one in chosen if one.id != self.device.id]
        worth = Worth(KernelCounts(tables, syntheses, self.device), (self.device, *others))
        weighed = with_gains(report.findings, worth)
        report.orders = worth.orders(weighed, policy.negligible)
        told = [replace(one, remedy=None) for one in with_levels(weighed, policy)]
        report.findings = joined_configurations(told, report.texts)

    def add_problems_of_rules(self, report: Report) -> None:
        """Add what is wrong with rules, packs and overrides themselves."""
        settings, root = self.options.settings, self.options.root
        report.problems += knowledge_problems(self.rulebook, root)
        report.problems += empty_packs(settings, root)
        report.findings += ended_overrides(self.rulebook, settings, self.selected, root)
        report.notices += deprecated_rules(self.rulebook, report.findings)

    def complete(self, report: Report, tables: Tables) -> None:
        """Sort the findings, bound what they may gain, and count them."""
        report.findings.sort(key=_position)
        self.bound_gains(report, tables)
        kernels, launches = (len(tables[one]) if one in tables else 0 for one in ("kernel", "launch"))
        report.summarise(kernels, launches)

    def bound_gains(self, report: Report, tables: Tables) -> None:
        """Say what remedies may gain at most, of kernels and of the run."""
        report.shares, report.headroom = time_shares(tables), headrooms(tables, self.device, report.findings)
        report.findings = with_gains_of_run(
            [within_headroom(one, report.headroom) for one in report.findings], report.shares
        )

    def write_fixes(self, report: Report, tables: Tables) -> None:
        """Give the findings their fixes, and keep only those texts that a reader of the report needs."""
        if self.options.fixes:
            report.findings = with_fixes(report.findings, report.texts, tables, report.unread)
        shown = {path for finding in report.findings for path in finding.paths()}
        shown.update(filter(is_notebook, report.texts))
        report.texts = {path: text for path, text in report.texts.items() if path in shown}

    def report_cache(self) -> ReportCache | None:
        """The stored reports, for source evidence only: other evidence is stored where it is collected."""
        options = self.options
        if options.cache_folder is None or options.stdin is not None or options.evidence != "source":
            return None
        if options.settings.metric_providers:
            return None
        changes = (*self.rulebook.overrides, *self.rulebook.suppressions, *options.settings.overrides)
        ends = any(getattr(one, "until", "") for one in changes)
        day = date.today() if ends else None
        decisive = (options.device, sorted(self.selected), options.settings, options.fixes, day)
        packs = [Path(pack.folder) for pack in self.rulebook.packs]
        return ReportCache(options.cache_folder, options.root, self.inputs.on_disk, packs, decisive)


def check(files: Sequence[Path], options: CheckOptions, progress: Progress | None = None) -> Report:
    """The report on `files`: findings in order of path and line, problems, and what stayed undecided.

    Rules that do not load are problems of the report. Raises what `Check` raises.
    """
    return check_with_tables(files, options, progress).report


def check_with_tables(
    files: Sequence[Path],
    options: CheckOptions,
    progress: Progress | None = None,
    collectors: Collectors | None = None,
    verdicts: IncrementalJudge | None = None,
) -> Checked:
    """The report on `files` with what it rests on, as `Check` makes it."""
    return Check(files, options, progress, collectors=collectors, verdicts=verdicts).run()


def gather(files: Sequence[Path], options: CheckOptions) -> tuple[Tables, Rulebook, Report]:
    """All that is known of the kernels in `files`, the rulebook, and a report of problems and notices."""
    one = Check(files, options)
    evidence = one.evidence()
    return evidence.metrics.tables, one.rulebook, evidence.report


def report_on(
    records: Iterable[Record],
    looked_for: Iterable[str],
    options: CheckOptions,
    texts: Mapping[str, str],
    sources: Collection[Source],
) -> Report:
    """The report on records that were had in another way than by a check: judged and suppressed as its are.

    `texts` are those of the files that the records lie in, `looked_for` the entities that were searched for.
    Each place of a finding rests on a number of one of the `sources`.
    """
    one = Check([], options)
    notices = one.select_rules()
    report = Report(one.device.name, texts=dict(texts), notices=notices)
    tables = tables_of([*records, one.device.record()], one.device, one.rulebook, looked_for)
    one.apply_rules(Metrics((Typing(tables, {}),)), report)
    one.apply_suppressions(report)
    report.findings = [each for each in report.findings if any(it.source in sources for it in each.evidence)]
    one.join_causes(report)
    one.weigh(report, tables, {})
    report.problems += knowledge_problems(one.rulebook, options.root)
    report.problems += empty_packs(options.settings, options.root)
    one.complete(report, tables)
    return report


def _position(finding: Finding) -> tuple[str, int, int, int, str]:
    loudness = SEVERITIES.index(finding.severity)
    return finding.path, finding.span.line, finding.span.column, -loudness, finding.rule
