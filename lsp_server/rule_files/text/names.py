"""What the names in a rule file stand for, as far as the file itself says; broken parts have names, too."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from lsp_server.rule_files.text.expression_names import Bound, ExpressionNames, is_name
from lsp_server.rule_files.text.parts import Part
from lsp_server.rule_files.text.symbols import Call, Name, Role, Symbol, SymbolKind
from lsp_server.rule_files.text.words import Word, reserved

_FIELD = re.compile(r"\{([a-z_]\w*(?:\.\w+)*)\}")
_NUMBERED = re.compile(r"(.*?)\d+")
Foreign: TypeAlias = Callable[[str], Mapping[str, str]]


def names_of(item: Part, foreign: Foreign) -> tuple[list[Name], list[Call]]:
    """The names in an item, in no order, and its calls of definitions.

    `foreign` gives the variables of a rule elsewhere and their entities.
    """
    reader = _NameReader(item, foreign)
    getattr(reader, f"_{item.kind}", lambda: None)()
    return reader.found, reader.calls


class Scope(NamedTuple):
    """The names that an item declares: variables, those of its quantifiers, and its parameters and lets."""

    variables: Mapping[str, Bound]
    inner: Mapping[str, Bound]
    values: Mapping[str, Symbol]


def scope_of(item: Part, foreign: Foreign) -> Scope:
    """The names that an item declares."""
    reader = _NameReader(item, foreign)
    getattr(reader, f"_{item.kind}", lambda: None)()
    return Scope(reader.variables, reader.inner, reader.values)


class _NameReader(ExpressionNames):
    """Reads the names of one item."""

    def __init__(self, item: Part, foreign: Foreign) -> None:
        super().__init__(item.name.text if item.name is not None else "", item.kind)
        self._item, self._words = item, item.words
        self._foreign = foreign

    def _rule(self) -> None:
        name = self._item.name
        if name is not None and name.kind == "id":
            self.add(name, "rule", role="definition")
        parts = self._item.parts
        for part in parts:
            if part.kind == "for":
                self._for(part.words)
            elif part.kind in ("param", "let") and part.name is not None and is_name(part.name):
                kind: SymbolKind = "param" if part.kind == "param" else "let"
                self.values[part.name.text] = self.add(part.name, kind, self.owner, "definition")
                # A former name is declared here, as far as it still is a name.
                for word in part.words[_place_of("formerly", part.words) + 1 :]:
                    if part.kind == "param" and is_name(word):
                        self.add(word, "param", self.owner, "definition")
        for part in (one for one in parts if one.kind not in ("given", "example")):
            self._clause(part)
        for part in (one for one in parts if one.kind in ("given", "example")):
            self._example(part.words)

    def _for(self, words: Sequence[Word]) -> None:
        """Read `for each access a of kernel k`."""
        at = 2
        while at < len(words) and words[at].kind == "word":
            if words[at].text not in reserved():
                self.add(words[at], "entity")
                if at + 1 < len(words) and is_name(words[at + 1]):
                    self.bind(words[at + 1], words[at].text, self.variables)
            at += 3

    def _clause(self, part: Part) -> None:
        words = part.words
        if part.kind in ("say", "why", "try"):
            for word in words:
                self._fields(word)
            said_where = next((at for at, word in enumerate(words) if word.text == "when"), len(words))
            self.expression(words[said_where + 1 :])
        elif part.kind in ("let", "when", "unless", "doubt"):
            self.expression(words[3 if part.kind == "let" else 1 :])
        elif part.kind == "once":
            for word in words[2:3]:
                self.add(word, "entity")
            self.expression(words[4:])
        elif part.kind == "gain":
            at_most = [word.text for word in words[1:3]] == ["at", "most"]
            self.expression(words[3 if at_most else 2 :])
        elif part.kind == "without":
            self.expression(() if words[1:2] and words[1].text == "nothing" else words[1:])
        elif part.kind == "see":
            for word in (one for one in words if one.kind == "id"):
                self.add(word, "rule")
        elif part.kind == "covers":
            for word in (one for one in words[1:] if one.kind == "word"):
                self.add(word, "pattern")

    def _fields(self, word: Word) -> None:
        """Read the names in braces of a text."""
        if word.kind not in ("text", "open_text"):
            return
        for match in _FIELD.finditer(word.text):
            at, dotted = word.start + match.start(1), list[Word]()
            for part in match[1].split("."):
                end = at + len(part)
                dotted.append(
                    Word("attr", f".{part}", at - 1, end) if dotted else Word("word", part, at, end)
                )
                at = end + 1
            self.reference(dotted, self.variables)

    def _example(self, words: Sequence[Word]) -> None:
        """Read `example fires "…" { k.registers = 3, a1.space = "global" }`, or `given { … }`."""
        every = {**self.inner, **self.variables}
        opened = next((at for at, word in enumerate(words) if word.text == "{"), len(words))
        for dotted in _dotted(words[opened:]):
            first = dotted[0]
            stem = _NUMBERED.fullmatch(first.text)
            if first.text not in every and stem is not None and stem[1] in self.inner:
                bound = self.inner[stem[1]]
                self.found.append(Name(first.start, first.start + len(stem[1]), bound.symbol))
                self.attributes(dotted, bound.entity)
            else:
                self.reference(dotted, every)

    def _metric(self) -> None:
        """Read `metric waste : ratio of kernel k range 0 .. 1 "…" = 1 - k.theoretical_occupancy`."""
        words = self._words
        of = _place_of("of", words)
        if of + 1 >= len(words) or len(words) < 2:
            return
        entity = words[of + 1]
        self.add(entity, "entity")
        if is_name(words[1]):
            self.add(words[1], "metric", entity.text, "definition")
        if of + 2 < len(words) and is_name(words[of + 2]):
            self.bind(words[of + 2], entity.text, self.variables)
        else:
            self.variables[entity.text] = Bound(entity.text, Symbol("entity", "", entity.text))
        self.expression(words[_place_of("=", words) + 1 :])

    def _entity(self) -> None:
        """Read `entity queue of run "…" { depth : count range 0 .. "…" }`."""
        words = self._words
        if len(words) < 2:
            return
        self.add(words[1], "entity", role="definition")
        if len(words) > 3 and words[2].text == "of":
            self.add(words[3], "entity")
        for at in range(_place_of("{", words) + 1, len(words) - 1):
            if words[at + 1].text == ":" and is_name(words[at]):
                self.add(words[at], "metric", words[1].text, "definition")

    def _define(self) -> None:
        """Read `define crowded(k) = k.registers > 64`; of what entity `k` is, only its calls say."""
        words = self._words
        if len(words) > 1:
            self.add(words[1], "definition", role="definition")
        if len(words) > 3 and is_name(words[3]):
            self.bind(words[3], "", self.variables)
        self.expression(words[_place_of("=", words) + 1 :])

    def _override(self) -> None:
        """Read `override a-rule { set excess = 3 because "…" }`."""
        words = self._words
        if len(words) > 1 and words[1].kind == "id":
            self.add(words[1], "rule")
        for at in range(2, len(words) - 1):
            if words[at].text == "set" and words[at].kind == "word" and is_name(words[at + 1]):
                self.add(words[at + 1], "param", self.owner)

    def _suppress(self) -> None:
        """Read `suppress a-rule where o.loop_depth = 1 because "…"`: names are those of the rule."""
        words = self._words
        if len(words) < 2 or words[1].kind != "id":
            return
        self.add(words[1], "rule")
        for name, entity in self._foreign(words[1].text).items():
            self.variables[name] = Bound(entity, Symbol("variable", self.owner, name))
        condition = words[3 : _place_of("because", words)]
        names = [word.text for word in condition if is_name(word)]
        self.values = {name: Symbol("param", self.owner, name) for name in names}
        self.expression(condition)

    def _except(self) -> None:
        """Read `except a-rule, b-rule for launch l when l.in_test_or_benchmark because "…"`."""
        words = self._words
        begin, condition = _place_of("for", words), _place_of("when", words)
        for word in (one for one in words[:begin] if one.kind == "id"):
            self.add(word, "rule")
        named = [word for word in words[begin + 1 : condition] if is_name(word)]
        entity = self._entity_of_first_rule() if len(named) == 1 else ""
        if len(named) > 1:
            entity = named[0].text
            self.add(named[0], "entity")
        if named:
            self.bind(named[-1], entity, self.variables, inner=True)
        self.expression(words[condition + 1 : _place_of("because", words)])

    def _entity_of_first_rule(self) -> str:
        """The entity that the first rule of an exception looks at, empty where it is not known."""
        name = self._item.name
        return next(iter(self._foreign(name.text).values()), "") if name is not None else ""

    def _renamed(self) -> None:
        """Read `renamed old to new`: the old name is declared here, as far as it still is a name."""
        roles: tuple[Role, Role] = ("definition", "reference")
        for word, role in zip((one for one in self._words if one.kind == "id"), roles, strict=False):
            self.add(word, "rule", role=role)

    def _retired(self) -> None:
        if len(self._words) > 1 and self._words[1].kind == "id":
            self.add(self._words[1], "rule", role="definition")


def _place_of(text: str, words: Sequence[Word]) -> int:
    """The place of the first word of that text, the end where there is none."""
    return next((at for at, word in enumerate(words) if word.text == text), len(words))


def _dotted(words: Sequence[Word]) -> Iterator[Sequence[Word]]:
    """Each name with its attributes that is given a value."""
    for at, word in enumerate(words):
        if is_name(word):
            end = at + 1
            while end < len(words) and words[end].kind == "attr":
                end += 1
            if end > at + 1:
                yield words[at:end]
