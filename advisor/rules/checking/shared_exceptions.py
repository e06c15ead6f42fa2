"""Exceptions that several rules share, checked once and given to each of the rules as its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from advisor.rules.checking.expansion import Definitions, expand_within_bounds, substitute
from advisor.rules.checking.typing import Typing
from advisor.rules.checking.vocabulary import Vocabulary, hint_for
from advisor.rules.language.drafts import FileContent, RuleDraft, SharedException
from advisor.rules.language.expressions import Expression
from advisor.rules.language.problems import Complaints
from advisor.rules.model import Unless

Contents = Sequence[tuple[FileContent, Complaints]]


def shared_exceptions(
    contents: Contents, vocabulary: Vocabulary, definitions: Definitions
) -> dict[str, tuple[Unless, ...]]:
    """The exceptions of `except` items by rule, in the variables of that rule; errors are noted."""
    drafts = {draft.id: draft for content, _ in contents for draft in content.rules}
    found: dict[str, list[Unless]] = {}
    for content, complaints in contents:
        for given in content.exceptions:
            shared = _Shared(given, complaints, vocabulary, definitions)
            for rule in shared.rules(drafts):
                condition = shared.condition_of(drafts[rule])
                if condition is not None:
                    found.setdefault(rule, []).append(Unless(condition, given.reason))
    return {rule: tuple(exceptions) for rule, exceptions in found.items()}


class _Shared:
    """One `except` item and what it means for each of its rules."""

    def __init__(
        self,
        given: SharedException,
        complaints: Complaints,
        vocabulary: Vocabulary,
        definitions: Definitions,
    ) -> None:
        self._given, self._complaints, self._vocabulary = given, complaints, vocabulary
        self._condition = expand_within_bounds(given.condition, definitions, complaints, "the exception")
        # Whether the condition is right for an entity, each of which is asked once.
        self._right: dict[str, bool] = {}

    def rules(self, drafts: Mapping[str, RuleDraft]) -> Sequence[str]:
        """The rules that there are and that look at the entity, each once."""
        given, found = self._given, list[str]()
        if given.entity is not None and given.entity not in self._vocabulary.entities:
            hint = hint_for(given.entity, self._vocabulary.entities)
            self._complaints.add("E204", given.entity_span, name=given.entity, hint=hint)
            return found
        for name, span in given.rules:
            draft = drafts.get(name)
            if draft is None:
                self._complaints.add("E314", span, kind="exception", name=name, hint=hint_for(name, drafts))
            elif name in found:
                self._complaints.add("E333", span, name=name)
            elif draft.variables and self._variable(draft) is None:
                seen = " and ".join(f"`{entity}`" for _, entity in draft.variables)
                self._complaints.add("E332", span, name=name, entity=given.entity, seen=seen)
            else:
                found.append(name)
        return found

    def condition_of(self, draft: RuleDraft) -> Expression | None:
        """The condition in the variables of a rule, None where it has errors."""
        bound = self._variable(draft)
        if bound is None or self._condition is None or not self._is_right(bound[1]):
            return None
        return substitute(self._condition, self._given.variable, bound[0], draft.span)

    def _variable(self, draft: RuleDraft) -> tuple[str, str] | None:
        """What a rule calls the record that the exception speaks of, and its entity."""
        wanted = self._given.entity
        return next((one for one in draft.variables if wanted in (None, one[1])), None)

    def _is_right(self, entity: str) -> bool:
        if entity not in self._vocabulary.entities or self._condition is None:
            return False
        if entity not in self._right:
            before = len(self._complaints.errors)
            typing = Typing(self._vocabulary, self._complaints, {self._given.variable: entity}, {})
            typing.condition(self._condition)
            self._right[entity] = len(self._complaints.errors) == before
        return self._right[entity]
