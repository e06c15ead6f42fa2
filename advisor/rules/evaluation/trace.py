"""Why a rule fires on a row, or why not: the parts of its conditions, and what would change the verdict."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from advisor.evidence.metrics.tables import KERNEL_ENTITIES, Tables
from advisor.model.findings import Severity
from advisor.model.text.source_text import Span
from advisor.rules.evaluation.columns import View
from advisor.rules.evaluation.evaluate import Evaluation
from advisor.rules.evaluation.judgement import RuleJudge
from advisor.rules.language.expressions import Expression, Operation, Quantified, Reference
from advisor.rules.language.written_form import written
from advisor.rules.model import Metric, Override, Rule, Rulebook, Suppress
from advisor.rules.policy import Circumstance
from advisor.rules.settings import RuleSettings
from advisor.rules.units import COUNT, TEXT, TRUTH, format_range, format_value

Answer = Literal["yes", "no", "unknown"]
_COMPARISONS = ("<", "<=", ">", ">=", "=", "!=")
_WORDS = {"<": "below", "<=": "at most", ">": "above", ">=": "at least", "=": "", "!=": "not"}
_NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "=": "!=", "!=": "="}
_SWAPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "!=": "!="}


@dataclass(frozen=True, slots=True)
class Value:
    """A metric's value as a person writes it, "unknown" where it is, and the source that gave it."""

    name: str
    shown: str
    source: str


@dataclass(frozen=True, slots=True)
class Step:
    """One part of a condition: its text, the answer, the values it rests on, and its own parts."""

    text: str
    answer: Answer
    values: tuple[Value, ...]
    parts: tuple[Step, ...] = ()
    exception: bool = False
    doubt: bool = False


@dataclass(frozen=True, slots=True)
class Trace:
    """A rule's verdict on one row by its conditions, and the way there.

    `changes` are the least ways to another verdict; each is a list of changes that have to come together.
    `severity` is that of the finding where it fires; `overrides` hold for the row, one that disables the rule
    among them, `accepted_by` is a pack's suppression of the finding, and `circumstances` are those of the
    policy that lower its level.
    """

    rule: Rule
    label: str
    path: str
    line: int
    verdict: str
    steps: tuple[Step, ...]
    changes: tuple[tuple[str, ...], ...]
    span: Span
    severity: Severity | None = None
    overrides: tuple[Override, ...] = ()
    accepted_by: Suppress | None = None
    circumstances: tuple[Circumstance, ...] = ()


def traces(
    rulebook: Rulebook, rule: Rule, tables: Tables, kernel: str, settings: RuleSettings
) -> list[Trace]:
    """The traces of a rule on every row that belongs to a kernel, given by its key."""
    judge = RuleJudge(rulebook, rule, settings)
    view = View(tables, dict(rule.variables), rulebook.owner_entity())
    table = tables.get(rule.entity)
    if table is None:
        return []
    wanted = set(_rows_of(tables, rule, kernel))
    found = {
        row: _trace(judge, view, row)
        for rows in judge.rows_by_variant(view)
        for row in sorted(wanted.intersection(rows))
    }
    return [found[row] for row in sorted(found)]


def kernel_entity(rule: Rule) -> str:
    """The kind of kernels that a rule is about, "kernel" for those of Numba."""
    named = {rule.entity, *dict(rule.variables).values()}
    return next((one for one in KERNEL_ENTITIES if one in named), "kernel")


def _rows_of(tables: Tables, rule: Rule, kernel: str) -> Iterator[int]:
    """The rows of a rule's entity that are a kernel, its parts, or what the kernel is part of."""
    table, kernels = tables[rule.entity], tables.get(kernel_entity(rule))
    for row in range(len(table)):
        if rule.entity in KERNEL_ENTITIES:
            if table.keys[row] == kernel:
                yield row
        elif rule.entity in ("run", "device") or kernels is None:
            yield row
        else:
            owner = int(table.owners[row])
            if owner >= 0 and kernels.keys[owner] == kernel:
                yield row


