"""All evidence of a check in tables: each source in its turn, and what one of them tells another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from advisor.check.collectors import launched_types, line_code_records, simulated_records
from advisor.check.inputs import Workplace
from advisor.check.metric_plugins import provided_records
from advisor.check.steps import Means
from advisor.evidence.metrics.derived import derive_all
from advisor.evidence.metrics.local_traffic import note_local_traffic
from advisor.evidence.metrics.tables import Tables, build_tables, merge_records
from advisor.evidence.metrics.warp_aggregation import note_warp_aggregation
from advisor.evidence.source.survey import ENTITIES as SOURCE_ENTITIES
from advisor.evidence.source.survey import Survey
from advisor.model.compilation_unit import ArgumentTypes, CompilationUnit
from advisor.model.devices import Device
from advisor.model.findings import Finding, Report
from advisor.model.records import Record
from advisor.model.settings.check_options import CheckOptions, Progress
from advisor.model.text.source_text import SourceText
from advisor.program.syntax.module import readable_source
from advisor.rules import Rulebook, kernel_of_row, to_finding
from advisor.rules.checking.computed_metrics import fill_in
from advisor.rules.evaluation.matches import Match


@dataclass(frozen=True)
class Typing:
    """Tables in which kernels are compiled for one combination of the types that they were launched with;
    `kernels` says for which, by the keys of those that were launched with several.
    """

    tables: Tables
    kernels: Mapping[str, str]


@dataclass(frozen=True)
class Evidence:
    """What is known: with the types of each kernel's heaviest launch first, then with further ones."""

    typings: tuple[Typing, ...]

    @property
    def tables(self) -> Tables:
        """The tables of what is known best."""
        return self.typings[0].tables


def gather_evidence(
    found: Survey,
    workplace: Workplace,
    device: Device,
    rulebook: Rulebook,
    options: CheckOptions,
    report: Report,
    progress: Progress | None,
    means: Means,
) -> Evidence:
    """All that is known; what could not be had is told in the report."""
    texts = _own_texts(found, workplace, options)
    records, looked_for = [*found.records, device.record()], {*SOURCE_ENTITIES}
    asked = options.wants("simulated") or (options.wants("compiled") and bool(found.units))
    launches = means.launches(texts, device, options, report) if asked else []
    compiled = _Compiled([], [])
    if options.wants("compiled") and found.units:
        compiled = _compiled(found, launched_types(launches), device, options, report, progress, means)
        looked_for |= {record.entity for record in compiled.records}
        records += compiled.records
    if options.wants("simulated"):
        simulated = simulated_records(records, launches)
        looked_for |= {"defect"} if simulated else set()
        records += simulated
    if options.wants("measured"):
        # Behind the source's records, whose places are exact, and before others, whose runs are not measured.
        first = len(found.records)
        records[first:first] = means.measure(records, texts, device, options, report)
    if options.settings.metric_providers and not options.no_run:
        records += provided_records(options.settings, records, rulebook, device, report)
    return Evidence(
        tuple(
            Typing(tables_of(compiled.in_place(records, round), device, rulebook, looked_for), round.kernels)
            for round in compiled.rounds or [_Round([], {})]
        )
    )


@dataclass(frozen=True)
class _Round:
    """The records of kernels compiled for one typing each, and the typings in words of those with several."""

    records: Sequence[Record]
    kernels: Mapping[str, str]


@dataclass(frozen=True)
class _Compiled:
    """The records of compiled kernels, and those that stand for some of them in each round."""

    records: list[Record]
    rounds: list[_Round]

    def in_place(self, records: Sequence[Record], round: _Round) -> Iterable[Record]:
        """The records of a check with those of a round."""
        if not round.records:
            return records
        replaced = {id(one) for one in self.records if (one.owner or one.key) in round.kernels}
        return [*(one for one in records if id(one) not in replaced), *round.records]


def _compiled(
    found: Survey,
    launched: Mapping[str, Sequence[ArgumentTypes]],
    device: Device,
    options: CheckOptions,
    report: Report,
    progress: Progress | None,
    means: Means,
) -> _Compiled:
    from advisor.evidence.compiled.launched_units import launched_units

    first, *further = launched_units(found.units, launched)
    records = [*means.compile(first, device, options, report, progress)]
    records += line_code_records(found.records, records)
    several = {unit.kernel for units in further for unit in units}
    rounds = [_Round([], _in_words([unit for unit in first if unit.kernel in several], records, launched))]
    for units in further:
        # That one of several typings does not compile is the isolated compilation's, not the kernel's, fault.
        own = means.compile(units, device, options, Report(device.name), progress)
        heads = line_code_records(found.records, own)
        rounds.append(_Round([*own, *heads], _in_words(units, own, launched)))
    return _Compiled(records, rounds)


def _in_words(
    units: Iterable[CompilationUnit],
    records: Iterable[Record],
    launched: Mapping[str, Sequence[ArgumentTypes]],
) -> dict[str, str]:
    """The typings of units in words, those left out that did not compile with it."""
    from advisor.evidence.compiled.launched_units import in_words

    compiled = {
        one.key for one in records if one.entity == "kernel" and not one.readings["types_assumed"].value
    }
    return {
        unit.kernel: in_words(unit.candidates[0], launched[unit.kernel])
        for unit in units
        if unit.kernel in compiled
    }


def told_of(matches: Iterable[Match], typing: Typing, rulebook: Rulebook, further: bool) -> Iterator[Finding]:
    """The findings of matches; what rests on the machine code of a kernel with several typings says which.

    In `further` typings only these are told, where no number of theirs is that of another launch.
    """
    for match in matches:
        finding = to_finding(match, rulebook, typing.tables)
        sources = {one.source for one in finding.evidence}
        sentence = None
        if typing.kernels and "compiled" in sources:
            kernel = kernel_of_row(match.rule.entity, match.row, typing.tables, rulebook)
            sentence = typing.kernels.get(typing.tables["kernel"].keys[kernel]) if kernel >= 0 else None
        if sentence is not None:
            finding = replace(finding, assumptions=(*finding.assumptions, sentence))
        if not further or (sentence is not None and sources <= {"source", "compiled"}):
            yield finding


def _own_texts(found: Survey, workplace: Workplace, options: CheckOptions) -> dict[str, str]:
    """The texts of the checked files as far as they can be read, without those of their neighbours."""
    return {
        path: readable_source(SourceText(path, text))[0].text if path in found.unread else text
        for path, text in found.texts.items()
        if workplace.checks(options.root / path)
    }


def tables_of(
    records: Iterable[Record], device: Device, rulebook: Rulebook, looked_for: Iterable[str]
) -> Tables:
    """Tables of records, with the metrics that follow from others; `looked_for` are entities that were
    searched for.
    """
    merged = merge_records(records)
    note_local_traffic(merged)
    note_warp_aggregation(merged)
    derive_all(merged.get("kernel", {}).values(), device)
    tables = build_tables(
        (record for group in merged.values() for record in group.values()),
        rulebook.owner_entity(),
        looked_for,
    )
    fill_in(rulebook, tables)
    return tables
