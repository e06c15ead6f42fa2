"""Answers to the questions of a diagnosis: what the rules say of this kernel, and the numbers behind it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from advisor.check.speedup_bounds.tree import Question
from advisor.evidence.metrics.tables import Tables
from advisor.model.findings import Finding
from advisor.model.records import Record
from advisor.rules.evaluation.trace import Step, kernel_entity, traces
from advisor.rules.model import Rulebook
from advisor.rules.settings import RuleSettings
from advisor.rules.units import format_value

Verdict = Literal["cause", "fine", "partly", "unknown"]


@dataclass(frozen=True)
class Shown:
    """A metric of the kernel as a person writes it, and its source."""

    name: str
    value: str
    source: str


@dataclass(frozen=True)
class Answer:
    """What is known to a question: a cause with its findings, or nothing wrong as far as rules were decided.

    It is "fine" where all were, "partly" where some, "unknown" where none was for lack of `needs`.
    """

    question: Question
    verdict: Verdict
    values: tuple[Shown, ...]
    findings: tuple[Finding, ...]
    needs: tuple[str, ...]


@dataclass(frozen=True)
class Judged:
    """What answers rest on: rulebook, tables, the kernel's record, and the findings that concern it."""

    rulebook: Rulebook
    tables: Tables
    kernel: Record
    findings: Sequence[Finding]
    settings: RuleSettings

    def answers(self, questions: Iterable[Question]) -> Iterator[Answer]:
        """The answers to those of the questions of which some rule is about kernels of this kind."""
        for one in questions:
            if self._asks(one):
                yield self.answer(one)

    def _asks(self, question: Question) -> bool:
        rules = [self.rulebook.rule(name) for name in question.rules]
        return any(one is not None and kernel_entity(one) == self.kernel.entity for one in rules)

    def answer(self, question: Question) -> Answer:
        """The answer to a question."""
        found = tuple(one for one in self.findings if one.rule in question.rules)
        decided, needs = self._decided(question.rules)
        verdict: Verdict = "fine" if not needs else "partly" if decided else "unknown"
        if found:
            verdict, needs = "cause", ()
        return Answer(question, verdict, tuple(self._values(question.metrics)), found, needs)

    def _decided(self, rules: Iterable[str]) -> tuple[bool, tuple[str, ...]]:
        """Whether some rule was decided about the kernel, and what others would need."""
        decided, needs = False, set[str]()
        for name in rules:
            rule = self.rulebook.rule(name)
            if rule is None or kernel_entity(rule) != self.kernel.entity:
                continue
            found = traces(self.rulebook, rule, self.tables, self.kernel.key, self.settings)
            unknown = [trace for trace in found if trace.verdict == "unknown"]
            decided = decided or not unknown
            for trace in unknown:
                needs.update(_unknown(trace.steps))
        return decided, tuple(sorted(needs))

    def _values(self, names: Iterable[str]) -> Iterator[Shown]:
        for name in names:
            reading, metric = self.kernel.readings.get(name), self.rulebook.metric(self.kernel.entity, name)
            if reading is None or metric is None:
                continue
            value = reading.value
            shown = value if isinstance(value, str) else format_value(float(value), metric.unit)
            yield Shown(name, shown, reading.source)


def _unknown(steps: Iterable[Step]) -> Iterator[str]:
    for step in steps:
        if step.answer == "unknown":
            yield from (value.name for value in step.values if value.shown == "unknown")
            yield from _unknown(step.parts)


def concerning(findings: Iterable[Finding], path: str, kernel: str) -> list[Finding]:
    """The findings of a kernel in a file, and those of the file that belong to no kernel."""
    return [
        one
        for one in findings
        if (one.kernel_concerned() == kernel and path in (one.path, *(place.path for place in one.related)))
        or (one.kernel_concerned() is None and one.path == path)
    ]
