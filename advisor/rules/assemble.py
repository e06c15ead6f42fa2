"""Rule files put together into a rulebook: declarations first, then every rule checked against them."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.rules.drafts import FileContent
from advisor.rules.model import Override, Rule, Rulebook
from advisor.rules.problems import Complaints
from advisor.rules.rule_checks import Definitions, RuleChecker
from advisor.rules.units import format_value
from advisor.rules.vocabulary import Vocabulary, hint_for
from advisor.text import Span

EDITION = 1


def assemble(contents: Sequence[tuple[FileContent, Complaints]], categories: dict[str, str]) -> Rulebook:
    """The rulebook of all files; `categories` names the category of each rule file by its path."""
    vocabulary = _vocabulary(contents)
    definitions: Definitions = {
        definition.name: (definition.variable, definition.body)
        for content, _ in contents
        for definition in content.definitions
    }
    rules: dict[str, Rule] = {}
    for content, complaints in contents:
        _check_edition(content, complaints)
        for draft in content.rules:
            if draft.id in rules:
                complaints.add("E303", draft.span, kind="a rule", name=draft.id, place=rules[draft.id].path)
                continue
            rule = RuleChecker(draft, complaints, vocabulary, definitions).rule(
                categories.get(content.path, "")
            )
            if rule is not None:
                rules[draft.id] = rule
    overrides = _overrides(contents, rules)
    return Rulebook(tuple(rules.values()), vocabulary.metrics, vocabulary.entities, overrides)


def _check_edition(content: FileContent, complaints: Complaints) -> None:
    if content.edition is not None and content.edition[0] != EDITION:
        found = f"{content.edition[0]:g}"
        complaints.add("E313", content.edition[1], found=found, known=EDITION)


def _vocabulary(contents: Sequence[tuple[FileContent, Complaints]]) -> Vocabulary:
    vocabulary = Vocabulary()
    places: dict[str, str] = {}
    for content, complaints in contents:
        for entity, span in content.entities:
            if entity.name in vocabulary.entities:
                complaints.add("E303", span, kind="an entity", name=entity.name, place=places[entity.name])
            vocabulary.entities[entity.name] = entity
            places[entity.name] = content.path
    for content, complaints in contents:
        for metric, span in content.metrics:
            key = (metric.entity, metric.name)
            if metric.entity not in vocabulary.entities:
                complaints.add(
                    "E204", span, name=metric.entity, hint=hint_for(metric.entity, vocabulary.entities)
                )
            if key in vocabulary.metrics:
                complaints.add("E303", span, kind="a metric", name=metric.name, place=places[".".join(key)])
            if metric.low is not None and metric.high is not None and metric.low > metric.high:
                complaints.add("E305", span, name=metric.name, low=f"{metric.low:g}", high=f"{metric.high:g}")
            vocabulary.metrics[key] = metric
            places[".".join(key)] = content.path
        for entity, span in content.entities:
            if entity.owner is not None and entity.owner not in vocabulary.entities:
                complaints.add(
                    "E204", span, name=entity.owner, hint=hint_for(entity.owner, vocabulary.entities)
                )
    return vocabulary


def _overrides(
    contents: Sequence[tuple[FileContent, Complaints]], rules: dict[str, Rule]
) -> tuple[Override, ...]:
    found: dict[tuple[str, str, str], Override] = {}
    kept: list[Override] = []
    for content, complaints in contents:
        for override, span in content.overrides:
            if override.rule not in rules:
                complaints.add("E314", span, name=override.rule, hint=hint_for(override.rule, rules))
                continue
            _check_override(override, rules[override.rule], span, complaints)
            for name in [name for name, _ in override.params] or ["level"]:
                key = (override.rule, override.device, name)
                if key in found:
                    complaints.add("E315", span, name=name, rule=override.rule)
                found[key] = override
            kept.append(override)
    return tuple(kept)


def _check_override(override: Override, rule: Rule, span: Span, complaints: Complaints) -> None:
    params = {param.name: param for param in rule.params}
    for name, value in override.params:
        if name not in params:
            complaints.add("E205", span, name=name, hint=hint_for(name, params))
            continue
        param = params[name]
        if (param.low is not None and value < param.low) or (param.high is not None and value > param.high):
            complaints.add(
                "E304", span, name=name, value=format_value(value, param.unit),
                low="" if param.low is None else format_value(param.low, param.unit),
                high="" if param.high is None else format_value(param.high, param.unit),
            )  # fmt: skip
