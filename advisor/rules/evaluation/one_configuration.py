"""What one rule says of launches of several kernels with one grid and block is one finding (decision 60)."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache

from advisor.model.data_files import knowledge_folder
from advisor.model.findings import HERE_TOO, Finding, Related
from advisor.rules.evaluation.causes import HostFunctions, assumptions_of, badness

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@dataclass(frozen=True)
class _OfConfiguration:
    """The rules whose cause lies in grid and block, by themselves or by their category."""

    categories: frozenset[str]
    rules: frozenset[str]

    def concerns(self, finding: Finding) -> bool:
        """Whether a finding is of one of them, and its grid and block are known as they are written."""
        return bool(finding.configuration) and (
            finding.category in self.categories or finding.rule in self.rules
        )


def joined_configurations(findings: Iterable[Finding], texts: Mapping[str, str]) -> list[Finding]:
    """The findings, those of a rule about grid and block joined where one host function writes the same ones.

    The finding stands where it is worst, of the levels and gains that its places have by then.
    """
    rules, functions = _shipped(), HostFunctions(texts)
    alike: dict[object, list[Finding]] = {}
    for number, finding in enumerate(findings):
        # What is wrong with the results of one kernel may be right for another.
        level = finding.severity if finding.rule in rules.rules else ""
        same = (finding.rule, finding.path, finding.configuration, level)
        alike.setdefault(same if rules.concerns(finding) else number, []).append(finding)
    groups = [
        group for same in alike.values() for group in ((same,) if len(same) == 1 else functions.apart(same))
    ]
    return [group[0] if len(group) == 1 else _joined(group) for group in groups]


def _joined(group: list[Finding]) -> Finding:
    ordered = sorted(group, key=lambda one: (one.span.line, one.span.column))
    worst = max(ordered, key=badness)
    others = [one for one in ordered if one is not worst]
    count = sum(1 + len(one.further_places) for one in ordered)
    kernels = {(one.kernel_concerned(), one.kernel_line) for one in ordered}
    own = dict.fromkeys(one for each in (worst, *others) for one in each.related if not one.same_cause)
    places = [*worst.further_places, *(place for one in others for place in _places(one, worst))]
    return replace(
        worst,
        message=f"{_without_extent(worst)} In {count} launches of {len(kernels)} kernels.",
        assumptions=tuple(dict.fromkeys(assumptions_of(worst, others))),
        related=(*own, *sorted(places, key=lambda one: (one.span.line, one.span.column))),
    )


def _places(one: Finding, worst: Finding) -> Iterable[Related]:
    """The places of a finding of another kernel, of which only what differs in more than its name is told."""
    name, told = one.kernel_concerned() or "", _without_extent(worst)
    for place in one.at_each_place():
        message = _without_extent(one) if place.message == one.message else place.message
        named = message.replace(f"`{name}`", f"`{worst.kernel_concerned()}`")
        yield Related(
            place.path, place.span, HERE_TOO if named == told else message, kernel=name, same_cause=True
        )


def _without_extent(finding: Finding) -> str:
    """What a finding says, without in how many places."""
    return finding.message.removesuffix(f" In {1 + len(finding.further_places)} places.")


@cache
def _shipped() -> _OfConfiguration:
    """What `knowledge/launches.toml` says."""
    data = tomllib.loads((knowledge_folder() / "launches.toml").read_text("utf-8"))["of_configuration"]
    return _OfConfiguration(frozenset(data["categories"]), frozenset(data["rules"]))
