"""What the values of metrics must be for a condition to hold, as far as single comparisons tell.

A condition is brought into alternatives of facts. A fact bounds one metric by constants; whatever else there
is in a condition is a proposition of its own, true or false.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from advisor.rules.checking.names import with_values
from advisor.rules.language.expressions import Expression, Number, Operation, Reference, Text, Truth
from advisor.rules.language.written_form import written
from advisor.rules.model import Metric, Rule
from advisor.rules.units import TEXT, TRUTH, format_value

_MOST = 512
_SWAPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "!=": "!="}
_NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "=": "!=", "!=": "="}


class TooLarge(Exception):
    """A condition with more alternatives than are looked at."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One comparison of a metric with a constant, or a proposition (`operator` "true" or "false")."""

    subject: str
    operator: str
    value: float | str | None
    shown: str
    metric: Metric | None = None


Alternative = tuple[Fact, ...]


@dataclass
class Conditions:
    """Brings conditions of one rule into alternatives; `params` are the values that parameters have."""

    rule: Rule
    metrics: Mapping[tuple[str, str], Metric]
    params: Mapping[str, float]
    lets: Mapping[str, Expression] = field(default_factory=dict)

    def fires(self) -> list[Alternative]:
        """The alternatives in which the rule fires; raises TooLarge."""
        found = self.holds(self.rule.when)
        for item in self.rule.unless:
            # An exception that is unknown lets the rule fire.
            found = _both(found, self._alternatives(item.condition, False, or_unknown=True))
        return found

    def rests(self) -> list[Alternative]:
        """The alternatives in which the rule is silent; raises TooLarge."""
        found = self.fails(self.rule.when)
        for item in self.rule.unless:
            found = _limited([*found, *self.holds(item.condition)])
        return found

    def holds(self, expression: Expression) -> list[Alternative]:
        """The alternatives in which a condition is true."""
        return self._alternatives(expression, True)

    def fails(self, expression: Expression) -> list[Alternative]:
        """The alternatives in which a condition is false."""
        return self._alternatives(expression, False)

    def _alternatives(
        self, expression: Expression, wanted: bool, or_unknown: bool = False
    ) -> list[Alternative]:
        if isinstance(expression, Truth):
            return [()] if expression.value == wanted else []
        if isinstance(expression, Reference) and len(expression.parts) == 1:
            return self._alternatives(self.lets[expression.parts[0]], wanted, or_unknown)
        if isinstance(expression, Operation):
            if expression.operator == "group":
                return self._alternatives(expression.operands[0], wanted, or_unknown)
            if expression.operator == "not":
                return self._alternatives(expression.operands[0], not wanted, or_unknown)
            if expression.operator in ("and", "or"):
                return self._connected(expression, wanted, or_unknown)
            if expression.operator == "between":
                value, low, high = expression.operands
                parts = tuple(
                    Operation(operator, (value, bound), expression.span)
                    for operator, bound in ((">=", low), ("<=", high))
                )
                return self._alternatives(Operation("and", parts, expression.span), wanted, or_unknown)
            if expression.operator == "one_of":
                same = tuple(
                    Operation("=", (expression.operands[0], text), expression.span)
                    for text in expression.operands[1:]
                )
                return self._alternatives(Operation("or", same, expression.span), wanted, or_unknown)
        fact = self._fact(expression, wanted)
        decided = isinstance(expression, Operation) and expression.operator in ("known", "missing")
        if or_unknown and not decided:
            return [(fact,), (Fact(fact.subject, "unknown", None, f"{fact.shown} unknown"),)]
        return [(fact,)]

    def _connected(self, expression: Operation, wanted: bool, or_unknown: bool) -> list[Alternative]:
        parts = [self._alternatives(operand, wanted, or_unknown) for operand in expression.operands]
        if (expression.operator == "and") == wanted:
            found: list[Alternative] = [()]
            for part in parts:
                found = _both(found, part)
            return found
        return _limited([alternative for part in parts for alternative in part])

    def _fact(self, expression: Expression, wanted: bool) -> Fact:
        if isinstance(expression, Operation) and expression.operator in _SWAPPED:
            left, right = expression.operands
            for one, other, operator in (
                (left, right, expression.operator),
                (right, left, _SWAPPED[expression.operator]),
            ):
                fact = self._comparison(one, operator, other, wanted)
                if fact is not None:
                    return fact
        if isinstance(expression, Reference):
            metric = self._metric(expression)
            if metric is not None and metric.unit == TRUTH:
                return Fact(
                    self._subject(expression), "true" if wanted else "false", None, written(expression)
                )
        # Rules may call different things by one name.
        units = {param.name: param.unit for param in self.rule.params}
        values = {name: Number(value, units[name], expression.span) for name, value in self.params.items()}
        subject = self._generic(written(with_values(expression, self.lets, values)))
        return Fact(subject, "true" if wanted else "false", None, written(expression))

    def _comparison(self, one: Expression, operator: str, other: Expression, wanted: bool) -> Fact | None:
        metric = self._metric(one) if isinstance(one, Reference) else None
        value = self._constant(other)
        if metric is None or value is None or not isinstance(one, Reference):
            return None
        if metric.unit == TRUTH:
            same = (operator == "=") == wanted
            truth = bool(value) == same
            return Fact(self._subject(one), "true" if truth else "false", None, written(one))
        operator = operator if wanted else _NEGATED[operator]
        shown = f'"{value}"' if isinstance(value, str) else format_value(value, metric.unit)
        return Fact(self._subject(one), operator, value, f"{written(one)} {operator} {shown}", metric)

    def _metric(self, reference: Reference) -> Metric | None:
        if len(reference.parts) < 2:
            return None
        variables = dict(self.rule.variables)
        first = reference.parts[0]
        entity = variables.get(first, first) if len(reference.parts) == 2 else reference.parts[-2]
        return self.metrics.get((entity, reference.parts[-1]))

    def _subject(self, reference: Reference) -> str:
        return self._generic(written(reference))

    def _generic(self, text: str) -> str:
        """A text with the entities in place of this rule's own names for them."""
        for variable, entity in self.rule.variables:
            text = _renamed(text, variable, entity)
        return text

    def _constant(self, expression: Expression) -> float | str | None:
        if isinstance(expression, Number):
            return expression.value
        if isinstance(expression, Text):
            return expression.value
        if isinstance(expression, Truth):
            return float(expression.value)
        if isinstance(expression, Reference) and len(expression.parts) == 1:
            name = expression.parts[0]
            return self.params.get(name) if name in self.params else self._constant(self.lets[name])
        if isinstance(expression, Operation) and expression.operator in ("group", "neg", "+", "-", "*", "/"):
            values = [self._constant(operand) for operand in expression.operands]
            if all(isinstance(value, float) for value in values):
                return _calculated(
                    expression.operator, [float(value) for value in values if value is not None]
                )
        return None


