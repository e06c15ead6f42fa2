"""Names and units of expressions: every mistake that can be known before a rule runs."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, field

from advisor.rules.model import (
    Entity,
    Expression,
    Metric,
    Number,
    Operation,
    Param,
    Quantified,
    Reference,
    Text,
    Truth,
)
from advisor.rules.problems import Complaints
from advisor.rules.units import COUNT, TEXT, TRUTH, Unit, format_value
from advisor.text import Span

SINGLETONS = ("run", "device")
_ORDER = ("<", "<=", ">", ">=")


@dataclass
class Vocabulary:
    """The declared metrics and entities."""

    metrics: dict[tuple[str, str], Metric] = field(default_factory=dict)
    entities: dict[str, Entity] = field(default_factory=dict)

    def names_of(self, entity: str) -> list[str]:
        """The metrics of an entity."""
        return [name for owner, name in self.metrics if owner == entity]

    def walk(self, entity: str, parts: Iterable[str]) -> str | None:
        """The entity reached by following owners (`k.run`), None when a part is no owner."""
        for part in parts:
            owner = self.entities[entity].owner if entity in self.entities else None
            if part != owner:
                return None
            entity = part
        return entity


def hint_for(word: str, known: Iterable[str]) -> str:
    """ "did you mean …" or the list of what is known."""
    names = list(known)
    close = difflib.get_close_matches(word, names, n=1, cutoff=0.5)
    if close:
        return f"did you mean `{close[0]}`?"
    return (
        f"known are {', '.join(names[:12])}{' …' if len(names) > 12 else '.'}"
        if names
        else "nothing is known here."
    )


@dataclass
class Typing:
    """Checks the expressions of one rule. `variables` maps names of `for each` to entities."""

    vocabulary: Vocabulary
    complaints: Complaints
    variables: dict[str, str]
    params: dict[str, Param]
    lets: dict[str, Unit] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)

    def condition(self, expression: Expression) -> None:
        """Checks an expression that must be true or false."""
        unit = self.unit(expression)
        if unit is not None and unit != TRUTH:
            example = f"{self._written(expression)} > …"
            self.complaints.add("E208", expression.span, found=self._kind(unit), example=example)

    def number(self, expression: Expression) -> Unit | None:
        """The unit of an expression that must be a number, None when it is not."""
        unit = self.unit(expression)
        if unit is not None and not unit.is_number:
            self.complaints.add("E209", expression.span, found=self._kind(unit))
            return None
        return unit

    def unit(self, expression: Expression) -> Unit | None:
        """The unit of an expression, None after an error that was noted."""
        if isinstance(expression, Number):
            return expression.unit
        if isinstance(expression, Text):
            return TEXT
        if isinstance(expression, Truth):
            return TRUTH
        if isinstance(expression, Reference):
            return self._reference(expression)
        if isinstance(expression, Quantified):
            return self._quantified(expression)
        if isinstance(expression, Operation):
            return self._operation(expression)
        return None

    def metric(self, parts: tuple[str, ...]) -> Metric | None:
        """The metric of a dotted name, None when there is none."""
        first = parts[0]
        entity = self.variables.get(first, first if first in SINGLETONS else None)
        if entity is None or len(parts) < 2:
            return None
        reached = self.vocabulary.walk(entity, parts[1:-1])
        return None if reached is None else self.vocabulary.metrics.get((reached, parts[-1]))

    def _kind(self, unit: Unit) -> str:
        return "text" if unit == TEXT else "condition" if unit == TRUTH else "number"

    def _written(self, expression: Expression) -> str:
        return ".".join(expression.parts) if isinstance(expression, Reference) else "…"

    def _reference(self, reference: Reference) -> Unit | None:
        parts = reference.parts
        if len(parts) == 1:
            name = parts[0]
            self.used.add(name)
            if name in self.params:
                return self.params[name].unit
            if name in self.lets:
                return self.lets[name]
            known = [*self.params, *self.lets, *(f"{variable}.…" for variable in self.variables)]
            self.complaints.add("E205", reference.span, name=name, hint=hint_for(name, known))
            return None
        metric = self.metric(parts)
        if metric is not None:
            return metric.unit
        entity = self.variables.get(parts[0], parts[0] if parts[0] in SINGLETONS else None)
        if entity is None:
            known = [*self.variables, *SINGLETONS]
            self.complaints.add("E205", reference.span, name=parts[0], hint=hint_for(parts[0], known))
            return None
        reached = self.vocabulary.walk(entity, parts[1:-1])
        names = self.vocabulary.names_of(reached) if reached else []
        self.complaints.add(
            "E201", reference.span, name=parts[-1] if reached else ".".join(parts[1:]), entity=reached or entity,
            hint=hint_for(parts[-1], names),
        )  # fmt: skip
        return None

    def _quantified(self, expression: Quantified) -> Unit | None:
        if expression.entity not in self.vocabulary.entities:
            hint = hint_for(expression.entity, self.vocabulary.entities)
            self.complaints.add("E204", expression.span, name=expression.entity, hint=hint)
            return None
        owner = self.vocabulary.entities[expression.entity].owner
        given = self.variables.get(expression.owner)
        if given is None:
            hint = hint_for(expression.owner, self.variables)
            self.complaints.add("E205", expression.span, name=expression.owner, hint=hint)
            return None
        if owner != given:
            self.complaints.add(
                "E312",
                expression.span,
                name=expression.entity,
                owner=owner,
                given=given,
                variable=expression.owner,
            )
            return None
        inner = Typing(
            self.vocabulary, self.complaints, {**self.variables, expression.variable: expression.entity},
            self.params, self.lets, self.used,
        )  # fmt: skip
        inner.condition(expression.condition)
        return COUNT if expression.quantifier == "number" else TRUTH

    def _operation(self, expression: Operation) -> Unit | None:
        operator, operands = expression.operator, expression.operands
        if operator == "group":
            return self.unit(operands[0])
        if operator in ("and", "or", "not"):
            for operand in operands:
                self.condition(operand)
            return TRUTH
        if operator in ("known", "missing"):
            self.unit(operands[0])
            return TRUTH
        if operator in ("one_of", "like"):
            self._textual(operands[0])
            return TRUTH
        if operator in ("=", "!=", *_ORDER, "between"):
            self._comparison(expression)
            return TRUTH
        if operator in ("+", "-", "min", "max", "otherwise"):
            return self._sum(expression)
        units = [self.number(operand) for operand in operands]
        if any(unit is None for unit in units):
            return None
        first = units[0]
        assert first is not None
        if operator in ("neg", "abs"):
            return first
        second = units[1]
        assert second is not None
        return first.times(second, 1 if operator == "*" else -1)

    def _textual(self, operand: Expression) -> None:
        unit = self.unit(operand)
        if unit is not None and unit != TEXT:
            self.complaints.add(
                "E207",
                operand.span,
                left=unit.described,
                right="[text]",
                hint="only texts can be looked up so.",
            )

    def _comparison(self, expression: Operation) -> None:
        units = [self.unit(operand) for operand in expression.operands]
        if any(unit is None for unit in units):
            return
        left = units[0]
        assert left is not None
        for operand, unit in zip(expression.operands[1:], units[1:], strict=True):
            assert unit is not None
            if left.dimension != unit.dimension:
                hint = self._unit_hint(left, unit)
                self.complaints.add(
                    "E207", expression.span, left=left.described, right=unit.described, hint=hint
                )
                return
            if left == TEXT and expression.operator in (*_ORDER, "between"):
                self.complaints.add("E213", expression.span, operator=expression.operator)
                return
            self._check_value(expression.operands[0], left, operand, unit)
            self._check_value(operand, unit, expression.operands[0], left)

    def _unit_hint(self, left: Unit, right: Unit) -> str:
        if "ratio" in (left.name, right.name):
            other = right if left.name == "ratio" else left
            return f"a share of it is written `20% of …`, which is {other.described}."
        return "give the number its unit, or compare with a metric of the same kind."

    def _check_value(self, reference: Expression, unit: Unit, value: Expression, value_unit: Unit) -> None:
        """A literal beside a metric: a count where a share is meant, or a value outside the metric's range."""
        if not (isinstance(reference, Reference) and isinstance(value, Number)):
            return
        metric = self.metric(reference.parts)
        if metric is None:
            return
        if unit.name == "ratio" and value_unit.name == "count" and value.value > 1:
            shown = f"{value.value:g}"
            self.complaints.add("E210", value.span, number=shown, metric=metric.name, percent=shown)
            return
        if (metric.low is not None and value.value < metric.low) or (
            metric.high is not None and value.value > metric.high
        ):
            self.complaints.add(
                "E309", value.span, value=format_value(value.value, unit), metric=metric.name,
                low=_limit(metric.low, unit), high=_limit(metric.high, unit),
            )  # fmt: skip

    def _sum(self, expression: Operation) -> Unit | None:
        units = [self.unit(operand) for operand in expression.operands]
        if any(unit is None for unit in units):
            return None
        first = units[0]
        assert first is not None
        for unit in units[1:]:
            assert unit is not None
            if unit.dimension != first.dimension:
                self.complaints.add("E214", expression.span, left=first.described, right=unit.described)
                return None
        named = next((unit for unit in units if unit is not None and unit.name not in ("count", "")), first)
        return named


