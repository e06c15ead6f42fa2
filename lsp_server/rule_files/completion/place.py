"""Where in a rule file the cursor stands: in which item and clause, behind which words."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lsp_server.rule_files.text.expression_names import Bound
from lsp_server.rule_files.text.names import Scope, scope_of
from lsp_server.rule_files.text.parts import Part
from lsp_server.rule_files.text.read_file import Reading
from lsp_server.rule_files.text.words import Word, words_of

_BEGUN = re.compile(r"[A-Za-zµ_][\w-]*\Z|[A-Za-zµ_][\w-]*/[A-Za-z]*\Z")
_ID_WORDS = ("rule", "override", "suppress", "except", "renamed", "retired", "to", "see", ",")


@dataclass(frozen=True)
class Place:
    """The cursor: `begin` is where the word that is being written begins, `before` are the words of the
    clause, or of the item outside of any, that stand before it.

    `text_before` is what is written of a text in quotes, None outside of one; `fresh` says that a new line
    begins here.
    """

    reading: Reading
    offset: int
    begin: int
    item: Part | None
    clause: Part | None
    before: tuple[Word, ...]
    in_rule: bool
    fresh: bool
    text_before: str | None
    silent: bool

    @property
    def begun(self) -> str:
        """The item or clause as far as it is written, without the word at the cursor."""
        part = self.clause or self.item
        return "" if part is None else self.reading.text[part.start : self.begin]

    def scope(self) -> Scope:
        """The names that the item declares, without the quantifiers' that do not reach to here."""
        if self.item is None:
            return Scope({}, {}, {})
        foreign = {rule: dict(variables) for rule, variables in self.reading.foreign}
        scope = scope_of(self.item, lambda rule: foreign.get(rule, {}))
        if self.clause is not None and self.clause.kind in ("given", "example"):
            return scope
        reaching = {name: bound for name, bound in scope.inner.items() if self._reaches(bound)}
        return Scope(scope.variables, reaching, scope.values)

    def _reaches(self, bound: Bound) -> bool:
        """Whether the brackets behind a quantifier's variable are open at the cursor."""
        _, _, start = bound.symbol.owner.rpartition("@")
        if not start.isdigit() or not int(start) < self.begin:
            return False
        depth = 0
        for word in self.before:
            if word.start > int(start) and word.kind == "mark":
                depth += {"(": 1, ")": -1}.get(word.text, 0)
                if depth <= 0 and word.text == ")":
                    return False
        return depth > 0


def place_at(reading: Reading, offset: int) -> Place:
    """The place of an offset in a text."""
    text = reading.text
    line_start = text.rfind("\n", 0, offset) + 1
    inside = _inside(text[line_start:offset])
    found = _BEGUN.search(text, line_start, offset)
    begin = found.start() if found else offset
    item = next((one for one in reversed(reading.items) if one.start < begin), None)
    if item is not None and all(item.braces) and begin >= item.end:
        item = None
    in_rule, clause = False, None
    if item is not None and item.kind == "rule" and item.braces[0]:
        in_rule = "{" in (word.text for word in item.words if word.end <= begin)
        clause = next((one for one in reversed(item.parts) if one.start < begin), None)
    part = clause or item
    before = tuple(word for word in part.words if word.end <= begin) if part is not None else ()
    begin = _without_hyphens(text, begin, offset, before)
    fresh = not text[line_start:begin].strip()
    in_text = inside[1:] if inside.startswith('"') else None
    return Place(
        reading, offset, begin, item, clause, before, in_rule, fresh, in_text, inside.startswith("//")
    )


def _inside(line: str) -> str:
    """The comment or the text without a closing quote that a line ends in, "" outside of both."""
    words = words_of(line)
    if not words:
        return ""
    last = words[-1]
    open_at_end = last.kind in ("comment", "doc", "open_text")
    return line[last.start :] if open_at_end else ""


def _without_hyphens(text: str, begin: int, offset: int, before: tuple[Word, ...]) -> int:
    """The beginning of the word; outside of ids a hyphen is a minus."""
    written = text[begin:offset]
    if "-" not in written or (before and before[-1].text in _ID_WORDS):
        return begin
    return begin + written.rindex("-") + 1