def _renamed(text: str, variable: str, entity: str) -> str:
    return re.sub(rf"(?<![\w.\"]){re.escape(variable)}(?=\.)", f"<{entity}>", text)


def _calculated(operator: str, values: list[float]) -> float | None:
    first, *rest = values
    if operator == "group":
        return first
    if operator == "neg":
        return -first
    second = rest[0]
    if operator == "/":
        return first / second if second else None
    return {"+": first + second, "-": first - second, "*": first * second}[operator]


def _both(one: list[Alternative], other: list[Alternative]) -> list[Alternative]:
    if len(one) * len(other) > _MOST:
        raise TooLarge
    return [tuple(dict.fromkeys((*left, *right))) for left in one for right in other]


def _limited(found: list[Alternative]) -> list[Alternative]:
    if len(found) > _MOST:
        raise TooLarge
    return found


@dataclass(frozen=True)
class _Bounds:
    """The numbers that are left for a metric."""

    low: float = -math.inf
    low_open: bool = False
    high: float = math.inf
    high_open: bool = False
    excluded: frozenset[float] = frozenset()

    def with_fact(self, operator: str, value: float) -> _Bounds:
        found = self
        if operator in (">", ">=", "="):
            is_open = operator == ">"
            if value > found.low or (value == found.low and is_open):
                found = replace(found, low=value, low_open=is_open)
        if operator in ("<", "<=", "="):
            is_open = operator == "<"
            if value < found.high or (value == found.high and is_open):
                found = replace(found, high=value, high_open=is_open)
        if operator == "!=":
            found = replace(found, excluded=found.excluded | {value})
        return found

    @property
    def empty(self) -> bool:
        if self.low == self.high:
            return self.low_open or self.high_open or self.low in self.excluded
        return self.low > self.high


def contradiction(facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """The facts of one metric that cannot hold together, or with its declared range; empty where all can."""
    by_subject: dict[str, list[Fact]] = {}
    for fact in facts:
        by_subject.setdefault(fact.subject, []).append(fact)
    for about in by_subject.values():
        if _contradicts(about):
            return tuple(about)
    return ()


def _contradicts(facts: list[Fact]) -> bool:
    truths = {fact.operator for fact in facts if fact.value is None}
    if len(truths) > 1 or ("unknown" in truths and len({fact.operator for fact in facts}) > 1):
        return True
    metric = facts[0].metric
    if metric is None or truths:
        return False
    if metric.unit == TEXT:
        equal = {fact.value for fact in facts if fact.operator == "="}
        unequal = {fact.value for fact in facts if fact.operator == "!="}
        return len(equal) > 1 or bool(equal & unequal)
    bounds = _Bounds(
        -math.inf if metric.low is None else metric.low,
        False,
        math.inf if metric.high is None else metric.high,
    )
    for fact in facts:
        if isinstance(fact.value, float):
            bounds = bounds.with_fact(fact.operator, fact.value)
    return bounds.empty


def impossible(alternatives: Iterable[Alternative]) -> tuple[Fact, ...] | None:
    """The facts that contradict each other in the first alternative when all are impossible, else None.

    Without any alternative the tuple is empty.
    """
    first: tuple[Fact, ...] | None = None
    for alternative in alternatives:
        found = contradiction(alternative)
        if not found:
            return None
        first = first or found
    return first or ()
