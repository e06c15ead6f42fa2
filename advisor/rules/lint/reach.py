"""Rules that can never fire, or always do, and thresholds whose range or override goes too far."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from advisor.rules.checking.intervals import Fact, TooLarge, impossible
from advisor.rules.lint.asked import Asked
from advisor.rules.lint.conditions import conditions_of
from advisor.rules.lint.remarks import Remark, of_rule, remark
from advisor.rules.model import Rule, Rulebook
from advisor.rules.units import format_value


def look(asked: Asked) -> Iterator[Remark]:
    """The remarks about what rules can say at all."""
    book = asked.book
    for rule in asked.rules:
        ways = asked.ways(rule)
        if ways is None:
            continue
        never, always = (impossible(one) for one in ways)
        if never is not None:
            yield of_rule("L101", rule, reason=because(never))
        elif always is not None:
            yield of_rule("L102", rule)
        else:
            yield from _far_params(book, rule)
    yield from _overrides(asked)


def because(facts: tuple[Fact, ...]) -> str:
    """Why facts cannot be together, in words."""
    if not facts:
        return "its condition is false"
    metric = facts[0].metric
    shown = " and ".join(dict.fromkeys(f"`{fact.shown}`" for fact in facts))
    if len(facts) == 1 and metric is not None:
        low = "" if metric.low is None else format_value(metric.low, metric.unit)
        high = "" if metric.high is None else format_value(metric.high, metric.unit)
        return f"{shown} lies outside the range of `{metric.name}`, {low} .. {high}"
    return f"{shown} cannot hold together"


def verdict_at(book: Rulebook, rule: Rule, changed: Mapping[str, float]) -> tuple[str, str] | None:
    """("can never fire", why) or ("always fires", why) with parameters changed, None where it decides."""
    try:
        conditions = conditions_of(book, rule, changed)
        never, always = impossible(conditions.fires()), impossible(conditions.rests())
    except TooLarge:
        return None
    if never is not None:
        return "can never fire", because(never)
    return ("always fires", "its condition is always true") if always is not None else None


def _far_params(book: Rulebook, rule: Rule) -> Iterator[Remark]:
    for param in rule.params:
        for end, value in (("low", param.low), ("high", param.high)):
            if value is None:
                continue
            found = verdict_at(book, rule, {param.name: value})
            if found is not None:
                what = (
                    found[0]
                    .replace("can never fire", "silent for ever")
                    .replace("always fires", "fire always")
                )
                shown = format_value(value, param.unit)
                yield of_rule("L112", rule, end=end, value=shown, name=param.name, what=what)


def _overrides(asked: Asked) -> Iterator[Remark]:
    book = asked.book
    for override in book.overrides:
        rule = asked.by_id.get(override.rule)
        if rule is None or not override.params:
            continue
        found = verdict_at(book, rule, dict(override.params))
        if found is not None and verdict_at(book, rule, {}) is None:
            what, reason = found
            yield remark("L106", override.file, override.span, rule=rule.id, what=what, reason=reason)
