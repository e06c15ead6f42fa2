"""Kernels whose launches differ: which of them show what a finding says.

A finding tells the numbers of the launch that its kernel is judged by. The rules are judged again with the
numbers of each other launch in their place, all in one table. What the judged launch does not show is told
too, with the numbers of the heaviest that does, where those that show it take enough of the kernel's time.
Launches that a profiler measured with another shape are judged so too, for what rules say of a kernel.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import TYPE_CHECKING

from advisor.check.typings import tables_of
from advisor.evidence.metrics.joining import join
from advisor.evidence.metrics.tables import Tables
from advisor.evidence.simulated.launches.evidence import DifferentLaunch, LaunchEvidence
from advisor.model.data_files import knowledge_folder
from advisor.model.devices import Device
from advisor.model.findings import Finding, ShowingLaunches
from advisor.model.records import Record, Source
from advisor.rules import Rulebook, kernel_of_row, to_finding
from advisor.rules.evaluation.judgement import RuleJudge
from advisor.rules.evaluation.matches import Match
from advisor.rules.model import Rule
from advisor.rules.settings import RuleSettings

if TYPE_CHECKING:
    from advisor.evidence.measured.evidence import MeasuredShape

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

# Entities whose records belong to no kernel, and which rules look at from a kernel's.
_AROUND = ("run", "device")


@cache
def _told_from_share() -> float:
    data = tomllib.loads((knowledge_folder() / "launches.toml").read_text("utf-8"))
    return float(data["told_from_share"])


@dataclass(frozen=True)
class DifferentLaunches:
    """The launches of kernels that differ, by the kernels' keys, and the records of all other sources.

    Those of the kernels in `measured` are a profiler's.
    """

    records: Sequence[Record]
    kernels: Mapping[str, Callable[[], list[DifferentLaunch]]]
    looked_for: frozenset[str]
    measured: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls,
        records: Sequence[Record],
        launches: Iterable[LaunchEvidence],
        looked_for: Iterable[str],
        shapes: Mapping[str, Sequence[MeasuredShape]] | None = None,
    ) -> DifferentLaunches:
        """Those that launches tell; of one kernel the latest evidence is taken, whose numbers hold.

        `shapes` are the measured ones of kernels whose numbers are a profiler's.
        """
        kernels: dict[str, Callable[[], list[DifferentLaunch]]] = {}
        for evidence in launches:
            for kernel in evidence.types:
                kernels.pop(kernel, None)
            kernels |= evidence.different
        measured = {key: partial(_of_shapes, those) for key, those in (shapes or {}).items()}
        return cls(records, {**kernels, **measured}, frozenset(looked_for), frozenset(measured))

    def judge_again(self, rulebook: Rulebook, settings: RuleSettings, device: Device) -> JudgedLaunches:
        """The verdicts of rules on each of the launches."""
        kernels = {key: launches() for key, launches in self.kernels.items()}
        tables = tables_of(self._records(kernels), device, rulebook, self.looked_for)
        rules = [one for one in rulebook.rules if settings.select is None or one.id in settings.select]
        judges = {rule.id: RuleJudge(rulebook, rule, settings) for rule in rules}
        return JudgedLaunches(kernels, self.measured, tables, rulebook, judges)

    def _records(self, kernels: Mapping[str, Sequence[DifferentLaunch]]) -> Iterator[Record]:
        """The records of kernels once for each of their launches, with what this launch tells."""
        owned: dict[str, list[Record]] = {}
        for record in self.records:
            if record.entity in _AROUND:
                yield record
            elif record.entity == "kernel":
                if record.key in self.measured and _is_measured(record):
                    continue
                owned.setdefault(record.key, []).append(record)
            elif record.owner:
                owned.setdefault(record.owner, []).append(record)
        for key, launches in kernels.items():
            own = list(_with_owned(key, owned))
            keys = {record.key for record in own} | {key}
            for number, launch in enumerate(launches):
                for record in [*own, launch.record, *join(own, launch.lines, "simulated")]:
                    owner = _key(record.owner, number) if record.owner in keys else record.owner
                    yield replace(record, key=_key(record.key, number), owner=owner)


def _of_shapes(shapes: Sequence[MeasuredShape]) -> list[DifferentLaunch]:
    return [
        DifferentLaunch(one.launches, one.seconds, one.record, (), one.has_types_of_judged) for one in shapes
    ]


def _is_measured(record: Record) -> bool:
    return bool(record.readings) and all(one.source == "measured" for one in record.readings.values())


def _with_owned(key: str, owned: Mapping[str, Sequence[Record]]) -> Iterator[Record]:
    """The records of a kernel, of what belongs to it, and of what belongs to that."""
    seen, waiting = set[str](), [key]
    while waiting:
        owner = waiting.pop()
        if owner in seen:
            continue
        seen.add(owner)
        yield from owned.get(owner, ())
        waiting += [record.key for record in owned.get(owner, ())]


_IN_LAUNCH = " in launch "


def _key(key: str | None, launch: int) -> str:
    """The key of a record as one of its kernel's launches has it."""
    return f"{key}{_IN_LAUNCH}{launch}"


