"""Overrides and suppressions checked against the rules that they change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date

from advisor.model.text.source_text import Span
from advisor.rules.checking.expansion import Definitions, expand_within_bounds
from advisor.rules.checking.names import params_in, with_todays_params
from advisor.rules.checking.typing import Typing
from advisor.rules.checking.vocabulary import Vocabulary, hint_for
from advisor.rules.language.drafts import ChangePlaces, FileContent
from advisor.rules.language.problems import Complaints
from advisor.rules.model import Override, Rule, Suppress
from advisor.rules.units import NO_UNIT, format_value

Contents = Sequence[tuple[FileContent, Complaints]]


def checked_overrides(
    contents: Contents, rules: Mapping[str, Rule], renamed: Mapping[str, str]
) -> tuple[Override, ...]:
    """The overrides that can be followed; two of one reach that change the same thing are an error."""
    found: dict[tuple[object, ...], Override] = {}
    for content, complaints in sorted(contents, key=lambda one: one[0].path):
        unknown: set[str] = set()
        for given, places in content.overrides:
            override = replace(given, rule=renamed.get(given.rule, given.rule))
            if override.rule not in rules:
                # A block of several changes is told of once.
                if override.rule not in unknown:
                    hint = hint_for(override.rule, rules)
                    complaints.add("E314", places.rule, kind="override", name=override.rule, hint=hint)
                unknown.add(override.rule)
                continue
            override = _with_todays_param(override, rules[override.rule])
            if _fits(override, rules[override.rule], places, complaints):
                key = (override.rule, override.scope, override.subject)
                if key in found:
                    other = found[key]
                    place = f"{other.file}:{other.span.line}"
                    complaints.add(
                        "E315", places.subject, name=override.subject, rule=override.rule, place=place
                    )
                else:
                    found[key] = override
    return tuple(found.values())


def _with_todays_param(override: Override, rule: Rule) -> Override:
    """The override with the name that its parameter has today, and the one that it was written with."""
    today = rule.former_params
    former = tuple(name for name, _ in override.params if name in today)
    params = tuple((today.get(name, name), value) for name, value in override.params)
    return replace(override, params=params, former=former)


def _fits(override: Override, rule: Rule, places: ChangePlaces, complaints: Complaints) -> bool:
    good = _is_date(override.until, places.until, complaints)
    params = {param.name: param for param in rule.params}
    for name, value in override.params:
        if name not in params:
            complaints.add("E205", places.subject, name=name, hint=hint_for(name, params))
            return False
        param = params[name]
        if override.unit not in (None, NO_UNIT) and not override.unit.fits(param.unit):
            found, wanted = override.unit.described, param.unit.described
            complaints.add("E316", places.value, name=name, found=found, wanted=wanted)
            return False
        if (param.low is not None and value < param.low) or (param.high is not None and value > param.high):
            complaints.add(
                "E318", places.value, name=name, value=format_value(value, param.unit),
                low="" if param.low is None else format_value(param.low, param.unit),
                high="" if param.high is None else format_value(param.high, param.unit),
            )  # fmt: skip
            return False
    return good


def _is_date(text: str, span: Span, complaints: Complaints) -> bool:
    try:
        if text:
            date.fromisoformat(text)
    except ValueError:
        complaints.add("E319", span, found=text)
        return False
    return True


def checked_suppressions(
    contents: Contents,
    rules: Mapping[str, Rule],
    vocabulary: Vocabulary,
    definitions: Definitions,
    renamed: Mapping[str, str],
) -> tuple[Suppress, ...]:
    """The suppressions whose rule exists and whose condition speaks of what the rule speaks of."""
    found = []
    for content, complaints in contents:
        for given, places in content.suppressions:
            rule = rules.get(renamed.get(given.rule, given.rule))
            if rule is None:
                hint = hint_for(given.rule, rules)
                complaints.add("E314", places.rule, kind="suppression", name=given.rule, hint=hint)
                continue
            before = len(complaints.errors)
            owner = f"the suppression of `{given.rule}`"
            condition = expand_within_bounds(given.condition, definitions, complaints, owner)
            if condition is None:
                continue
            params = {param.name: param for param in rule.params}
            former = tuple(sorted(params_in(condition) & rule.former_params.keys()))
            condition = with_todays_params(condition, rule.former_params)
            Typing(vocabulary, complaints, dict(rule.variables), params).condition(condition)
            _is_date(given.until, places.until, complaints)
            if len(complaints.errors) == before:
                found.append(replace(given, rule=rule.id, condition=condition, former=former))
    return tuple(found)
