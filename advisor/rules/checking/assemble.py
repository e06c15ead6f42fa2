"""Rule files put together into a rulebook: declarations first, then every rule checked against them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from advisor.rules.changes import checked_overrides, checked_suppressions
from advisor.rules.checking.computed_metrics import check_computed
from advisor.rules.checking.definitions import check_definitions
from advisor.rules.checking.rule_checks import Definitions, RuleChecker
from advisor.rules.checking.shared_exceptions import shared_exceptions
from advisor.rules.checking.vocabulary import Vocabulary, hint_for
from advisor.rules.language.drafts import FileContent, RuleDraft
from advisor.rules.language.expressions import macros_in
from advisor.rules.language.problems import Complaints, RuleError, RuleErrors
from advisor.rules.model import Definition, Rule, Rulebook, Unless

EDITION = 1
Contents = Sequence[tuple[FileContent, Complaints]]


@dataclass
class _Declared:
    """What the rules are checked against, and for each file that declares something its lines and errors."""

    given: list[object]
    lines: list[Sequence[str]]
    errors: list[list[RuleError]]
    vocabulary: Vocabulary
    definitions: Definitions

    def holds_for(self, contents: Contents) -> bool:
        """Whether files declare the same; the errors show lines, in which a comment may have changed."""
        return self.given == _given(contents) and all(
            lines == complaints.lines or not errors
            for lines, errors, (_, complaints) in zip(self.lines, self.errors, contents, strict=True)
        )


@dataclass(frozen=True, slots=True)
class _Checked:
    """A rule as it was checked with the exceptions that it shares, None where it has errors."""

    draft: RuleDraft
    shared: tuple[Unless, ...]
    rule: Rule | None
    errors: tuple[RuleError, ...]


class Assembler:
    """Puts files together, again and again while some of them change.

    What was checked is kept for the next time: the declarations as long as they are the same, a rule as long
    as its draft is the same object and the declarations and the exceptions that it shares are the same.
    """

    def __init__(self) -> None:
        self._declared: _Declared | None = None
        self._checked: dict[int, _Checked] = {}
        self._used: dict[int, tuple[FileContent, frozenset[str]]] = {}

    def assemble(self, contents: Contents) -> Rulebook:
        """The rulebook of all files with all errors, in order of their places.

        What has an error is left out. The complaints, those of reading, stay as they are.
        """
        noted = [(content, complaints.copy()) for content, complaints in contents]
        declared = self._declarations(noted)
        rules = self._rules(noted, declared)
        renamed, retired = _former_rules(noted, rules)
        overrides = checked_overrides(noted, rules, renamed)
        vocabulary, definitions = declared.vocabulary, declared.definitions
        suppressions = checked_suppressions(noted, rules, vocabulary, definitions, renamed)
        errors = [error for _, complaints in noted for error in complaints.errors]
        return Rulebook(
            tuple(rules.values()), dict(vocabulary.metrics), dict(vocabulary.entities), overrides,
            suppressions, renamed, retired, self._definitions(noted),
            errors=tuple(RuleErrors(errors).errors) if errors else (),
        )  # fmt: skip

    def _declarations(self, contents: Contents) -> _Declared:
        declaring = [
            (content, noted)
            for content, noted in contents
            if content.entities or content.metrics or content.definitions
        ]
        if self._declared is None or not self._declared.holds_for(declaring):
            self._declared, self._checked = _declare(declaring), {}
        for (_, complaints), errors in zip(declaring, self._declared.errors, strict=True):
            complaints.errors += errors
        return self._declared

    def _rules(self, contents: Contents, declared: _Declared) -> dict[str, Rule]:
        rules: dict[str, Rule] = {}
        places: dict[str, str] = {}
        checked: dict[int, _Checked] = {}
        shared = shared_exceptions(contents, declared.vocabulary, declared.definitions)
        for content, complaints in contents:
            _check_edition(content, complaints)
            for draft in content.rules:
                if draft.id in places:
                    complaints.add("E303", draft.span, kind="a rule", name=draft.id, place=places[draft.id])
                    continue
                places[draft.id] = content.path
                exceptions = shared.get(draft.id, ())
                kept = self._checked.get(id(draft))
                same = kept is not None and kept.shared == exceptions
                found = kept if kept and same else _check(draft, exceptions, complaints, declared)
                checked[id(draft)] = found
                complaints.errors += found.errors
                if found.rule is not None:
                    rules[draft.id] = found.rule
        self._checked = checked
        return rules

    def _definitions(self, contents: Contents) -> tuple[Definition, ...]:
        """Every definition, with whether anything uses it."""
        kept = self._used
        self._used = {id(one): kept.get(id(one)) or (one, _definitions_used(one)) for one, _ in contents}
        used = frozenset[str]().union(*(names for _, names in self._used.values()))
        return tuple(
            Definition(one.name, content.path, one.span, one.name in used)
            for content, _ in contents
            for one in content.definitions
        )


def _given(contents: Contents) -> list[object]:
    return [(one.path, one.entities, one.metrics, one.definitions) for one, _ in contents]


def _declare(contents: Contents) -> _Declared:
    fresh = [(content, Complaints(content.path, noted.lines)) for content, noted in contents]
    vocabulary = _vocabulary(fresh)
    definitions = _definitions(fresh)
    check_definitions(fresh, definitions)
    check_computed(fresh, vocabulary, definitions)
    lines, errors = [noted.lines for _, noted in fresh], [noted.errors for _, noted in fresh]
    return _Declared(_given(contents), lines, errors, vocabulary, definitions)


def _check(
    draft: RuleDraft, shared: tuple[Unless, ...], complaints: Complaints, declared: _Declared
) -> _Checked:
    own = Complaints(draft.path, complaints.lines)
    checker = RuleChecker(draft, own, declared.vocabulary, declared.definitions)
    rule = checker.rule(_category(draft.path), shared)
    return _Checked(draft, shared, rule, tuple(own.errors))


def _category(path: str) -> str:
    parts = path.replace(os.sep, "/").split("/")
    return parts[-2] if len(parts) > 1 else ""


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


def _definitions_used(content: FileContent) -> frozenset[str]:
    """The names of the definitions that a file calls."""
    used: set[str] = set()
    for draft in content.rules:
        exceptions = (one.condition for one in (*draft.unless, *draft.doubts))
        written = [draft.when, draft.gain, draft.once, *exceptions]
        written += [one.condition for one in draft.sentences]
        written += [one.value for one in draft.without]
        written += [value for _, value, _ in draft.lets]
        used.update(name for one in written if one is not None for name in macros_in(one))
    used.update(name for one in content.definitions for name in macros_in(one.body))
    used.update(name for one in content.exceptions for name in macros_in(one.condition))
    used.update(name for one, _ in content.suppressions for name in macros_in(one.condition))
    for metric, _ in content.metrics:
        used.update(macros_in(metric.computed.expression) if metric.computed else ())
    return frozenset(used)


def _former_rules(contents: Contents, rules: dict[str, Rule]) -> tuple[dict[str, str], dict[str, str]]:
    """The rules of today by their old names, and why others are gone."""
    renamed: dict[str, str] = {}
    retired: dict[str, str] = {}
    places: dict[str, str] = {}
    for content, complaints in contents:
        for old, new, span, target in content.renamed:
            if old in rules:
                complaints.add("E303", span, kind="a rule", name=old, place=rules[old].path)
            elif new not in rules:
                complaints.add("E314", target, kind="renaming", name=new, hint=hint_for(new, rules))
            elif renamed.get(old, new) != new:
                complaints.add("E303", span, kind="a renaming of", name=old, place=places[old])
            else:
                renamed[old], places[old] = new, content.path
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
