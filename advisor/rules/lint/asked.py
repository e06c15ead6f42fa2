"""What remarks are asked for: a rulebook, the files of interest, and what is known from before."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property

from advisor.rules.checking.intervals import Alternative, TooLarge, impossible
from advisor.rules.checking.vocabulary import hint_for
from advisor.rules.lint.conditions import conditions_of
from advisor.rules.model import Rule, Rulebook

_Ways = tuple[list[Alternative], list[Alternative]]


@dataclass(eq=False)
class Reached:
    """A rule and the ways in which it fires and rests, None where these are too many."""

    rule: Rule
    ways: _Ways | None

    @cached_property
    def decides(self) -> bool:
        """Whether the rule can fire and can rest, as far as its ways tell it."""
        return self.ways is not None and all(impossible(one) is None for one in self.ways)

    @cached_property
    def signature(self) -> object:
        """What rules of one entity with the same ways have in common."""
        ways = self.ways or ([], [])
        return self.rule.entity, *(
            frozenset(frozenset((fact.subject, fact.operator, fact.value) for fact in one) for one in side)
            for side in ways
        )


@dataclass(frozen=True)
class Asked:
    """A rulebook and the files that remarks are wanted of, None for all.

    `known` keeps the ways of rules by the identity of the rule: an edit leaves the other rules the same
    objects, and a changed declaration makes all of them new.
    """

    book: Rulebook
    files: Collection[str] | None = None
    known: dict[int, Reached] = field(default_factory=dict)
    _hints: dict[str, str] = field(default_factory=dict)

    @cached_property
    def rules(self) -> list[Rule]:
        """The rules that remarks are wanted of."""
        return [rule for rule in self.book.rules if self.files is None or rule.path in self.files]

    @cached_property
    def by_id(self) -> dict[str, Rule]:
        """All rules by their ids."""
        return {rule.id: rule for rule in self.book.rules}

    @cached_property
    def ids(self) -> frozenset[str]:
        """The ids of all rules."""
        return frozenset(self.by_id)

    def hint(self, name: str) -> str:
        """Which rule was meant by a name, looked for once: among many rules that takes long."""
        if name not in self._hints:
            self._hints[name] = hint_for(name, self.ids)
        return self._hints[name]

    def ways(self, rule: Rule) -> _Ways | None:
        """The ways in which a rule fires and rests, None where these are too many."""
        return self.reached(rule).ways

    def reached(self, rule: Rule) -> Reached:
        """What is known of a rule."""
        found = self.known.get(id(rule))
        if found is None:
            found = self.known[id(rule)] = Reached(rule, _ways(self.book, rule))
            if len(self.known) > 2 * len(self.book.rules):
                present = {id(one) for one in self.book.rules}
                for gone in [key for key in self.known if key not in present]:
                    del self.known[gone]
        return found


def _ways(book: Rulebook, rule: Rule) -> _Ways | None:
    try:
        conditions = conditions_of(book, rule, {})
        return conditions.fires(), conditions.rests()
    except TooLarge:
        return None
