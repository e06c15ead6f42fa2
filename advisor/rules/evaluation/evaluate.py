"""Three-valued evaluation of expressions over columns.

A condition gives two masks: T where it is certainly true and P where it may be. Unknown is P without T. NaN
compares false, so `a < b` gives T directly and P as the negation of `a >= b` (Kleene's strong logic).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Literal

import numpy as np
import numpy.typing as npt

from advisor.rules.evaluation.columns import Numbers, Texts, View
from advisor.rules.language.expressions import (
    Expression,
    Number,
    Operation,
    Quantified,
    Reference,
    Text,
    Truth,
)
from advisor.rules.model import Metric
from advisor.rules.units import TEXT, TRUTH

Mask = npt.NDArray[np.bool_]
Masks = tuple[Mask, Mask]

_OPPOSITE: dict[str, tuple[np.ufunc, np.ufunc]] = {
    "<": (np.less, np.greater_equal),
    "<=": (np.less_equal, np.greater),
    ">": (np.greater, np.less_equal),
    ">=": (np.greater_equal, np.less),
}


# What is found without the text of a kernel: all lines of its machine code, all that went wrong.
_IN_EVERY_TEXT = ("line", "defect")
_ARITHMETIC = ("+", "-", "*", "/", "neg", "abs", "min", "max")
Kind = Literal["number", "truth", "text"]


def _there(values: Texts) -> Mask:
    return np.array([value is not None for value in values], dtype=bool)


@dataclass
class Evaluation:
    """Evaluates the expressions of one rule over one view."""

    view: View
    params: Mapping[str, float]
    lets: Mapping[str, Expression]
    metrics: Mapping[tuple[str, str], Metric]
    _cache: dict[str, Masks | Numbers] = field(default_factory=dict)

    def condition(self, expression: Expression) -> Masks:
        """The masks T (certainly true) and P (possibly true)."""
        if isinstance(expression, Truth):
            return self._constant(expression.value)
        if isinstance(expression, Reference):
            return self._truth_reference(expression)
        if isinstance(expression, Quantified):
            return self._quantified(expression)
        assert isinstance(expression, Operation)
        operator, operands = expression.operator, expression.operands
        if operator == "group":
            return self.condition(operands[0])
        if operator == "not":
            true, possible = self.condition(operands[0])
            return ~possible, ~true
        if operator in ("and", "or"):
            return self._connected(operator, operands)
        if operator == "otherwise":
            return self._with_default(operands)
        if operator in ("known", "missing"):
            known = self._known(operands[0])
            return (known, known) if operator == "known" else (~known, ~known)
        if self.kind(operands[0]) == "text":
            return self._textual(operator, operands)
        if operator == "between":
            value, low, high = (self.number(operand) for operand in operands)
            inside = np.greater_equal(value, low) & np.less_equal(value, high)
            outside = np.less(value, low) | np.greater(value, high)
            return self._full(inside), self._full(~outside)
        return self._comparison(operator, operands)

    def number(self, expression: Expression) -> Numbers | float:
        """The values of a numeric expression, NaN where unknown; a plain number where it is constant."""
        if isinstance(expression, Number):
            return expression.value
        if isinstance(expression, Reference):
            return self._number_reference(expression)
        if isinstance(expression, Quantified):
            return self._count(expression)
        assert isinstance(expression, Operation)
        operator = expression.operator
        values = [self.number(operand) for operand in expression.operands]
        if operator == "group":
            return values[0]
        with np.errstate(all="ignore"):
            return self._arithmetic(operator, values)

    def _arithmetic(self, operator: str, values: list[Numbers | float]) -> Numbers | float:
        first = values[0]
        if operator == "neg":
            return -first
        if operator == "abs":
            return np.abs(first)
        second = values[1]
        if operator == "+":
            return first + second
        if operator == "-":
            return first - second
        if operator == "*":
            return first * second
        if operator == "/":
            quotient = np.divide(first, second)
            return np.where(np.isfinite(quotient), quotient, np.nan)
        if operator == "otherwise":
            return np.where(np.isnan(first), second, first)
        result = first
        for value in values[1:]:
            result = np.minimum(result, value) if operator == "min" else np.maximum(result, value)
        return result

    def _constant(self, value: bool) -> Masks:
        mask = np.full(len(self.view), value)
        return mask, mask

    def _full(self, mask: Mask) -> Mask:
        return mask if np.ndim(mask) else np.full(len(self.view), bool(mask))

    def _connected(self, operator: str, operands: tuple[Expression, ...]) -> Masks:
        true, possible = self.condition(operands[0])
        for operand in operands[1:]:
            if operator == "and" and not possible.any():
                return true, possible
            other_true, other_possible = self.condition(operand)
            if operator == "and":
                true, possible = true & other_true, possible & other_possible
            else:
                true, possible = true | other_true, possible | other_possible
        return true, possible

    def _comparison(self, operator: str, operands: tuple[Expression, ...]) -> Masks:
        if self.kind(operands[0]) == "truth":
            return self._truth_equality(operator, operands)
        left, right = self.number(operands[0]), self.number(operands[1])
        if operator in _OPPOSITE:
            apply, opposite = _OPPOSITE[operator]
            return self._full(apply(left, right)), self._full(~opposite(left, right))
        equal = np.equal(left, right)
        unknown = np.isnan(left) | np.isnan(right)
        if operator == "=":
            return self._full(equal), self._full(equal | unknown)
        return self._full(~equal & ~unknown), self._full(~equal)

    def _truth_equality(self, operator: str, operands: tuple[Expression, ...]) -> Masks:
        left, right = self.condition(operands[0]), self.condition(operands[1])
        equal = (left[0] & right[0]) | (~left[1] & ~right[1])
        possible = (left[1] & right[1]) | (~left[0] & ~right[0])
        return (equal, possible) if operator == "=" else (~possible, ~equal)

    # -- references ------------------------------------------------------------------------------------

    def metric_of(self, parts: tuple[str, ...]) -> Metric | None:
        """The metric of a dotted name, None for a param or a let."""
        if len(parts) < 2:
            return None
        entity, _ = self.view.locate(parts[:-1])
        return self.metrics.get((entity, parts[-1]))

    def kind(self, expression: Expression) -> Kind:
        """What an expression gives: a number, a truth value or a text."""
        if isinstance(expression, Reference) and len(expression.parts) == 1:
            name = expression.parts[0]
            return "number" if name in self.params else self.kind(self.lets[name])
        if isinstance(expression, Reference):
            metric = self.metric_of(expression.parts)
            unit = None if metric is None else metric.unit
            return "text" if unit == TEXT else "truth" if unit == TRUTH else "number"
        if isinstance(expression, Operation):
            if expression.operator in ("group", "otherwise"):
                return self.kind(expression.operands[0])
            return "number" if expression.operator in _ARITHMETIC else "truth"
        if isinstance(expression, Quantified):
            return "number" if expression.quantifier == "number" else "truth"
        return (
            "text" if isinstance(expression, Text) else "truth" if isinstance(expression, Truth) else "number"
        )

    def texts(self, expression: Expression) -> Texts:
        """The values of a text expression, None where unknown."""
        if isinstance(expression, Text):
            return np.full(len(self.view), expression.value, dtype=object)
        if isinstance(expression, Reference):
            if len(expression.parts) == 1:
                return self.texts(self.lets[expression.parts[0]])
            return self.view.texts(expression.parts)
        assert isinstance(expression, Operation)
        values = self.texts(expression.operands[0])
        if expression.operator == "otherwise":
            return np.where(_there(values), values, self.texts(expression.operands[1]))
        return values

    def _number_reference(self, reference: Reference) -> Numbers | float:
        name = reference.parts[0]
        if len(reference.parts) == 1:
            if name in self.params:
                return self.params[name]
            if name not in self._cache:
                self._cache[name] = np.asarray(self.number(self.lets[name]), dtype=np.float64)
            return self._cache[name]  # type: ignore[return-value]
        return self.view.numbers(reference.parts)

    def _truth_reference(self, reference: Reference) -> Masks:
        name = reference.parts[0]
        if len(reference.parts) == 1:
            if name not in self._cache:
                self._cache[name] = self.condition(self.lets[name])
            return self._cache[name]  # type: ignore[return-value]
        values = self.view.numbers(reference.parts)
        return values == 1.0, values != 0.0

    def _with_default(self, operands: tuple[Expression, ...]) -> Masks:
        (true, possible), (other_true, other_possible) = (self.condition(operand) for operand in operands)
        unknown = possible & ~true
        return np.where(unknown, other_true, true), np.where(unknown, other_possible, possible)

    def _known(self, expression: Expression) -> Mask:
        kind = self.kind(expression)
        if kind == "text":
            return _there(self.texts(expression))
        if kind == "truth":
            true, possible = self.condition(expression)
            return true | ~possible
        return self._full(~np.isnan(self.number(expression)))

    def _textual(self, operator: str, operands: tuple[Expression, ...]) -> Masks:
        values = self.texts(operands[0])
        known = _there(values)
        if operator == "like":
            pattern = self.texts(operands[1])[:1]
            hit = np.array([v is not None and fnmatchcase(v, pattern[0]) for v in values], dtype=bool)
            return hit, hit | ~known
        hit = np.zeros(len(values), dtype=bool)
        for operand in operands[1:]:
            others = self.texts(operand)
            known = known & _there(others)
            hit |= (values == others).astype(bool)
        hit &= known
        if operator == "!=":
            hit = ~hit & known
        return hit, hit | ~known

    # -- quantifiers -----------------------------------------------------------------------------------

    def _inner(self, expression: Quantified) -> tuple[Masks, npt.NDArray[np.int64], int]:
        owner_entity = self.view.variables[expression.owner]
        owner_table = self.view.tables.get(owner_entity)
        size = len(owner_table) if owner_table is not None else 0
        table = self.view.tables.get(expression.entity)
        if table is None or not len(table):
            empty = np.zeros(0, dtype=bool)
            return (empty, empty), np.zeros(0, dtype=np.int64), size
        variables = {expression.variable: expression.entity, **self.view.variables}
        inner = View(self.view.tables, variables, self.view.owner_entity)
        masks = Evaluation(inner, self.params, self.lets, self.metrics).condition(expression.condition)
        kept = table.owners >= 0
        return (masks[0][kept], masks[1][kept]), table.owners[kept], size

    def _unseen(self, expression: Quantified) -> bool:
        """Whether no source told anything of an entity: then none of its rows says that there are none."""
        return expression.entity not in self.view.tables

    def _per_owner(self, expression: Quantified, values: npt.NDArray[np.generic]) -> Numbers:
        """Values of the owning rows, brought to the rows of this view; NaN where the owner is unknown."""
        _, rows = self.view.locate((expression.owner,))
        if rows is None:
            own = values[self.view.start : self.view.stop]
            return own.astype(np.float64) if len(values) else np.zeros(len(self.view))
        return np.where(rows >= 0, values[np.maximum(rows, 0)] if len(values) else 0.0, np.nan)

    def _unread(self, expression: Quantified) -> Mask:
        """The rows of this view whose owner's text nobody reads, so that no more rows may just be unknown."""
        owner_table = self.view.tables.get(self.view.variables[expression.owner])
        if owner_table is None or not owner_table.unread or expression.entity in _IN_EVERY_TEXT:
            return np.zeros(len(self.view), dtype=bool)
        unread = np.zeros(len(owner_table))
        unread[list(owner_table.unread)] = 1.0
        found: Mask = self._per_owner(expression, unread) == 1.0
        return found

    def _quantified(self, expression: Quantified) -> Masks:
        true, possible = self._of_known_rows(expression)
        if expression.quantifier == "some":
            return true, possible | self._unread(expression)
        return true & ~self._unread(expression), possible

    def _of_known_rows(self, expression: Quantified) -> Masks:
        if self._unseen(expression):
            return np.zeros(len(self.view), dtype=bool), np.ones(len(self.view), dtype=bool)
        (true, possible), owners, size = self._inner(expression)
        if expression.quantifier == "every":
            failing = np.bincount(owners, ~true, size) if size else np.zeros(0)
            surely_failing = np.bincount(owners, ~possible, size) if size else np.zeros(0)
            sure, maybe = self._per_owner(expression, failing), self._per_owner(expression, surely_failing)
            return sure == 0, ~(maybe > 0)
        some = self._per_owner(expression, np.bincount(owners, true, size) if size else np.zeros(0))
        maybe_some = self._per_owner(expression, np.bincount(owners, possible, size) if size else np.zeros(0))
        if expression.quantifier == "some":
            return some > 0, ~(maybe_some == 0)
        return maybe_some == 0, ~(some > 0)

    def _count(self, expression: Quantified) -> Numbers:
        if self._unseen(expression):
            return np.full(len(self.view), np.nan)
        (true, possible), owners, size = self._inner(expression)
        sure = np.bincount(owners, true, size).astype(float) if size else np.zeros(0)
        most = np.bincount(owners, possible, size).astype(float) if size else np.zeros(0)
        counted = self._per_owner(expression, np.where(sure == most, sure, np.nan))
        return np.where(self._unread(expression), np.nan, counted)
