"""Rules changed in one place each, to see whether their examples would notice.

R. DeMillo, R. Lipton, F. Sayward, "Hints on Test Data Selection", IEEE Computer 11(4), 1978.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from advisor.model.text.source_text import Span
from advisor.rules.language.expressions import Expression, Operation, Quantified, Reference
from advisor.rules.language.written_form import written
from advisor.rules.model import Param, Rule, Unless
from advisor.rules.units import COUNT, PLAIN, format_value

_ORDER = ("<", "<=", ">", ">=", "=", "!=", "between", "one_of", "like", "known", "missing")


@dataclass(frozen=True, slots=True)
class Mutant:
    """A changed rule, a sentence that says what was changed, and the place of the change in the file."""

    rule: Rule
    sentence: str
    span: Span


def mutants(rule: Rule) -> list[Mutant]:
    """The mutants of a rule.

    Each drops a part of an `and` or `or`, negates a comparison or a truth value, halves or doubles a
    parameter, or drops an exception or a `doubt`.
    """
    found = [Mutant(replace(rule, when=e), sentence, span) for e, sentence, span in _changed(rule.when)]
    for changed_ones, sentence, span in _exceptions_changed(rule.unless, "unless"):
        found.append(Mutant(replace(rule, unless=changed_ones), sentence, span))
    for changed_ones, sentence, span in _exceptions_changed(rule.doubts, "doubt"):
        found.append(Mutant(replace(rule, doubts=changed_ones), sentence, span))
    for place, (name, value) in enumerate(rule.lets):
        if isinstance(_without_brackets(value), Reference):
            # It may be a number, which has no opposite.
            continue
        for changed, sentence, span in _changed(value):
            lets = (*rule.lets[:place], (name, changed), *rule.lets[place + 1 :])
            found.append(Mutant(replace(rule, lets=lets), sentence, span))
    used = {name for expression in _expressions(rule) for name in _bare_names(expression)}
    for place, param in enumerate(rule.params):
        # A parameter that only texts name changes no verdict.
        if param.name in used:
            for factor, word in ((0.5, "half"), (2.0, "twice")):
                found += _scaled(rule, place, param, factor, word)
    return found


def _exceptions_changed(
    every: tuple[Unless, ...], word: str
) -> Iterator[tuple[tuple[Unless, ...], str, Span]]:
    for place, item in enumerate(every):
        before, after = every[:place], every[place + 1 :]
        yield (*before, *after), f"without `{word} {written(item.condition)}`", item.condition.span
        for changed, sentence, span in _changed(item.condition):
            yield (*before, replace(item, condition=changed), *after), sentence, span


def _scaled(rule: Rule, place: int, param: Param, factor: float, word: str) -> Iterator[Mutant]:
    value = param.value * factor
    if param.unit in (COUNT, PLAIN) and param.value == int(param.value):
        # Half of one loop is none.
        value = float(int(value))
    if value != param.value:
        changed = (*rule.params[:place], replace(param, value=value), *rule.params[place + 1 :])
        shown = format_value(value, param.unit)
        yield Mutant(
            replace(rule, params=changed), f"with `{param.name}` {word} as large, {shown}", rule.span
        )


def _expressions(rule: Rule) -> list[Expression]:
    exceptions = [item.condition for item in (*rule.unless, *rule.doubts)]
    return [rule.when, *exceptions, *(value for _, value in rule.lets)]


def _without_brackets(expression: Expression) -> Expression:
    while isinstance(expression, Operation) and expression.operator == "group":
        expression = expression.operands[0]
    return expression


def _bare_names(expression: Expression) -> Iterator[str]:
    if isinstance(expression, Reference) and len(expression.parts) == 1:
        yield expression.parts[0]
    elif isinstance(expression, Operation):
        for operand in expression.operands:
            yield from _bare_names(operand)
    elif isinstance(expression, Quantified):
        yield from _bare_names(expression.condition)


_Change = tuple[Expression, str, Span]


def _changed(expression: Expression) -> Iterator[_Change]:
    """The expression with one change in it, for each change there is."""
    if isinstance(expression, Operation) and expression.operator in ("and", "or"):
        yield from _with_parts_dropped(expression)
    if isinstance(expression, Quantified):
        for condition, sentence, span in _changed(expression.condition):
            yield replace(expression, condition=condition), sentence, span
        if expression.quantifier != "number":
            yield _negated(expression)
    elif isinstance(expression, Operation) and expression.operator in _ORDER:
        yield _negated(expression)
    elif isinstance(expression, Operation) and expression.operator == "not":
        yield (
            expression.operands[0],
            f"with `{written(expression.operands[0])}` for its opposite",
            expression.span,
        )
    elif isinstance(expression, Operation) and expression.operator in ("and", "or", "group"):
        for place, operand in enumerate(expression.operands):
            yield from _inside(expression, place, _changed(operand))
    elif isinstance(expression, Reference) and len(expression.parts) > 1:
        yield _negated(expression)


def _with_parts_dropped(expression: Operation) -> Iterator[_Change]:
    for place, operand in enumerate(expression.operands):
        rest = (*expression.operands[:place], *expression.operands[place + 1 :])
        left = rest[0] if len(rest) == 1 else replace(expression, operands=rest)
        yield left, f"without `{written(operand)}`", operand.span


def _inside(expression: Operation, place: int, changes: Iterator[_Change]) -> Iterator[_Change]:
    before, behind = expression.operands[:place], expression.operands[place + 1 :]
    for changed, sentence, span in changes:
        yield replace(expression, operands=(*before, changed, *behind)), sentence, span


def _negated(expression: Operation | Quantified | Reference) -> _Change:
    return (
        Operation("not", (expression,), expression.span),
        f"with the opposite of `{written(expression)}`",
        expression.span,
    )