def _trace(judge: RuleJudge, view: View, row: int) -> Trace:
    rule, table = judge.rule, view.tables[judge.rule.entity]
    block = view.block(row, row + 1)
    evaluation = Evaluation(block, judge.params, dict(rule.lets), judge.rulebook.metrics)
    tracer = Tracer(evaluation, rule)
    steps = [tracer.step(part) for part in _conjuncts(rule.when)]
    steps += [replace(tracer.step(item.condition), exception=True) for item in rule.unless]
    steps += [replace(tracer.step(item.condition), doubt=True) for item in rule.doubts]
    verdict = judge.verdict(view.tables, row)
    changes = tracer.to_rest(rule) if verdict in ("fires", "info") else tracer.to_fire(rule)
    least = sorted(changes, key=len)[:3]
    match = judge.match_of(block)
    return Trace(
        rule, table.labels[row], table.paths[row], table.spans[row].line, verdict, tuple(steps), tuple(least),
        table.spans[row], None if match is None else match.severity, tuple(judge.changes.values()),
        None if match is None else judge.accepted_by(block), tuple(judge.circumstances(block)),
    )  # fmt: skip


def _conjuncts(expression: Expression) -> tuple[Expression, ...]:
    if isinstance(expression, Operation) and expression.operator == "and":
        return expression.operands
    return (expression,)


