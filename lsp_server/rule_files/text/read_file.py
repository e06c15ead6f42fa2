"""One text of a rule file as the editor's questions need it: words, items, names and their places."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

from advisor.model.text.source_text import Span
from lsp_server.rule_files.text.names import names_of
from lsp_server.rule_files.text.parts import Part, items_of
from lsp_server.rule_files.text.symbols import Call, Name
from lsp_server.rule_files.text.words import Lines, Word, words_of

_KEPT = 2_000
_Foreign = tuple[tuple[str, tuple[tuple[str, str], ...]], ...]


@dataclass(frozen=True)
class Reading:
    """A text with its words and items. `foreign` are the variables of rules that it changes."""

    text: str
    words: tuple[Word, ...]
    items: tuple[Part, ...]
    foreign: _Foreign = ()

    @cached_property
    def lines(self) -> Lines:
        """Between its offsets and its places."""
        return Lines(self.text)

    @cached_property
    def _read(self) -> tuple[tuple[Name, ...], tuple[Call, ...]]:
        foreign = {rule: dict(variables) for rule, variables in self.foreign}
        names: list[Name] = []
        calls: list[Call] = []
        for item in self.items:
            found, called = names_of(item, lambda rule: foreign.get(rule, {}))
            names += found
            calls += called
        return tuple(sorted(names, key=lambda one: (one.start, one.end))), tuple(calls)

    @property
    def names(self) -> tuple[Name, ...]:
        """All names in order of their places."""
        return self._read[0]

    @property
    def calls(self) -> tuple[Call, ...]:
        """All calls of definitions."""
        return self._read[1]

    def name_at(self, offset: int) -> Name | None:
        """The name that an offset lies in or behind; the one that begins there goes before."""
        found = [one for one in self.names if one.start <= offset <= one.end]
        return found[-1] if found else None

    def word_at(self, offset: int) -> Word | None:
        """The word that an offset lies in, else the one that ends there."""
        place = bisect_right(self._starts, offset) - 1
        for at in (place, place - 1):
            if at >= 0 and self.words[at].start <= offset <= self.words[at].end:
                return self.words[at]
        return None

    def span(self, start: int, end: int) -> Span:
        """The span between two offsets."""
        return Span(*self.lines.place(start), *self.lines.place(max(start, end)))

    @cached_property
    def _starts(self) -> list[int]:
        return [word.start for word in self.words]


def read(text: str, variables: Callable[[], Mapping[str, Mapping[str, str]]]) -> Reading:
    """The reading of a text. `variables` gives those of each known rule with their entities."""
    found = _reading(text)
    named = {
        item.name.text
        for item in found.items
        if item.kind in ("suppress", "except") and item.name is not None
    }
    if not named:
        return found
    rules = variables()
    foreign = tuple((rule, tuple(rules[rule].items())) for rule in sorted(named) if rule in rules)
    return _with_foreign(text, foreign)


@lru_cache(_KEPT)
def _reading(text: str) -> Reading:
    words = words_of(text)
    return Reading(text, tuple(words), tuple(items_of(text, words)))


@lru_cache(_KEPT)
def _with_foreign(text: str, foreign: _Foreign) -> Reading:
    bare = _reading(text)
    return Reading(text, bare.words, bare.items, foreign)