def _limit(value: float | None, unit: Unit) -> str:
    return "" if value is None else format_value(value, unit)


def expand(
    expression: Expression,
    definitions: dict[str, tuple[str, Expression]],
    complaints: Complaints,
    seen: tuple[str, ...] = (),
) -> Expression:
    """The expression with every definition put in; unknown and circular ones are noted."""
    from advisor.rules.model import Macro

    if isinstance(expression, Macro):
        if expression.name not in definitions:
            hint = hint_for(expression.name, definitions)
            complaints.add("E211", expression.span, name=expression.name, hint=hint)
            return Truth(False, expression.span)
        if expression.name in seen:
            complaints.add("E212", expression.span, name=expression.name)
            return Truth(False, expression.span)
        variable, body = definitions[expression.name]
        put_in = _substitute(body, variable, expression.argument, expression.span)
        return expand(put_in, definitions, complaints, (*seen, expression.name))
    if isinstance(expression, Operation):
        operands = tuple(expand(operand, definitions, complaints, seen) for operand in expression.operands)
        return Operation(expression.operator, operands, expression.span)
    if isinstance(expression, Quantified):
        condition = expand(expression.condition, definitions, complaints, seen)
        return Quantified(
            expression.quantifier,
            expression.entity,
            expression.variable,
            expression.owner,
            condition,
            expression.span,
        )
    return expression


def _substitute(expression: Expression, variable: str, argument: str, span: Span) -> Expression:
    from advisor.rules.model import Macro

    if isinstance(expression, Reference):
        head = argument if expression.parts[0] == variable else expression.parts[0]
        return Reference((head, *expression.parts[1:]), span)
    if isinstance(expression, Macro):
        return Macro(
            expression.name, argument if expression.argument == variable else expression.argument, span
        )
    if isinstance(expression, Operation):
        return Operation(
            expression.operator,
            tuple(_substitute(o, variable, argument, span) for o in expression.operands),
            span,
        )
    if isinstance(expression, Quantified):
        owner = argument if expression.owner == variable else expression.owner
        condition = _substitute(expression.condition, variable, argument, span)
        return Quantified(
            expression.quantifier, expression.entity, expression.variable, owner, condition, span
        )
    return expression
