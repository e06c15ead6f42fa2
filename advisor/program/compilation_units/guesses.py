"""Guesses for all unknown names of a unit together: what is computed of others follows from theirs."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from advisor.program.compilation_units.derived_values import Definition, DerivedValues, Variable
from advisor.program.compilation_units.placeholders import Guess, UnknownValue, guessed, whole_number
from advisor.program.effects.use_analysis import Callee
from advisor.program.resolution.library_values import Undetermined
from advisor.program.resolution.literal_text import literal_text
from advisor.program.resolution.resolution import Names

Places = Sequence[UnknownValue]


@dataclass(frozen=True, slots=True)
class Guessed:
    """The guess for each name, in their order, and what all of them assume, a sentence each."""

    guesses: tuple[Guess, ...]
    assumptions: tuple[str, ...]


def guesses_for(groups: Sequence[Places], callee: Callee, names: Names) -> Guessed | None:
    """The guesses for unknown names, each read at the places of its group; None where one has none."""
    own: list[Guess] = []
    for number, places in enumerate(groups):
        guess = guessed(places, callee, number)
        if guess is None:
            return None
        own.append(guess)
    return _Relations(DerivedValues(names), groups, own).guessed()


class _Relations:
    def __init__(self, derived: DerivedValues, groups: Sequence[Places], own: Sequence[Guess]) -> None:
        self.derived, self.groups = derived, groups
        self.definitions = [self._definition(places[0]) for places in groups]
        self.roots = [self._roots(one) for one in self.definitions]
        self.own = [self._of_whole(number, guess, own) for number, guess in enumerate(own)]
        self.given: dict[Variable, Guess] = {
            one.variable: guess
            for one, roots, guess in zip(self.definitions, self.roots, self.own, strict=True)
            if one is not None and not roots
        }
        self.further: dict[Variable, Definition] = {
            variable: root
            for roots in self.roots
            for variable, root in roots.items()
            if variable not in self.given
        }
        for number, variable in enumerate(self.further, start=len(groups)):
            self.given[variable] = whole_number(number)

    def _of_whole(self, number: int, guess: Guess, own: Sequence[Guess]) -> Guess:
        """The guess for a name; a whole number where sizes or indices are computed of any number."""
        definition = self.definitions[number]
        sizes = (roots for roots, other in zip(self.roots, own, strict=True) if other.is_whole)
        whole = definition is not None and any(definition.variable in roots for roots in sizes)
        return whole_number(number) if whole and guess.type == "float64" else guess

    def guessed(self) -> Guessed:
        said = [
            self.given[variable].in_words(variable.name, root.reason)
            for variable, root in self.further.items()
        ]
        found = []
        for places, definition, roots, own in zip(
            self.groups, self.definitions, self.roots, self.own, strict=True
        ):
            guess = self._computed(definition, roots, own) if definition is not None and roots else None
            found.append(guess or own)
            if guess is None:
                said.append(own.in_words(places[0].written, places[0].reason))
            else:
                said.append(guess.computed_in_words(places[0].written, [one.name for one in roots]))
        return Guessed(tuple(found), tuple(said))

    def _definition(self, place: UnknownValue) -> Definition | None:
        if not isinstance(place.node, ast.Name):
            return None
        return self.derived.definition(place.name, place.module, place.module.scopes(place.function))

    def _roots(self, definition: Definition | None) -> dict[Variable, Definition]:
        """The variables that another one is computed of, none for one that is not computed."""
        roots = self.derived.roots(definition) if definition is not None else None
        return {} if roots is None or definition is None or definition.variable in roots else roots

    def _computed(
        self, definition: Definition, roots: Mapping[Variable, Definition], own: Guess
    ) -> Guess | None:
        """The guess that follows from those of the roots, None where it would be of another kind."""
        guesses = {variable: self.given[variable] for variable in roots}
        if any(guess.type != "int64" for guess in guesses.values()):
            return None
        first = {variable: int(guess.value) for variable, guess in guesses.items()}
        second = {variable: int(guess.other) for variable, guess in guesses.items()}
        try:
            value = self.derived.value(definition, first)
            other = self.derived.value(definition, second)
        except Undetermined:
            return None
        texts = literal_text(value), literal_text(other)
        if texts[0] is None or texts[1] is None or not _fits(value, own) or not _fits(other, own):
            return None
        return Guess(own.type, texts[0], texts[1])


def _fits(value: object, guess: Guess) -> bool:
    """Whether a value is of the kind that the use of a name shows; sizes are positive."""
    if guess.type == "int64":
        return type(value) is int and value > 0
    if guess.type.startswith("UniTuple"):
        return isinstance(value, tuple) and guess.value.count(",") + 1 == len(value)
    return guess.type == "float64" and type(value) in (int, float)