def _key_and_launch(key: str) -> tuple[str, int]:
    plain, _, launch = key.rpartition(_IN_LAUNCH)
    return plain, int(launch)


class JudgedLaunches:
    """Rules judged for each launch of kernels whose launches differ."""

    def __init__(
        self,
        kernels: Mapping[str, Sequence[DifferentLaunch]],
        measured: frozenset[str],
        tables: Tables,
        rulebook: Rulebook,
        judges: Mapping[str, RuleJudge],
    ) -> None:
        self._kernels, self._tables, self._rulebook, self._judges = kernels, tables, rulebook, judges
        self._measured = measured
        sources: dict[str, Source] = {key: "measured" if key in measured else "simulated" for key in kernels}
        self._sources = sources
        self._rows: dict[str, dict[str, dict[int, int]]] = {}

    def findings(
        self, matches: Sequence[Match], findings: Iterable[Finding], tables: Tables
    ) -> Iterator[Finding]:
        """The findings of matches in `tables`, with how many launches show them, and those that only other
        launches show.
        """
        told: dict[str, set[str]] = {}
        for match, finding in zip(matches, findings, strict=True):
            rule, key = match.rule, tables[match.rule.entity].keys[match.row]
            told.setdefault(rule.id, set()).add(key)
            kernel = self._kernel(match, tables)
            if kernel is None:
                yield finding
            else:
                yield _with_launches(finding, self._kernels[kernel], self._launches(rule).get(key, {}))
        for judge in self._judges.values():
            if any(judge.rests_on(source, self._tables) for source in set(self._sources.values())):
                yield from self._further(judge, told.get(judge.rule.id, set()))

    def _further(self, judge: RuleJudge, told: set[str]) -> Iterator[Finding]:
        """The findings of a rule that enough launches show, though not that which its kernel is judged by."""
        for key, rows in self._launches(judge.rule).items():
            if key in told:
                continue
            kernel = self._kernel_of(judge.rule.entity, next(iter(rows.values())), self._tables) or ""
            launches, source = self._kernels.get(kernel, ()), self._sources.get(kernel, "simulated")
            if (_showing(launches, rows).share_of_time or 0.0) < _told_from_share():
                continue
            heaviest = max(rows, key=lambda number: launches[number].seconds or 0.0)
            match = judge.match_in_row(self._tables, rows[heaviest])
            sources = {one.source for one in match.evidence} if match is not None else set()
            # The machine code is that of the judged launch's types.
            if match is None or source not in sources:
                continue
            # A page of lines tells no shape, and its numbers are those of all of them.
            if source == "measured" and judge.rule.entity != "kernel":
                continue
            if "compiled" in sources and not launches[heaviest].has_types_of_judged:
                continue
            finding = to_finding(match, self._rulebook, self._tables)
            yield finding if source == "measured" else _with_launches(finding, launches, rows)

    def _launches(self, rule: Rule) -> dict[str, dict[int, int]]:
        """Where a rule fires: by the key of the record the launches, each with its row."""
        if rule.id not in self._rows:
            found = self._rows[rule.id] = {}
            of_launches = rule.entity not in _AROUND
            for row in self._judges[rule.id].rows(self._tables) if of_launches else ():
                key, launch = _key_and_launch(self._tables[rule.entity].keys[row])
                found.setdefault(key, {})[launch] = row
        return self._rows[rule.id]

    def _kernel(self, match: Match, tables: Tables) -> str | None:
        """The key of a match's kernel where its launches differ and the match rests on what they counted."""
        if match.rule.entity == "defect" or all(one.source != "simulated" for one in match.evidence):
            return None
        key = self._kernel_of(match.rule.entity, match.row, tables)
        return key if key in self._kernels and key not in self._measured else None

    def _kernel_of(self, entity: str, row: int, tables: Tables) -> str | None:
        number = kernel_of_row(entity, row, tables, self._rulebook)
        if number < 0 or "kernel" not in tables:
            return None
        key = tables["kernel"].keys[number]
        return _key_and_launch(key)[0] if tables is self._tables else key


def _with_launches(finding: Finding, launches: Sequence[DifferentLaunch], showing: Iterable[int]) -> Finding:
    found = _showing(launches, showing)
    return replace(finding, launches=found, assumptions=(*finding.assumptions, found.in_words()))


def _showing(launches: Sequence[DifferentLaunch], showing: Iterable[int]) -> ShowingLaunches:
    chosen = [launches[number] for number in showing]
    seconds = [one.seconds for one in launches if one.seconds is not None]
    share = None
    if launches and len(seconds) == len(launches):
        share = sum(one.seconds or 0.0 for one in chosen) / sum(seconds)
    return ShowingLaunches(sum(one.launches for one in chosen), sum(one.launches for one in launches), share)
