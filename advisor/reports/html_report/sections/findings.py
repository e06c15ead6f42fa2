"""Findings in the recommended order, those of one rule in one kernel together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass

from advisor.check.speedup_bounds.actions import Action
from advisor.check.speedup_bounds.tree import diagnosis_tree
from advisor.model.findings import FASTER, Evidence, Finding, Fix
from advisor.reports.diagnosis.actions_in_words import (
    action_in_words,
    estimate_in_words,
    factor_in_short,
    place_in_words,
)
from advisor.reports.html_report.amounts import amounts
from advisor.reports.html_report.material import Material
from advisor.reports.html_report.parts import Table, cells
from advisor.reports.outputs import RuleCatalogue
from advisor.reports.outputs.wording.counts import counted, listed
from advisor.reports.outputs.wording.quantities import quantity
from advisor.reports.rule_pages.page_model import web_only
from advisor.runs.comparison.ranking.order import Advice, Step

_SOURCES = {
    "assumed": "assumed", "source": "source", "compiled": "machine code", "synthesised": "synthesised",
    "simulated": "predicted", "measured": "measured",
}  # fmt: skip


@dataclass(frozen=True)
class FixText:
    """A fix in words; `style` is that of its verdict."""

    title: str
    safety: str
    condition: str
    verdict: str
    style: str


@dataclass(frozen=True)
class Entry:
    """What one rule found in one kernel: words of the first finding, and the places of all."""

    name: str
    number: int
    severity: str
    title: str
    rule: str
    kernel: str
    kernel_number: int | None
    places: tuple[str, ...]
    summary: str
    message: str
    others: tuple[str, ...]
    why: str
    facts: tuple[str, ...]
    advice: tuple[str, ...]
    evidence: Table
    assumptions: tuple[str, ...]
    fixes: tuple[FixText, ...]
    has_rule: bool
    url: str
    is_open: bool


@dataclass(frozen=True)
class StepPart:
    """A step of the recommended order with its entries."""

    name: str
    title: str
    text: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True)
class FirstAction:
    """What to do first, in a sentence, and the entry that tells more (empty where it is left out)."""

    text: str
    target: str


@dataclass(frozen=True)
class RuleText:
    """What is said of a rule that found something."""

    id: str
    title: str
    category: str
    doc: str
    why: str
    url: str


@dataclass(frozen=True)
class FindingsPart:
    """What to do first, all steps, the words above them, the rules that they name, and entries by place
    (path, line).
    """

    first: tuple[FirstAction, ...]
    paragraphs: tuple[str, ...]
    steps: tuple[StepPart, ...]
    rules: tuple[RuleText, ...]
    at: Mapping[tuple[str, int], tuple[int, ...]]


def findings_part(material: Material) -> FindingsPart:
    """The findings of all rankings, step by step."""
    steps: list[StepPart] = []
    actions = first_actions(material)
    best = actions[0].finding if actions else None
    entries_of: dict[int, int] = {}
    at: dict[tuple[str, int], tuple[int, ...]] = {}
    number = left_out = 0
    for step, groups in _steps(material):
        entries = []
        for group in groups:
            if number >= amounts().findings:
                left_out += 1
                continue
            number += 1
            entries.append(_entry(material, number, group, best))
            entries_of.update((id(advice.finding), number) for advice in group)
            for one in _places(group):
                place = (one.path, one.span.line)
                if number not in at.get(place, ()):
                    at[place] = (*at.get(place, ()), number)
        steps.append(StepPart(f"step-{step.id}", step.title, step.text, tuple(entries)))
    named = {entry.rule for step in steps for entry in step.entries}
    rules = tuple(_rule(material.rules, name) for name in sorted(named) if name in material.rules)
    nowhere = material.nowhere
    first = tuple(_first(one, entries_of.get(id(one.finding)), nowhere) for one in actions)
    return FindingsPart(first, _paragraphs(number, left_out), tuple(steps), rules, at)


def first_actions(material: Material) -> list[Action]:
    """The first actions of the first ranking that has some, which are those of `advisor check`."""
    every = (ranking.actions for ranking in material.rankings)
    return next((actions for actions in every if actions), [])[: diagnosis_tree().first]


def _first(action: Action, entry: int | None, nowhere: Container[str]) -> FirstAction:
    text = action_in_words(action, place_in_words(action, nowhere))
    return FirstAction(text, "" if entry is None else f"#finding-{entry}")


def _steps(material: Material) -> Iterator[tuple[Step, list[list[Advice]]]]:
    """The steps of all rankings together, each with its findings by rule and kernel."""
    every: dict[str, Step] = {step.id: step for ranking in material.rankings for step in ranking.steps}
    for step_id, step in every.items():
        groups: dict[tuple[str, str, str | None], list[Advice]] = {}
        for ranking in material.rankings:
            for own in (one for one in ranking.steps if one.id == step_id):
                for advice in own.advice:
                    finding = advice.finding
                    groups.setdefault((finding.rule, finding.path, finding.kernel), []).append(advice)
        yield step, list(groups.values())


def _places(group: Sequence[Advice]) -> list[Finding]:
    """The findings of a group at each of their places."""
    return [one for advice in group for one in advice.finding.at_each_place()]


def _paragraphs(number: int, left_out: int) -> tuple[str, ...]:
    if not number:
        return ("The rules found nothing to tell of these kernels.",)
    text = (
        "In the recommended order, and in each step by what is saved of the run's time for the effort. "
        "What one rule says of several lines of a kernel stands together."
    )
    more = f"{counted(left_out, 'more entry', 'more entries')} that save less are left out here."
    return (text, more) if left_out else (text,)


def _entry(material: Material, number: int, group: Sequence[Advice], best: Finding | None) -> Entry:
    first = group[0]
    finding = first.finding
    places = _places(group)
    known = (one for one in places if one.path not in material.nowhere)
    lines = list(dict.fromkeys(f"{one.path}:{one.span.line}" for one in known))
    most = amounts().places
    others = [
        f"Line {one.span.line}: {one.message}" for one in places[1:most] if one.message != finding.message
    ]
    concerned = first.kernel or finding.kernel or ""
    return Entry(
        name=f"finding-{number}",
        number=number,
        severity=finding.severity,
        title=finding.title or finding.rule,
        rule=finding.rule,
        kernel=concerned,
        kernel_number=_kernel_number(material, concerned, finding),
        places=tuple(lines[:most]) + ((f"and {len(lines) - most} more",) if len(lines) > most else ()),
        summary=factor_in_short(first.action),
        message=finding.message,
        others=tuple(dict.fromkeys(others)),
        why=finding.why,
        facts=_facts(first),
        advice=finding.advice,
        evidence=_evidence(finding.evidence),
        assumptions=finding.assumptions,
        fixes=tuple(dict.fromkeys(_fix(fix) for one in group for fix in one.finding.fixes)),
        has_rule=finding.rule in material.rules,
        url=web_only(finding.url),
        is_open=any(one.finding is best for one in group),
    )


def _kernel_number(material: Material, name: str, finding: Finding) -> int | None:
    for ranking in material.rankings:
        for kernel in ranking.kernels:
            if kernel.name == name and kernel.place.path == finding.path:
                return material.number(kernel)
    return None


def _facts(advice: Advice) -> tuple[str, ...]:
    finding = advice.finding
    estimate = estimate_in_words(advice.action)
    found = [estimate] if estimate else []
    if finding.effort:
        found.append(f"effort {finding.effort}")
    return (*found, f"confidence {finding.confidence}")


def _evidence(evidence: Sequence[Evidence]) -> Table:
    rows = tuple(
        cells(
            one.metric,
            one.text or quantity(one.value, one.unit),
            "" if one.threshold is None else quantity(one.threshold, one.unit),
            _SOURCES[one.source],
        )
        for one in evidence
    )
    return Table("Evidence", ("metric", "value", "compared with", "known from"), rows, frozenset({1, 2}))


def _fix(fix: Fix) -> FixText:
    proof = fix.proof
    if proof is None:
        verdict, style = ("not tried yet: `advisor verify` does" if fix.edits else ""), ""
    else:
        verdict = ("withdrawn: " if proof.withdraws else "") + proof.in_words()
        style = "withdrawn" if proof.withdraws else ("faster" if proof.verdict in FASTER else "")
    return FixText(fix.title, fix.safety, fix.condition, verdict, style)


def _rule(rules: RuleCatalogue, name: str) -> RuleText:
    rule = rules[name]
    return RuleText(rule.id, rule.title, rule.category, rule.doc, rule.why, web_only(rule.url))


def severities(part: FindingsPart) -> str:
    """How many entries there are of each severity, in words."""
    every = Counter(entry.severity for step in part.steps for entry in step.entries)
    named = (("error", "error"), ("warning", "warning"), ("info", "info finding"))
    found = [counted(every[one], words) for one, words in named if every[one]]
    return listed(found) or "no findings"
