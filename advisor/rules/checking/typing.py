"""Names and units of expressions: every mistake that can be known before a rule runs."""

from __future__ import annotations

from dataclasses import dataclass, field

from advisor.rules.checking.names import heads
from advisor.rules.checking.vocabulary import SINGLETONS, Vocabulary, hint_for
from advisor.rules.language.expressions import (
    Expression,
    Number,
    Operation,
    Quantified,
    Reference,
    Text,
    Truth,
)
from advisor.rules.language.problems import Complaints
from advisor.rules.model import Metric, Param
from advisor.rules.units import COUNT, NO_UNIT, PLAIN, TEXT, TRUTH, Unit, format_value

_ORDER = ("<", "<=", ">", ">=")


@dataclass
class Typing:
    """Checks the expressions of one rule. `variables` maps names of `for each` to entities.

    With `names_lost` some params or lets could not be read, so an unknown name is no error.
    """

    vocabulary: Vocabulary
    complaints: Complaints
    variables: dict[str, str]
    params: dict[str, Param]
    lets: dict[str, Unit] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    names_lost: bool = False
    variables_of_lets: dict[str, set[str]] = field(default_factory=dict)
    hidden: set[str] = field(default_factory=set)

    def add_let(self, name: str, unit: Unit, expression: Expression) -> None:
        """Note a `let` for the expressions behind it."""
        self.lets[name] = unit
        spoken = heads(expression)
        spoken |= {name for one in spoken for name in self.variables_of_lets.get(one, ())}
        self.variables_of_lets[name] = spoken & self.variables.keys()

    def condition(self, expression: Expression) -> None:
        """Check an expression that must be true or false."""
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
            return None if expression.unit == NO_UNIT else expression.unit
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
                unit = self.params[name].unit
                return None if unit == NO_UNIT else unit
            if name in self.lets:
                return self.lets[name]
            if self.names_lost:
                return None
            known = [*self.params, *self.lets, *(f"{variable}.…" for variable in self.variables)]
            self.complaints.add("E205", reference.span, name=name, hint=self._hint(name, known))
            return None
        metric = self.metric(parts)
        if metric is not None:
            return metric.unit
        entity = self.variables.get(parts[0], parts[0] if parts[0] in SINGLETONS else None)
        if entity is None:
            known = [*self.variables, *SINGLETONS]
            self.complaints.add("E205", reference.span, name=parts[0], hint=self._hint(parts[0], known))
            return None
        reached = self.vocabulary.walk(entity, parts[1:-1])
        names = self.vocabulary.names_of(reached) if reached else []
        self.complaints.add(
            "E201", reference.span, name=parts[-1] if reached else ".".join(parts[1:]),
            entity=reached or entity, hint=hint_for(parts[-1], names),
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
            hint = self._hint(expression.owner, list(self.variables))
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
        if expression.variable in {*self.variables, *self.hidden}:
            self.complaints.add(
                "E303", expression.span, kind="a variable", name=expression.variable, place="this rule"
            )
            return None
        self._inside(expression).condition(expression.condition)
        return COUNT if expression.quantifier == "number" else TRUTH

    def _inside(self, expression: Quantified) -> Typing:
        """The check of a quantified condition, which knows the row and what owns it, and no row beside."""
        owners: set[str | None] = {given := self.variables[expression.owner]}
        while (owner := self.vocabulary.entities[given].owner) in self.vocabulary.entities.keys() - owners:
            owners.add(given := str(owner))
        seen = {name: entity for name, entity in self.variables.items() if entity in owners}
        lets = {
            name: unit
            for name, unit in self.lets.items()
            if self.variables_of_lets.get(name, set()) <= seen.keys()
        }
        hidden = {*self.hidden, *self.variables, *self.lets} - seen.keys() - lets.keys()
        return Typing(
            self.vocabulary, self.complaints, {**seen, expression.variable: expression.entity},
            self.params, lets, self.used, self.names_lost, self.variables_of_lets, hidden,
        )  # fmt: skip

    def _hint(self, name: str, known: list[str]) -> str:
        if name in self.hidden:
            return "inside a quantifier only its own row and what owns it can be spoken of."
        return hint_for(name, known)

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
        if operator == "abs" and len(operands) != 1:
            self.complaints.add(
                "E215", expression.span, name=operator, wanted="one value", found=str(len(operands))
            )
            return None
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
            if not left.fits(unit):
                hint = self._unit_hint(left, unit)
                self.complaints.add(
                    "E207", expression.span, left=left.described, right=unit.described, hint=hint
                )
                return
            if left == TEXT and expression.operator in (*_ORDER, "between"):
                self.complaints.add("E213", expression.span, operator=expression.operator)
                return
            if left == TRUTH and expression.operator in (*_ORDER, "between"):
                self.complaints.add("E209", expression.span, found=self._kind(left))
                return
            self._check_value(expression.operands[0], left, operand, unit)
            self._check_value(operand, unit, expression.operands[0], left)

    def _unit_hint(self, left: Unit, right: Unit) -> str:
        if "ratio" in (left.name, right.name):
            other = right if left.name == "ratio" else left
            return f"a share of it is written `20% of …`, which is {other.described}."
        return "give the number its unit, or compare with a metric of the same kind."

    def _check_value(self, reference: Expression, unit: Unit, value: Expression, value_unit: Unit) -> None:
        """Complain about a number beside a metric where a share is meant, or a value outside the range."""
        metric = self.metric(reference.parts) if isinstance(reference, Reference) else None
        constant = self._constant(value)
        if metric is None or constant is None:
            return
        if unit.name == "ratio" and value_unit == PLAIN and constant > 1:
            shown = f"{constant:g}"
            self.complaints.add("E210", value.span, number=shown, metric=metric.name, percent=shown)
        # A parameter is held by its own range.
        elif isinstance(value, Number) and (
            (metric.low is not None and constant < metric.low)
            or (metric.high is not None and constant > metric.high)
        ):
            self.complaints.add(
                "E309", value.span, value=format_value(constant, unit), metric=metric.name,
                low=_limit(metric.low, unit), high=_limit(metric.high, unit),
            )  # fmt: skip

    def _constant(self, expression: Expression) -> float | None:
        """The value of a literal, or of a parameter by its default."""
        if isinstance(expression, Number):
            return expression.value
        if isinstance(expression, Reference) and len(expression.parts) == 1:
            param = self.params.get(expression.parts[0])
            return None if param is None else param.value
        return None

    def _sum(self, expression: Operation) -> Unit | None:
        if expression.operator in ("min", "max") and len(expression.operands) < 2:
            self.complaints.add(
                "E215", expression.span, name=expression.operator, wanted="two values or more", found="1"
            )
            return None
        check = self.unit if expression.operator == "otherwise" else self.number
        units = [check(operand) for operand in expression.operands]
        if any(unit is None for unit in units):
            return None
        first = units[0]
        assert first is not None
        for unit in units[1:]:
            assert unit is not None
            if not unit.fits(first):
                self.complaints.add("E214", expression.span, left=first.described, right=unit.described)
                return None
            # A number without a unit takes that of what it is added to.
            first = unit if first == PLAIN else first
        return first


def _limit(value: float | None, unit: Unit) -> str:
    return "" if value is None else format_value(value, unit)
