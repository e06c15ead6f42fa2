"""Rules that fire only where another one does.

A rule implies another when each way in which it fires contradicts each way in which the other rests. Two ways
contradict each other over a metric that both speak of, so only rules that share one are compared, and rules
with the same ways once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from advisor.rules.checking.intervals import Alternative, contradiction
from advisor.rules.lint.asked import Asked, Reached
from advisor.rules.lint.remarks import Remark, of_rule
from advisor.rules.model import Rule


def look(asked: Asked) -> Iterator[Remark]:
    """The remarks about rules that others contain: for each rule, the first of these."""
    kinds = _Kinds()
    for rule in asked.book.rules:
        reached = asked.reached(rule)
        # Of a rule that never or always fires there is another remark.
        if reached.decides:
            kinds.add(reached)
    wanted = {rule.id for rule in asked.rules}
    found = {
        rule.id: (rule, other)
        for kind in kinds.every
        if any(rule.id in wanted for rule in kind.rules)
        for rule, other in kinds.implied(kind)
        if rule.id in wanted
    }
    for rule, other in found.values():
        yield of_rule("L103", rule, other=other.id)


@dataclass
class _Kind:
    """Rules of one entity that fire and rest in the same ways."""

    entity: str
    order: int
    ways: tuple[list[Alternative], list[Alternative]]
    rules: list[Rule] = field(default_factory=list)

    @cached_property
    def fires(self) -> list[_Way]:
        """The ways in which its rules fire."""
        return [_Way.of(one) for one in self.ways[0]]

    @cached_property
    def rests(self) -> list[_Way]:
        """The ways in which its rules rest."""
        return [_Way.of(one) for one in self.ways[1]]


@dataclass
class _Way:
    """An alternative, its facts by what they are about."""

    facts: dict[str, Alternative]

    @classmethod
    def of(cls, alternative: Alternative) -> _Way:
        facts: dict[str, Alternative] = {}
        for fact in alternative:
            facts[fact.subject] = (*facts.get(fact.subject, ()), fact)
        return cls(facts)


@dataclass
class _Kinds:
    """All kinds, each listed under the rarest subject of a way in which it rests."""

    known: dict[object, _Kind] = field(default_factory=dict)
    _by_subject: dict[tuple[str, str], list[_Kind]] | None = None
    _contradicting: dict[tuple[Alternative, Alternative], bool] = field(default_factory=dict)

    @property
    def every(self) -> Iterable[_Kind]:
        return self.known.values()

    def add(self, reached: Reached) -> None:
        key = reached.signature
        kind = self.known.get(key)
        if kind is None:
            ways = reached.ways or ([], [])
            kind = self.known[key] = _Kind(reached.rule.entity, len(self.known), ways)
        kind.rules.append(reached.rule)

    def implied(self, kind: _Kind) -> Iterator[tuple[Rule, Rule]]:
        """Each rule of a kind with the first other that fires wherever it does."""
        other = next((one for one in self._candidates(kind) if self._implies(kind, one)), None)
        first = kind.rules[0]
        for rule in kind.rules:
            if rule is not first:
                yield rule, first
            elif other is not None:
                yield rule, other.rules[0]
            elif len(kind.rules) > 1:
                yield rule, kind.rules[1]

    def _candidates(self, kind: _Kind) -> list[_Kind]:
        if self._by_subject is None:
            self._by_subject = _listed(self.every)
        # All ways in which the other rests share a subject with each in which this one fires.
        subjects = min((way.facts for way in kind.fires), key=len, default={})
        found = [one for name in subjects for one in self._by_subject.get((kind.entity, name), ())]
        return sorted({one.order: one for one in found if one is not kind}.values(), key=_order)

    def _implies(self, kind: _Kind, other: _Kind) -> bool:
        return all(self._contradict(one, two) for two in other.rests for one in kind.fires)

    def _contradict(self, one: _Way, two: _Way) -> bool:
        """Whether two ways, each possible in itself, cannot be together."""
        return any(
            self._facts_contradict(facts, two.facts[subject])
            for subject, facts in one.facts.items()
            if subject in two.facts
        )

    def _facts_contradict(self, one: Alternative, two: Alternative) -> bool:
        key = (one, two)
        if key not in self._contradicting:
            self._contradicting[key] = bool(contradiction((*one, *two)))
        return self._contradicting[key]


def _order(kind: _Kind) -> int:
    return kind.order


def _listed(kinds: Iterable[_Kind]) -> dict[tuple[str, str], list[_Kind]]:
    """The kinds by entity and a subject: those of the way in which they rest that is shared by the fewest."""
    every = [(kind, [{fact.subject for fact in way} for way in kind.ways[1]]) for kind in kinds]
    counts = Counter((kind.entity, name) for kind, ways in every for name in set().union(*ways))
    found: dict[tuple[str, str], list[_Kind]] = {}
    for kind, ways in every:
        sizes = [sum(counts[kind.entity, name] for name in way) for way in ways]
        for name in ways[sizes.index(min(sizes))] if ways else ():
            found.setdefault((kind.entity, name), []).append(kind)
    return found
