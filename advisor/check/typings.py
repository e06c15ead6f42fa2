"""Kernels that are launched with several types: compiled, and judged, for each of these typings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from advisor.check.collectors import line_code_records
from advisor.evidence.metrics.derived import derive_all
from advisor.evidence.metrics.local_traffic import note_local_traffic
from advisor.evidence.metrics.tables import Tables, build_tables, merge_records
from advisor.evidence.metrics.triton_times import note_triton_times
from advisor.evidence.metrics.warp_aggregation import note_warp_aggregation
from advisor.evidence.source.analysis import SourceEvidence
from advisor.model.compilation_unit import ArgumentTypes, CompilationUnit
from advisor.model.devices import Device
from advisor.model.findings import Finding, Report
from advisor.model.records import Record
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
class Metrics:
    """All metrics: with the types of each kernel's heaviest launch first, then with further ones."""

    typings: tuple[Typing, ...]

    @property
    def tables(self) -> Tables:
        """The tables of what is known best."""
        return self.typings[0].tables


@dataclass(frozen=True)
class CompiledRound:
    """The records of kernels compiled for one typing each, and the typings in words of those with several."""

    records: Sequence[Record]
    kernels: Mapping[str, str]


@dataclass(frozen=True)
class CompiledTypings:
    """The records of compiled kernels, and those that stand for some of them in each round; `units` are what
    the first of these were compiled from.
    """

    records: list[Record] = field(default_factory=list)
    rounds: list[CompiledRound] = field(default_factory=lambda: [CompiledRound([], {})])
    units: Sequence[CompilationUnit] = ()

    def in_round(self, records: Sequence[Record], round: CompiledRound) -> Iterable[Record]:
        """The records of a check with those of a round in their places."""
        if not round.records:
            return records
        replaced = {id(one) for one in self.records if (one.owner or one.key) in round.kernels}
        return [*(one for one in records if id(one) not in replaced), *round.records]


def compile_typings(
    source: SourceEvidence,
    launched: Mapping[str, Sequence[ArgumentTypes]],
    report: Report,
    compile: Callable[[Sequence[CompilationUnit], Report], list[Record]],
) -> CompiledTypings:
    """The kernels compiled for the types of their heaviest launches, and in further rounds for the others.

    `compile` gives the records of some kernels and adds to a report what went wrong.
    """
    from advisor.evidence.compiled.launched_units import launched_units

    first, *further = launched_units(source.units, launched)
    records = [*compile(first, report)]
    records += line_code_records(source.records, records)
    several = {unit.kernel for units in further for unit in units}
    in_words = _in_words([unit for unit in first if unit.kernel in several], records, launched)
    rounds = [CompiledRound([], in_words)]
    for units in further:
        # That one of several typings does not compile is the isolated compilation's, not the kernel's, fault.
        own = compile(units, Report(report.device))
        heads = line_code_records(source.records, own)
        rounds.append(CompiledRound([*own, *heads], _in_words(units, own, launched)))
    return CompiledTypings(records, rounds, first)


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


def findings_of(
    matches: Iterable[Match], typing: Typing, rulebook: Rulebook, further: bool
) -> Iterator[Finding]:
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
    note_triton_times(merged, device)
    tables = build_tables(
        (record for group in merged.values() for record in group.values()),
        rulebook.owner_entity(),
        looked_for,
    )
    fill_in(rulebook, tables)
    return tables
