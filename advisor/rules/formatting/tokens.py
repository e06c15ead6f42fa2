"""A rule file as the words it consists of, with every comment at its place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from advisor.rules.language.problems import RuleErrors, too_long
from advisor.rules.language.syntax import Chunk, Reader

if TYPE_CHECKING:
    import lark

KEYWORD, UNARY, PER = "keyword", "unary", "per"
ASSIGNMENT = "assignment"
_RATES = ("metric", "entity")
_WITH_PARTS = ("rule", "entity", "override")
_HEADERS = ("scope", "told")
_VALUES = frozenset({"NAME", "ATTR", "NUMBER", "QUANTITY", "STRING", ")", "true", "false"})
# Between the words that a syntax tree keeps, there are only keywords, punctuation, comments and space.
_BETWEEN = re.compile(r"(?P<comment>//[^\n]*)|(?P<keyword>[a-z]+)|(?P<mark>\.\.|\S)")


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment, whether it has a line of its own, and whether a blank line stands before it."""

    text: str
    own_line: bool
    after_blank: bool


@dataclass(frozen=True, slots=True)
class Word:
    """A token of the language and the comments before it.

    `kind` is the terminal's name in the grammar, or `keyword`, or `unary` for the sign of a number and `per`
    for the slash of a unit, or else the punctuation itself. `begins` names the part (clause, field, change or
    assignment) that the word is the first of. `new_line` and `after_blank` are about the space directly
    before the word.
    """

    kind: str
    text: str
    comments: tuple[Comment, ...] = ()
    begins: str = ""
    new_line: bool = False
    after_blank: bool = False


@dataclass(frozen=True, slots=True)
class Item:
    """One item of a file: its kind, the documentation that belongs to it, and its words."""

    kind: str
    doc: str
    words: tuple[Word, ...]


@dataclass(frozen=True, slots=True)
class RuleFile:
    """The items of a file and the comments behind the last one."""

    items: tuple[Item, ...]
    ending: tuple[Comment, ...]

    def content(self) -> list[tuple[str, ...]]:
        """Everything but space, in order: what formatting must not change."""
        found: list[tuple[str, ...]] = []
        for item in self.items:
            found.append(("item", item.kind, item.doc))
            for word in item.words:
                found += [("comment", comment.text) for comment in word.comments]
                found.append((word.kind, word.text))
        return found + [("comment", comment.text) for comment in self.ending]


def read_rule_file(path: str, text: str) -> RuleFile:
    """The words and comments of a file; raises RuleErrors with every syntax error."""
    refused = too_long(path, text)
    if refused is not None:
        raise RuleErrors(refused.errors)
    reader = Reader(path, text)
    parsed = list(reader.items())
    if reader.complaints.errors:
        raise RuleErrors(reader.complaints.errors)
    words = _Words(reader)
    items = tuple(words.of_item(chunk, tree) for chunk, tree in parsed)
    words.skip_to(len(text))
    if reader.complaints.errors:
        raise RuleErrors(reader.complaints.errors)
    return RuleFile(items, words.take_comments())


class _Words:
    """Walks through a file from item to item, and keeps the comments on the way for the next word."""

    def __init__(self, reader: Reader) -> None:
        self._reader, self._text = reader, reader.text
        self._at = 0
        self._comments: list[Comment] = []
        self._before = ""
        self._rates = False

    def of_item(self, chunk: Chunk, tree: lark.Tree[lark.Token]) -> Item:
        """The item whose tree is given; what stands before it outside of any item is an error."""
        self.skip_to(chunk.start)
        self._rates = chunk.kind in _RATES
        begins = {chunk.start + start: part for start, part in _parts(tree)}
        words: list[Word] = []
        for token in _leaves(tree):
            start = chunk.start + (token.start_pos or 0)
            words += self._between(start, begins)
            words.append(self._word(token.type, str(token), start, begins))
        words += self._between(chunk.start + len(chunk.text), begins)
        return Item(chunk.kind, chunk.doc, tuple(words))

    def skip_to(self, end: int) -> None:
        """Note the comments before `end`, and as errors what belongs to no item."""
        stray = next(self._marks(end), None)
        if stray is not None:
            span = self._reader.span(stray.start(), stray.end())
            hint = "an item begins on a line of its own."
            self._reader.complaints.add("E101", span, found=stray.group(), hint=hint)
            self._at = end

    def take_comments(self) -> tuple[Comment, ...]:
        """The comments that were met since the last word."""
        comments, self._comments = tuple(self._comments), []
        return comments

    def _between(self, end: int, begins: dict[int, str]) -> Iterator[Word]:
        for match in self._marks(end):
            kind = KEYWORD if match.lastgroup == "keyword" else match.group()
            yield self._word(kind, match.group(), match.start(), begins)

    def _marks(self, end: int) -> Iterator[re.Match[str]]:
        """The keywords and punctuation from here to `end`; comments are noted."""
        for match in _BETWEEN.finditer(self._text, self._at, end):
            if match.lastgroup == "comment":
                breaks = self._breaks(match.start())
                own_line = breaks > 0 or self._at == 0
                self._comments.append(Comment(match.group().rstrip(" \t\r\f"), own_line, breaks > 1))
                self._at = match.end()
            else:
                yield match

    def _word(self, kind: str, text: str, start: int, begins: dict[int, str]) -> Word:
        breaks = self._breaks(start)
        self._at = start + len(text)
        if kind != "STRING":
            text = " ".join(text.split())
        if kind == "SIGN" and self._before not in _VALUES:
            kind = UNARY
        elif kind == "/" and self._rates:
            kind = PER
        # What follows the equals sign of a metric is an expression, and its slash a division.
        self._rates = self._rates and kind != "EQUAL"
        self._before = text if kind == KEYWORD else kind
        return Word(kind, text, self.take_comments(), begins.get(start, ""), breaks > 0, breaks > 1)

    def _breaks(self, start: int) -> int:
        return self._text.count("\n", self._at, start)


def _parts(tree: lark.Tree[lark.Token]) -> Iterator[tuple[int, str]]:
    """Where the clauses, fields and changes of an item begin, and the assignments of its examples."""
    from lark import Tree

    for item in tree.children:
        for part in item.children if isinstance(item, Tree) and item.data in _WITH_PARTS else ():
            if not isinstance(part, Tree) or part.data in _HEADERS:
                continue
            yield part.meta.start_pos, str(part.data)
            for inner in part.children:
                if isinstance(inner, Tree) and inner.data == ASSIGNMENT:
                    yield inner.meta.start_pos, ASSIGNMENT


def _leaves(tree: lark.Tree[lark.Token]) -> Iterator[lark.Token]:
    """The tokens of a tree in their order, without recursion: brackets may be nested deeply."""
    from lark import Tree

    waiting: list[lark.Tree[lark.Token] | lark.Token | None] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Tree):
            waiting += reversed(node.children)
        elif node is not None:
            yield node
