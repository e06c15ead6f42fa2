"""Overrides that change nothing, or of which it is not plain which holds."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from advisor.rules.lint.asked import Asked
from advisor.rules.lint.remarks import Remark, remark
from advisor.rules.model import Override, Rule, Rulebook


def look(asked: Asked) -> Iterator[Remark]:
    """The remarks about overrides."""
    book = asked.book
    for override in book.overrides:
        rule = book.rule(override.rule)
        reason = _idle(override, rule, book) if rule is not None else None
        if reason:
            yield remark("L104", override.file, override.span, rule=override.rule, reason=reason)
    for one, other in combinations(book.overrides, 2):
        if (one.rule, one.subject) == (other.rule, other.subject) and _ambiguous(one, other):
            place = f"{one.file}:{one.span.line}"
            yield remark("L105", other.file, other.span, rule=other.rule, place=place)


def _idle(override: Override, rule: Rule, book: Rulebook) -> str | None:
    if override.disabled or override.scope.parts or _others(override, book):
        return None
    for name, value in override.params:
        if any(param.name == name and param.value == value for param in rule.params):
            return f"{name} has this value already"
    if override.level is not None and override.level == rule.severity and rule.severity_when_assumed is None:
        return f"its level is {override.level} already"
    return None


def _others(override: Override, book: Rulebook) -> list[Override]:
    return [
        one
        for one in book.overrides
        if one is not override and (one.rule, one.subject) == (override.rule, override.subject)
    ]


def _ambiguous(one: Override, other: Override) -> bool:
    """Whether two overrides give as many patterns, of different kinds."""
    kinds = set(one.scope.parts), set(other.scope.parts)
    return len(kinds[0]) == len(kinds[1]) and kinds[0] != kinds[1]
