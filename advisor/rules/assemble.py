"""Rule files put together into a rulebook: declarations first, then every rule checked against them."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.rules.changes import checked_overrides, checked_suppressions
from advisor.rules.computed_metrics import check_computed
from advisor.rules.drafts import FileContent
from advisor.rules.model import Definition, Rule, Rulebook, macros_in
from advisor.rules.problems import Complaints
from advisor.rules.rule_checks import Definitions, RuleChecker
from advisor.rules.vocabulary import Vocabulary, hint_for

EDITION = 1
Contents = Sequence[tuple[FileContent, Complaints]]


def assemble(contents: Contents, categories: dict[str, str]) -> Rulebook:
    """The rulebook of all files; `categories` names the category of each rule file by its path.

    What has an error is left out; the errors are noted with the files' complaints.
    """
    vocabulary = _vocabulary(contents)
    definitions = _definitions(contents)
    check_computed(contents, vocabulary, definitions)
    rules = _rules(contents, categories, vocabulary, definitions)
    renamed, retired = _former_rules(contents, rules)
    return Rulebook(
        tuple(rules.values()),
        vocabulary.metrics,
        vocabulary.entities,
        checked_overrides(contents, rules, renamed),
        checked_suppressions(contents, rules, vocabulary, definitions),
        renamed,
        retired,
        _definitions_used(contents),
    )


def _rules(
    contents: Contents, categories: dict[str, str], vocabulary: Vocabulary, definitions: Definitions
) -> dict[str, Rule]:
    rules: dict[str, Rule] = {}
    places: dict[str, str] = {}
    for content, complaints in contents:
        _check_edition(content, complaints)
        for draft in content.rules:
            if draft.id in places:
                complaints.add("E303", draft.span, kind="a rule", name=draft.id, place=places[draft.id])
                continue
            places[draft.id] = content.path
            checker = RuleChecker(draft, complaints, vocabulary, definitions)
            rule = checker.rule(categories.get(content.path, ""))
            if rule is not None:
                rules[draft.id] = rule
    return rules


def _check_edition(content: FileContent, complaints: Complaints) -> None:
    if content.edition is not None and content.edition[0] != EDITION:
        found = f"{content.edition[0]:g}"
        complaints.add("E313", content.edition[1], found=found, known=EDITION)


def _definitions(contents: Contents) -> Definitions:
    found: Definitions = {}
    places: dict[str, str] = {}
    for content, complaints in contents:
        for definition in content.definitions:
            name = definition.name
            if name in found:
                complaints.add("E303", definition.span, kind="a definition", name=name, place=places[name])
                continue
            found[name] = (definition.variable, definition.body)
            places[name] = content.path
    return found


def _definitions_used(contents: Contents) -> tuple[Definition, ...]:
    used: set[str] = set()
    for content, _ in contents:
        for draft in content.rules:
            written = [draft.when, draft.gain, *(one.condition for one in draft.unless)]
            written += [value for _, value, _ in draft.lets]
            used.update(name for one in written if one is not None for name in macros_in(one))
        used.update(name for one in content.definitions for name in macros_in(one.body))
        used.update(name for one in content.suppressions for name in macros_in(one.condition))
        for metric, _ in content.metrics:
            used.update(macros_in(metric.computed.expression) if metric.computed else ())
    return tuple(
        Definition(one.name, content.path, one.span, one.name in used)
        for content, _ in contents
        for one in content.definitions
    )


def _former_rules(contents: Contents, rules: dict[str, Rule]) -> tuple[dict[str, str], dict[str, str]]:
    """The rules of today by their old names, and why others are gone."""
    renamed: dict[str, str] = {}
    retired: dict[str, str] = {}
    for content, complaints in contents:
        for old, new, span in content.renamed:
            if old in rules:
                complaints.add("E303", span, kind="a rule", name=old, place=rules[old].path)
            elif new not in rules:
                complaints.add("E314", span, kind="renaming", name=new, hint=hint_for(new, rules))
            else:
                renamed[old] = new
        for old, reason, span in content.retired:
            if old in rules:
                complaints.add("E303", span, kind="a rule", name=old, place=rules[old].path)
            else:
                retired[old] = reason
    return renamed, retired


def _vocabulary(contents: Contents) -> Vocabulary:
    vocabulary = Vocabulary()
    places: dict[str, str] = {}
    for content, complaints in contents:
        for entity, span in content.entities:
            if entity.name in vocabulary.entities:
                complaints.add("E303", span, kind="an entity", name=entity.name, place=places[entity.name])
                continue
            vocabulary.entities[entity.name] = entity
            places[entity.name] = content.path
    for content, complaints in contents:
        _metrics(content, complaints, vocabulary, places)
        for entity, span in content.entities:
            if entity.owner is not None and entity.owner not in vocabulary.entities:
                hint = hint_for(entity.owner, vocabulary.entities)
                complaints.add("E204", span, name=entity.owner, hint=hint)
    return vocabulary


def _metrics(
    content: FileContent, complaints: Complaints, vocabulary: Vocabulary, places: dict[str, str]
) -> None:
    for metric, span in content.metrics:
        key = (metric.entity, metric.name)
        if metric.entity not in vocabulary.entities:
            hint = hint_for(metric.entity, vocabulary.entities)
            complaints.add("E204", span, name=metric.entity, hint=hint)
        if key in vocabulary.metrics:
            complaints.add("E303", span, kind="a metric", name=metric.name, place=places[".".join(key)])
            continue
        if metric.low is not None and metric.high is not None and metric.low > metric.high:
            complaints.add("E305", span, name=metric.name, low=f"{metric.low:g}", high=f"{metric.high:g}")
        vocabulary.metrics[key] = metric
        places[".".join(key)] = content.path
