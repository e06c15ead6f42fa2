"""The names in expressions, with the variables that quantifiers bind; what is broken is passed over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lsp_server.rule_files.text.symbols import Call, Name, Role, Symbol, SymbolKind
from lsp_server.rule_files.text.words import Word, reserved

FUNCTIONS = ("min", "max", "abs")
QUANTIFIERS = ("some", "every", "no", "number")


@dataclass(frozen=True, slots=True)
class Bound:
    """What a variable goes over ("" where not known), and what it stands for."""

    entity: str
    symbol: Symbol


class ExpressionNames:
    """Collects names. `variables` are those of the whole item, `inner` those of its quantifiers, `values` its
    parameters and lets."""

    def __init__(self, owner: str, kind: str) -> None:
        self.owner, self._kind = owner, kind
        self.found: list[Name] = []
        self.calls: list[Call] = []
        self.variables: dict[str, Bound] = {}
        self.inner: dict[str, Bound] = {}
        self.values: dict[str, Symbol] = {}

    def add(self, word: Word, kind: SymbolKind, owner: str = "", role: Role = "reference") -> Symbol:
        """What a word stands for, which is noted."""
        symbol = Symbol(kind, owner, word.text)
        inside = self.owner if self._kind == "define" else ""
        self.found.append(Name(word.start, word.end, symbol, role, inside))
        return symbol

    def bind(self, word: Word, entity: str, into: dict[str, Bound], inner: bool = False) -> None:
        """Declare a variable."""
        # The variables of a rule are named in suppressions, too; those of quantifiers only where they stand.
        owner = f"{self.owner}@{word.start}" if inner else self.owner
        into[word.text] = Bound(entity, self.add(word, "variable", owner, "definition"))

    def expression(self, words: Sequence[Word]) -> None:
        """Note the names of an expression."""
        scopes: list[tuple[int, dict[str, Bound]]] = [(-1, dict(self.variables))]
        depth, at = 0, 0
        while at < len(words):
            word, bound = words[at], scopes[-1][1]
            if word.kind == "mark":
                depth = max(depth + {"(": 1, ")": -1}.get(word.text, 0), 0)
                if word.text == ")" and depth <= scopes[-1][0]:
                    scopes.pop()
            elif word.kind == "word" and word.text in QUANTIFIERS:
                inside, at = self._quantifier(words, at, bound)
                scopes.append((depth, inside))
                continue
            elif is_name(word) and not (at and words[at - 1].text == "is"):
                at = self._operand(words, at, bound)
                continue
            at += 1

    def reference(self, dotted: Sequence[Word], bound: Mapping[str, Bound]) -> None:
        """Note `k`, `most`, `k.registers`, `a.kernel.registers` or `device.sm_count`."""
        first = dotted[0]
        if first.text in bound:
            self.found.append(Name(first.start, first.end, bound[first.text].symbol))
            self.attributes(dotted, bound[first.text].entity)
        elif len(dotted) > 1:
            self.add(first, "entity")
            self.attributes(dotted, first.text)
        elif first.text in self.values:
            self.found.append(Name(first.start, first.end, self.values[first.text]))

    def attributes(self, dotted: Sequence[Word], entity: str) -> None:
        """Note the owners and the metric behind a name."""
        for place, attribute in enumerate(dotted[1:], 1):
            word = Word("word", attribute.text[1:], attribute.start + 1, attribute.end)
            if place < len(dotted) - 1:
                entity = self.add(word, "entity").name
            else:
                self.add(word, "metric", entity)

    def _quantifier(
        self, words: Sequence[Word], at: int, bound: dict[str, Bound]
    ) -> tuple[dict[str, Bound], int]:
        """The variables inside `some access b of k has (…)`, and the place of its opening bracket."""
        inside, begin = dict(bound), at + (2 if words[at].text == "number" else 1)
        given = [word for word in words[begin : begin + 4] if word.kind == "word"]
        if given and is_name(given[0]):
            self.add(given[0], "entity")
            if len(given) > 1 and is_name(given[1]):
                self.bind(given[1], given[0].text, inside, inner=True)
                self.inner.setdefault(given[1].text, inside[given[1].text])
        if len(given) > 3 and given[3].text in bound:
            self.found.append(Name(given[3].start, given[3].end, bound[given[3].text].symbol))
        end = begin
        while end < min(len(words), begin + 5) and words[end].text not in ("(", "and", "or"):
            end += 1
        opened = end < len(words) and words[end].text == "("
        return (inside, end) if opened else (dict(bound), max(end, at + 1))

    def _operand(self, words: Sequence[Word], at: int, bound: dict[str, Bound]) -> int:
        """The place after a name with its attributes, or after a call's name."""
        word = words[at]
        if at + 1 < len(words) and words[at + 1].text == "(":
            if word.text in FUNCTIONS:
                self.add(word, "function")
                return at + 1
            self.add(word, "definition")
            argument = words[at + 2].text if at + 2 < len(words) else ""
            if argument in bound:
                inside = self.owner if self._kind == "define" else ""
                self.calls.append(Call(word.text, bound[argument].entity, inside))
            return at + 1
        end = at + 1
        while end < len(words) and words[end].kind == "attr":
            end += 1
        self.reference(words[at:end], bound)
        return end


def is_name(word: Word) -> bool:
    """Whether a word can be a name."""
    return word.kind == "word" and word.text not in reserved()