class Tracer:
    """Answers for one row."""

    def __init__(self, evaluation: Evaluation, rule: Rule) -> None:
        self.evaluation = evaluation
        self.units = {param.name: param.unit for param in rule.params}

    def answer(self, expression: Expression) -> Answer:
        """Whether a condition holds."""
        true, possible = self.evaluation.condition(expression)
        return "yes" if true[0] else "unknown" if possible[0] else "no"

    def step(self, expression: Expression) -> Step:
        """A condition with its values and parts."""
        expression = self._opened(expression)
        parts: tuple[Step, ...] = ()
        if isinstance(expression, Operation) and expression.operator in ("and", "or", "not"):
            parts = tuple(self.step(operand) for operand in expression.operands)
        values = () if parts else tuple(self._values(expression))
        return Step(written(expression), self.answer(expression), values, parts)

    def _opened(self, expression: Expression) -> Expression:
        """A condition without its brackets, and what a `let` stands for."""
        while True:
            if isinstance(expression, Operation) and expression.operator == "group":
                expression = expression.operands[0]
            elif isinstance(expression, Reference) and ".".join(expression.parts) in self.evaluation.lets:
                expression = self.evaluation.lets[expression.parts[0]]
            else:
                return expression

    def _values(self, expression: Expression) -> Iterator[Value]:
        seen: set[tuple[str, ...]] = set()
        for reference in _every_reference(expression, dict(self.evaluation.lets)):
            if reference.parts not in seen:
                seen.add(reference.parts)
                yield self._value(reference)

    def _value(self, reference: Reference) -> Value:
        name = written(reference)
        if len(reference.parts) == 1:
            return Value(name, format_value(self.evaluation.params[name], self.units[name]), "parameter")
        metric = self.evaluation.metric_of(reference.parts)
        shown = self.shown(reference, metric)
        column, rows, _ = self.evaluation.view.column(reference.parts)
        row = self.evaluation.view.start if rows is None else int(rows[0])
        source = column.source(row) if column is not None and row >= 0 else None
        return Value(name, shown, source or "")

    def shown(self, reference: Reference, metric: Metric | None) -> str:
        """The value of a metric as a person writes it, `4 to 8` of one that an assumption may change."""
        if metric is None:
            return "unknown"
        if metric.unit == TEXT:
            text = self.evaluation.view.texts(reference.parts)[0]
            return "unknown" if text is None else f'"{text}"'
        value = float(self.evaluation.view.numbers(reference.parts)[0])
        if np.isnan(value):
            return "unknown"
        column, rows, _ = self.evaluation.view.column(reference.parts)
        row = self.evaluation.view.start if rows is None else int(rows[0])
        span = None if column is None else column.span(row)
        if span is not None:
            return format_range(*span, metric.unit)
        return format_value(bool(value) if metric.unit == TRUTH else value, metric.unit)

    # -- what would have to change -----------------------------------------------------------------------

    def to_fire(self, rule: Rule) -> list[tuple[str, ...]]:
        """The ways to make a rule fire."""
        found = self._ways(rule.when, True)
        for item in rule.unless:
            found = _both(found, self._ways(item.condition, False))
        return found

    def to_rest(self, rule: Rule) -> list[tuple[str, ...]]:
        """The ways to make a rule silent."""
        found = self._ways(rule.when, False)
        for item in rule.unless:
            found = [*found, *self._ways(item.condition, True)]
        return found

    def _ways(self, expression: Expression, wanted: bool) -> list[tuple[str, ...]]:
        """Alternatives of changes after which a condition is as wanted; an empty one where it is already."""
        expression = self._opened(expression)
        if self.answer(expression) == ("yes" if wanted else "no"):
            return [()]
        if isinstance(expression, Operation):
            operator = expression.operator
            if operator == "not":
                return self._ways(expression.operands[0], not wanted)
            if operator in ("and", "or"):
                parts = [self._ways(operand, wanted) for operand in expression.operands]
                if (operator == "and") == wanted:
                    found: list[tuple[str, ...]] = [()]
                    for part in parts:
                        found = _both(found, part)
                    return found
                return [way for part in parts for way in part]
        change = self._change(expression, wanted)
        return [(change,)] if change else []

    def _change(self, expression: Expression, wanted: bool) -> str | None:
        """What would have to be otherwise for a part to be as wanted, None where that cannot be."""
        if isinstance(expression, Operation) and expression.operator in _COMPARISONS:
            left, right = expression.operands
            operator = expression.operator if wanted else _NEGATED[expression.operator]
            if not isinstance(left, Reference) or len(left.parts) < 2:
                left, right, operator = right, left, _SWAPPED[operator]
            if isinstance(left, Reference) and len(left.parts) > 1:
                metric = self.evaluation.metric_of(left.parts)
                if metric is not None and self._beyond(metric, operator, right):
                    return None
                limit = self._limit(right, metric)
                words = " ".join(filter(None, (_WORDS[operator], limit)))
                return f"`{written(left)}` were {words} (it is {self._value(left).shown})"
        if isinstance(expression, Reference):
            return f"`{written(expression)}` were {'true' if wanted else 'false'}"
        return f"`{written(expression)}` were {'true' if wanted else 'false'}"

    def _beyond(self, metric: Metric, operator: str, expression: Expression) -> bool:
        """Whether no value of a metric's range compares so with an expression."""
        if not metric.unit.is_number or self.evaluation.kind(expression) != "number":
            return False
        limit = float(np.asarray(self.evaluation.number(expression)).reshape(-1)[0])
        low = -np.inf if metric.low is None else metric.low
        high = np.inf if metric.high is None else metric.high
        impossible = {
            "<": limit <= low, "<=": limit < low, ">": limit >= high, ">=": limit > high,
            "=": not low <= limit <= high,
        }  # fmt: skip
        return bool(impossible.get(operator, False))

    def _limit(self, expression: Expression, metric: Metric | None) -> str:
        if self.evaluation.kind(expression) != "number":
            return written(expression)
        value = float(np.asarray(self.evaluation.number(expression)).reshape(-1)[0])
        if np.isnan(value):
            return f"`{written(expression)}`, which is unknown"
        return format_value(value, metric.unit if metric is not None else COUNT)


def _both(one: list[tuple[str, ...]], other: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    joined = [tuple(dict.fromkeys((*left, *right))) for left in one for right in other]
    return sorted(joined, key=len)[:32]


def _every_reference(expression: Expression, lets: dict[str, Expression]) -> Iterator[Reference]:
    if isinstance(expression, Reference):
        if expression.parts[0] in lets and len(expression.parts) == 1:
            yield from _every_reference(lets[expression.parts[0]], lets)
        else:
            yield expression
    elif isinstance(expression, Operation):
        for operand in expression.operands:
            yield from _every_reference(operand, lets)
    elif isinstance(expression, Quantified):
        return
