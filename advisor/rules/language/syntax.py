"""Rule files as syntax trees: each item is parsed on its own, a broken rule clause by clause."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeVar

from advisor.rules.language.chunks import CLAUSES, ITEMS, WORDS, Chunk, ChunkedFile, close_to
from advisor.rules.language.parse_tables import lark_parser
from advisor.rules.language.trees import Node, depth_of, of_lark, parse

if TYPE_CHECKING:
    from lark import Token, Tree

__all__ = ["CLAUSES", "ITEMS", "Chunk", "Reader"]

# Python's own stack bears less than a thousand levels of calls.
_DEEPEST = 100
# A word of `severity warning, info when assumed`, which begins no clause.
_WHEN_ASSUMED = re.compile(r"when\s+assumed\b")
# What the grammar takes for space; there is more of it in Unicode.
_SPACE = " \t\f\r\n"
_Tree = TypeVar("_Tree")


class Reader(ChunkedFile):
    """Reads one file into trees and collects its errors."""

    def nodes(self) -> Iterator[tuple[Chunk, Node]]:
        """The items that parse, each with its chunk; what does not is noted as an error."""
        return self._items(self._node)

    def items(self) -> Iterator[tuple[Chunk, Tree[Token]]]:
        """The same items as Lark's trees, which keep more of the tokens' places."""
        return self._items(self._tree)

    def _items(self, parsed: Callable[[Chunk, str, bool], _Tree | None]) -> Iterator[tuple[Chunk, _Tree]]:
        for chunk in self.chunks():
            if not chunk.closed:
                self.complaints.add(
                    "E106", self.span(chunk.start, chunk.start + len(chunk.kind)), kind=chunk.kind
                )
                continue
            tree = parsed(chunk, "item", chunk.kind != "rule")
            if tree is not None:
                yield chunk, tree
            elif chunk.kind == "rule":
                yield from self._mended(chunk, parsed)

    def _node(self, chunk: Chunk, start: str, report: bool = True) -> Node | None:
        node = parse(chunk.text, start)
        if node is None:
            tree = self._tree(chunk, start, report) if report else None
            return None if tree is None else of_lark(tree)
        return node if self._is_flat(node, chunk, report) else None

    def _tree(self, chunk: Chunk, start: str, report: bool = True) -> Tree[Token] | None:
        tree = self._lark_tree(chunk, start, report)
        return tree if tree is not None and self._is_flat(tree, chunk, report) else None

    def _is_flat(self, tree: Node | Tree[Token], chunk: Chunk, report: bool) -> bool:
        if depth_of(tree) <= _DEEPEST:
            return True
        if report:
            span = self.span(chunk.start, chunk.start + len(chunk.kind))
            self.complaints.add("E111", span, limit=_DEEPEST)
        return False

    def _lark_tree(self, chunk: Chunk, start: str, report: bool) -> Tree[Token] | None:
        from lark.exceptions import LarkError

        try:
            return lark_parser().parse(chunk.text, start=start)
        except LarkError as error:
            # A text without its closing quote was already told of.
            if report and not any(match.lastgroup == "open_text" for match in WORDS.finditer(chunk.text)):
                self._report(error, chunk)
            return None

    def _mended(
        self, chunk: Chunk, parsed: Callable[[Chunk, str, bool], _Tree | None]
    ) -> Iterator[tuple[Chunk, _Tree]]:
        """A broken rule without the clauses that do not parse, each of which is one error."""
        before = len(self.complaints.errors)
        brace = chunk.text.find("{")
        if brace < 0 or "}" not in chunk.text[brace:]:
            self._node(chunk, "item")
            return
        header = chunk.text[: brace + 1] + "}"
        self._node(Chunk("rule", header, chunk.start), "item")
        broken, text = set[str](), chunk.text
        for clause in self._clauses(chunk, brace + 1):
            if clause.broken or self._node(clause, "clause") is None:
                broken |= clause.broken or {clause.kind}
                start = clause.start - chunk.start
                blank = re.sub(r"[^\n]", " ", clause.text)
                text = text[:start] + blank + text[start + len(clause.text) :]
        repaired = Chunk(chunk.kind, text, chunk.start, chunk.doc, broken=frozenset(broken))
        tree = parsed(repaired, "item", len(self.complaints.errors) == before)
        if tree is not None:
            yield repaired, tree

    def _clauses(self, chunk: Chunk, begin: int) -> Iterator[Chunk]:
        from difflib import get_close_matches

        body = chunk.text[: chunk.text.rindex("}")]
        starts: list[tuple[int, str, frozenset[str]]] = []
        depth = 0
        stray = False
        for match in WORDS.finditer(body, begin):
            what, value = match.lastgroup, match.group()
            if what in ("space", "comment", "doc", "text"):
                continue
            if what == "brace":
                depth += 1 if value == "{" else -1
            elif (
                what == "word"
                and value in CLAUSES
                and depth == 0
                and not _WHEN_ASSUMED.match(body, match.start())
            ):
                starts.append((match.start(), value, frozenset()))
                stray = False
            elif depth == 0 and not stray and (not starts or self._unknown_clause(body, match)):
                stray = True
                place = chunk.start + match.start()
                self.complaints.add(
                    "E107", self.span(place, place + len(value)), found=value, hint=close_to(value, CLAUSES)
                )
                meant = get_close_matches(value, CLAUSES, n=1, cutoff=0.5)
                starts.append((match.start(), value, frozenset(meant or (value,))))
        # Of braces with nothing between them, or one text, there is no clause.
        ends = [*(start for start, _, _ in starts[1:]), len(body)][: len(starts)]
        for (start, kind, broken), end in zip(starts, ends, strict=True):
            yield Chunk(kind, body[start:end].rstrip(), chunk.start + start, broken=broken)

    def _unknown_clause(self, body: str, match: re.Match[str]) -> bool:
        """Whether a word at the start of a line is a misspelt clause."""
        from difflib import get_close_matches

        begins = not body[body.rfind("\n", 0, match.start()) + 1 : match.start()].strip()
        return (
            begins
            and match.lastgroup == "word"
            and match.group() not in ("and", "or", "not", "because", "at", "url")
            and bool(get_close_matches(match.group(), CLAUSES, n=1, cutoff=0.7))
        )

    def _report(self, error: Exception, chunk: Chunk) -> None:
        from lark.exceptions import UnexpectedCharacters, UnexpectedEOF, UnexpectedToken

        if isinstance(error, UnexpectedCharacters):
            self._report_at(chunk, error.pos_in_stream or 0, set(error.allowed or ()))
        elif isinstance(error, UnexpectedToken) and error.token.type != "$END":
            self._report_at(chunk, error.token.start_pos or 0, set(error.accepts or error.expected or ()))
        elif isinstance(error, UnexpectedToken | UnexpectedEOF):
            end = chunk.start + len(chunk.text.rstrip())
            hint = f"`{chunk.kind}` is not complete; {_expected(set(error.expected or ()))}"
            self.complaints.add("E109", self.span(end - 1, end), hint=hint)
        else:
            self.complaints.add("E101", self.span(chunk.start, chunk.start + 1), found=chunk.kind, hint="")

    def _report_at(self, chunk: Chunk, offset: int, accepted: set[str]) -> None:
        match = WORDS.match(chunk.text, offset)
        found = (match.group() if match else chunk.text[offset : offset + 1]).strip() or "the end"
        place = chunk.start + offset
        span = self.span(place, place + len(found))
        if match is not None and match.lastgroup == "space" and match.group()[0] not in _SPACE:
            odd = f"U+{ord(match.group()[0]):04X}"
            self.complaints.add("E104", self.span(place, place + 1), found=odd)
        elif match is not None and match.lastgroup == "other" and found not in "+-*/()<>=,!":
            self.complaints.add("E104", span, found=found)
        elif (
            found in ("<", ">", "<=", ">=", "=", "!=")
            and "COMPARE" not in accepted
            and "_BETWEEN" not in accepted
            and "QUANTITY" not in accepted
        ):
            self.complaints.add("E203", span)
        elif {"QUANTITY", "NAME"} <= accepted and "STRING" in accepted:
            self.complaints.add("E102", span, found=found)
        elif "COMPARE" in accepted or "_AND" in accepted:
            self.complaints.add(
                "E103", span, found=found, hint=close_to(found, (*CLAUSES, "and", "or", "because", "between"))
            )
        else:
            self.complaints.add("E101", span, found=found, hint=_expected(accepted))


_READABLE = {
    "STRING": "a text in quotes", "NAME": "a name", "RULE_ID": "a rule's name (words-with-hyphens)",
    "NUMBER": "a number", "QUANTITY": "a number with its unit", "LEVEL": "info, warning or error",
    "DEGREE": "low, medium or high",
    "VERDICT": "fires, info, silent or unknown", "SAFETY": "safe, needs review or display only",
    "EQUAL": "`=`", "ARROW": "`->`",
    "LBRACE": "`{`", "RBRACE": "`}`", "COLON": "`:`", "COMMA": "`,`", "LPAR": "`(`", "RPAR": "`)`",
    "ATTR": "`.metric`", "GAIN_KIND": "`at most` or `about`", "SIGN": "", "DATE": "a date as 2027-06-30",
    "__ANON_0": "`..`", "COMPARE": "a comparison",
}  # fmt: skip


def _expected(accepted: set[str]) -> str:
    words = sorted(_READABLE.get(name, f"`{name.strip('_').lower()}`") for name in accepted if name != "$END")
    words = [word for word in words if word]
    if not words or len(words) > 6:
        return "see the reference of the rule language."
    return f"{' or '.join(words)} is expected."
