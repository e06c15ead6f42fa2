"""A rule that fired, told with its numbers: evidence, texts, assumptions, gain."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from advisor.model.findings import REMARK, SEVERITIES, Confidence, Evidence, Gain, Severity
from advisor.model.records import Source
from advisor.model.remedies import CountChange
from advisor.rules.evaluation.evaluate import Evaluation
from advisor.rules.evaluation.remedies import count_changes
from advisor.rules.language.expressions import Expression, Operation, Reference, references
from advisor.rules.model import Metric, Rule
from advisor.rules.policy import Circumstance, Policy, lowered
from advisor.rules.units import COUNT, TEXT, TRUTH, format_range, format_value

# A field, and behind it what it counts, in the plural that nearly all numbers want.
_FIELD = re.compile(
    r"(?<![\d.,])\{(?P<counted>[^{}]*)\} (?!(?:is|has|was|does|goes|times|less|this|as|axis)\b)"
    r"(?P<things>[a-z]+s)\b"
    r"|\{(?P<alone>[^{}]*)\}"
)
_WITH_ES = ("ches", "shes", "sses", "xes")
_COMPARISONS = ("<", "<=", ">", ">=", "=", "!=", "between")
_LARGEST_SHARE = 0.999


@dataclass
class Match:
    """A rule that fires on one row."""

    rule: Rule
    row: int
    severity: Severity
    say: str
    why: str
    advice: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    assumptions: tuple[str, ...]
    gain: Gain | None
    weight: float | None = None
    confidence: Confidence = "medium"
    # What the remedy changes, None where a number for it is missing; whether something else sets the level.
    changes: tuple[CountChange, ...] | None = ()
    keeps_level: bool = False


@dataclass
class Telling:
    """Tells of the matches of one rule under its parameters and a policy.

    `references` are the metrics it rests on; `level_given` says that an override has set its severity.
    """

    rule: Rule
    params: Mapping[str, float]
    severity: Severity
    references: Sequence[Reference]
    policy: Policy
    level_given: bool = False

    def match(
        self,
        evaluation: Evaluation,
        at: int,
        notes: tuple[str, ...],
        circumstances: Sequence[Circumstance] = (),
    ) -> Match | None:
        """The match in row `at` of the evaluated block, None where the policy wants none told.

        `notes` are added to its assumptions; `circumstances` are those that hold there.
        """
        view = evaluation.view
        block = view.block(view.start + at, view.start + at + 1)
        single = Evaluation(block, self.params, dict(self.rule.lets), evaluation.metrics)
        evidence = self._evidence(single, self.rule.when)
        assumptions = self._assumptions(single)
        own = self.severity
        if assumptions and self.rule.severity_when_assumed is not None:
            own = min(own, self.rule.severity_when_assumed, key=SEVERITIES.index)
        doubts = [item.reason for item in self.rule.doubts if single.condition(item.condition)[0][0]]
        confidence = "low" if doubts else self.rule.confidence
        reasons = [(doubt, self.policy.doubt) for doubt in doubts]
        reasons += [(one.because, one.level) for one in circumstances]
        severity: Severity | None = own
        for reason, level in reasons:
            severity = None if severity is None else lowered(severity, level)
            if reason and level == "info" and own != SEVERITIES[0]:
                notes = (*notes, f"{REMARK}: {reason}.")
        if severity is None:
            return None
        return Match(
            self.rule, view.start + at, severity,
            self._message(single), self._text(self.rule.why, single),
            tuple(self._text(line, single) for line in self.rule.advice), tuple(evidence),
            (*assumptions, *notes), self._gain(single), self._weight(single), confidence,
            count_changes(self.rule, single), self.level_given or bool(circumstances),
        )  # fmt: skip

    def _message(self, evaluation: Evaluation) -> str:
        """What the rule says, and of its further sentences those whose condition holds."""
        further = (one.text for one in self.rule.sentences if evaluation.condition(one.condition)[0][0])
        return " ".join(self._text(text, evaluation) for text in (self.rule.say, *further))

    def _weight(self, evaluation: Evaluation) -> float | None:
        """The number by which one finding of a kernel is chosen, 0 where it is unknown; None for all."""
        if self.rule.once is None:
            return None
        return self._value(evaluation, self.rule.once) or 0.0

    def _evidence(self, evaluation: Evaluation, expression: Expression) -> list[Evidence]:
        found: list[Evidence] = []
        if isinstance(expression, Operation) and expression.operator in _COMPARISONS:
            left, right = expression.operands[0], expression.operands[-1]
            for side, other in ((left, right), (right, left)):
                for reference in references(side):
                    threshold = self._value(evaluation, other) if side is reference else None
                    found += self._piece(evaluation, reference, threshold)
            return found
        if isinstance(expression, Reference):
            return self._piece(evaluation, expression, None)
        if isinstance(expression, Operation) and expression.operator not in (
            "one_of",
            "like",
            "known",
            "missing",
        ):
            for operand in expression.operands:
                found += self._evidence(evaluation, operand)
        if isinstance(expression, Operation) and expression.operator == "one_of":
            found += self._piece(evaluation, expression.operands[0], None)
        unique = {item.metric: item for item in reversed(found)}
        return list(reversed(unique.values()))

    def _piece(
        self, evaluation: Evaluation, expression: Expression, threshold: float | None
    ) -> list[Evidence]:
        metric = evaluation.metric_of(expression.parts) if isinstance(expression, Reference) else None
        if metric is None or not isinstance(expression, Reference):
            return []
        value = self._reading(evaluation, expression, metric)
        column, rows, _ = evaluation.view.column(expression.parts)
        row = evaluation.view.start if rows is None else int(rows[0])
        source: Source | None = column.source(row) if column is not None and row >= 0 else None
        if value is None or source is None:
            return []
        text = self._shown(evaluation, expression, value, metric)
        return [Evidence(metric.name, value, metric.unit.name, threshold, source, text)]

    @staticmethod
    def _shown(
        evaluation: Evaluation, reference: Reference, value: float | str | bool, metric: Metric
    ) -> str:
        """A value as a person writes it; `4 to 8 sectors/request` where an assumption may change it."""
        column, rows, _ = evaluation.view.column(reference.parts)
        row = evaluation.view.start if rows is None else int(rows[0])
        span = None if column is None else column.span(row)
        return format_value(value, metric.unit) if span is None else format_range(*span, metric.unit)

    def _reading(
        self, evaluation: Evaluation, reference: Reference, metric: Metric
    ) -> float | str | bool | None:
        if metric.unit == TEXT:
            found: str | None = evaluation.view.texts(reference.parts)[0]
            return found
        value = float(evaluation.view.numbers(reference.parts)[0])
        if np.isnan(value):
            return None
        return bool(value) if metric.unit == TRUTH else value

    def _value(self, evaluation: Evaluation, expression: Expression) -> float | None:
        if evaluation.kind(expression) != "number":
            return None
        value = float(np.asarray(evaluation.number(expression)).reshape(-1)[0])
        return None if np.isnan(value) else value

    def _assumptions(self, evaluation: Evaluation) -> tuple[str, ...]:
        found: dict[str, None] = {}
        for reference in self.references:
            column, rows, _ = evaluation.view.column(reference.parts)
            if column is not None:
                row = evaluation.view.start if rows is None else int(rows[0])
                found.update(dict.fromkeys(column.assumptions.get(row, ())))
        return tuple(found)

    def _gain(self, evaluation: Evaluation) -> Gain | None:
        if self.rule.gain is None:
            return None
        share = self._value(evaluation, self.rule.gain)
        if share is None or not share > 0:
            return None
        speedup = 1 / (1 - min(share, _LARGEST_SHARE))
        return Gain(round(speedup, 3), "at most" if self.rule.gain_at_most else "about")

    def _text(self, template: str, evaluation: Evaluation) -> str:
        def filled(match: re.Match[str]) -> str:
            shown = self._filled(match["counted"] or match["alone"] or "", evaluation)
            # Inside a piece of code the name is not marked as code once more.
            inside = template.count("`", 0, match.start()) % 2 == 1
            told = shown.strip("`") if inside else shown
            things = match["things"]
            return told if things is None else f"{told} {_singular(things) if told == '1' else things}"

        return _FIELD.sub(filled, template)

    def _let(self, evaluation: Evaluation, reference: Reference) -> str:
        kind = evaluation.kind(reference)
        if kind == "text":
            return evaluation.texts(reference)[0] or "unknown"
        if kind == "truth":
            (true,), (possible,) = evaluation.condition(reference)
            return "yes" if true else "unknown" if possible else "no"
        value = self._value(evaluation, reference)
        return "unknown" if value is None else format_value(value, COUNT)

    def _filled(self, name: str, evaluation: Evaluation) -> str:
        parts = tuple(name.split("."))
        if len(parts) == 1 and (parts[0] in evaluation.view.variables or parts[0] in ("run", "device")):
            table, row = evaluation.view.row_of(parts, 0)
            return f"`{table.labels[row]}`" if table is not None and row >= 0 else parts[0]
        if len(parts) == 1 and parts[0] in self.params:
            unit = next(param.unit for param in self.rule.params if param.name == parts[0])
            return format_value(self.params[parts[0]], unit)
        if len(parts) == 1:
            return self._let(evaluation, Reference(parts, self.rule.span))
        metric = evaluation.metric_of(parts)
        reference = Reference(parts, self.rule.span)
        reading = self._reading(evaluation, reference, metric) if metric else None
        if reading is None or metric is None:
            return "unknown"
        shown = self._shown(evaluation, reference, reading, metric)
        return f"`{shown}`" if metric.unit == TEXT and metric.name in ("array", "call", "name") else shown


def _singular(plural: str) -> str:
    if plural.endswith("ies"):
        return f"{plural[:-3]}y"
    return plural[:-2] if plural.endswith(_WITH_ES) else plural[:-1]
