"""What a short report shows: the causes that matter most, by kernel, and how much is left out."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache

from advisor.check.speedup_bounds.actions import Action, actions_of
from advisor.model.data_files import knowledge_folder
from advisor.model.findings import Finding, Report

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@dataclass(frozen=True)
class Amounts:
    """The most that a short report shows of each."""

    causes: int
    causes_of_kernel: int
    lines_of_cause: int
    lines_of_message: int
    columns_of_message: int
    lines_of_facts: int
    places: int
    problems: int
    lines_of_problem: int
    lines_of_notices: int


@dataclass(frozen=True, order=True)
class Owner:
    """What causes belong to: a kernel, or where `kernel` is empty the host code of a file."""

    path: str
    kernel: str


@dataclass(frozen=True)
class ShownCauses:
    """The causes that are shown in full, by kernel, those that have a line, and the findings left out."""

    in_full: Sequence[tuple[Owner, Sequence[Action]]]
    in_a_line: Sequence[Action]
    left_out: Sequence[Finding]


@cache
def amounts() -> Amounts:
    """The numbers of `knowledge/short_report.toml`."""
    data = tomllib.loads((knowledge_folder() / "short_report.toml").read_text("utf-8"))
    return Amounts(**data["shown"])


def shown_causes(report: Report, most: int) -> ShownCauses:
    """The `most` important causes of a report: errors first, then warnings by gain, some of each kernel.

    Where that leaves room the other warnings and then the info findings have a line each. What says the same
    of several kernels is one cause, of the first of them; so is what a rule says of a place that several
    kernels call.
    """
    actions = _joined(actions_of(report), lambda one: (one.rule, one.severity, one.message))
    actions = _joined(actions, lambda one: (one.rule, one.severity, one.path, one.span))
    in_full = _some_of_each_kernel([one for one in actions if one.finding.severity != "info"], most)
    chosen = {id(one) for one in in_full}
    others = [one for one in actions if id(one) not in chosen]
    room = most - len(in_full)
    return ShownCauses(_by_owner(in_full), others[:room], _findings(others[room:]))


def owner_of(finding: Finding) -> Owner:
    """The kernel that a finding concerns, with the file that declares it, or the host code of its file."""
    if finding.kernel:
        return Owner(finding.path, finding.kernel)
    declared = next((one for one in finding.related if one.kernel), None)
    return Owner(declared.path, declared.kernel) if declared else Owner(finding.path, "")


def _joined(actions: Iterable[Action], key: Callable[[Finding], object]) -> list[Action]:
    alike: dict[object, Action] = {}
    for one in actions:
        first = alike.setdefault(key(one.finding), one)
        if first is not one:
            others = (*first.others, one.finding, *one.others)
            alike[key(one.finding)] = replace(first, others=others)
    return list(alike.values())


def _some_of_each_kernel(actions: Iterable[Action], most: int) -> list[Action]:
    taken: dict[Owner, int] = {}
    chosen: list[Action] = []
    for one in actions:
        owner = owner_of(one.finding)
        if len(chosen) < most and taken.get(owner, 0) < amounts().causes_of_kernel:
            taken[owner] = taken.get(owner, 0) + 1
            chosen.append(one)
    return chosen


def _by_owner(actions: Iterable[Action]) -> list[tuple[Owner, Sequence[Action]]]:
    groups: dict[Owner, list[Action]] = {}
    for one in actions:
        groups.setdefault(owner_of(one.finding), []).append(one)
    return list(groups.items())


def _findings(actions: Iterable[Action]) -> list[Finding]:
    return [finding for one in actions for finding in (one.finding, *one.others)]
