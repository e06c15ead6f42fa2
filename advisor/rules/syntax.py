"""Rule files as syntax trees: each item is parsed on its own, a broken rule clause by clause."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from advisor.data_files import grammar_folder
from advisor.rules.problems import Complaints
from advisor.text import Span

if TYPE_CHECKING:
    from lark import Lark, Token, Tree

ITEMS = (
    "edition", "pack", "metric", "entity", "define", "rule", "override", "suppress", "renamed", "retired",
)  # fmt: skip
CLAUSES = (
    "for", "param", "let", "when", "unless", "severity", "confidence", "effort", "say", "why", "try", "gain",
    "source", "covers", "see", "deprecated", "fix", "example",
)  # fmt: skip
# Python's own stack bears less than a thousand levels of calls.
_DEEPEST = 100
_TOKEN = re.compile(
    r'(?P<doc>///[^\n]*)|(?P<comment>//[^\n]*)|(?P<text>"(?:[^"\\\n]|\\.)*")|(?P<open_text>"[^\n]*)'
    r"|(?P<word>[A-Za-zµ_.][\w.-]*)|(?P<brace>[{}])|(?P<space>\s+)|(?P<other>.)"
)


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a file: an item or a clause, with its place and the documentation above it.

    `broken` names the clauses of a rule that were left out because they could not be read.
    """

    kind: str
    text: str
    start: int
    doc: str = ""
    closed: bool = True
    broken: frozenset[str] = frozenset()


@cache
def parser() -> Lark:
    """The parser of the grammar file."""
    from lark import Lark

    grammar = (grammar_folder() / "rules.lark").read_text("utf-8")
    return Lark(
        grammar, parser="lalr", start=["item", "clause"], propagate_positions=True, maybe_placeholders=True
    )


class Reader:
    """Reads one file into trees and collects its errors."""

    def __init__(self, path: str, text: str) -> None:
        self.path, self.text = path, text
        self.complaints = Complaints(path, text.split("\n"))
        self._line_starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def span(self, start: int, end: int) -> Span:
        """The span of a stretch of the file given by offsets."""
        line, column = self._position(start)
        end_line, end_column = self._position(max(end, start + 1))
        return Span(line, column, end_line, end_column)

    def _position(self, offset: int) -> tuple[int, int]:
        import bisect

        line = bisect.bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1

    def items(self) -> Iterator[tuple[Chunk, Tree[Token]]]:
        """The items that parse, each with its chunk; what does not is noted as an error."""
        for chunk in self._chunks():
            if not chunk.closed:
                self.complaints.add(
                    "E106", self.span(chunk.start, chunk.start + len(chunk.kind)), kind=chunk.kind
                )
                continue
            tree = self._parse(chunk, "item", report=chunk.kind != "rule")
            if tree is not None:
                yield chunk, tree
            elif chunk.kind == "rule":
                yield from self._mended(chunk)

    def _chunks(self) -> Iterator[Chunk]:
        depth, begin, kind, braces = 0, -1, "", False
        docs: list[str] = []
        doc = ""
        for match in _TOKEN.finditer(self.text):
            what, value = match.lastgroup, match.group()
            if what == "open_text":
                self.complaints.add("E108", self.span(match.start(), match.end()))
            if what in ("space", "comment"):
                continue
            if what == "doc" and depth == 0:
                docs.append(value[3:].strip())
                continue
            new_item = what == "word" and value in ITEMS and depth == 0 and self._begins_line(match.start())
            if new_item:
                if begin >= 0:
                    yield Chunk(kind, self.text[begin : match.start()], begin, doc, not braces)
                begin, kind, braces, doc, docs = match.start(), value, False, "\n".join(docs), []
            elif begin < 0:
                if depth == 0 and not docs and self._begins_line(match.start()):
                    hint = _close(value, ITEMS)
                    self.complaints.add("E105", self.span(match.start(), match.end()), found=value, hint=hint)
                depth += {"{": 1, "}": -1}.get(value, 0) if what == "brace" else 0
                depth = max(depth, 0)
            elif what == "brace":
                depth = depth + 1 if value == "{" else max(depth - 1, 0)
                braces = depth > 0
                if depth == 0 and value == "}":
                    yield Chunk(kind, self.text[begin : match.end()], begin, doc)
                    begin = -1
        if begin >= 0:
            yield Chunk(kind, self.text[begin:], begin, doc, depth == 0)

    def _begins_line(self, offset: int) -> bool:
        return not self.text[self.text.rfind("\n", 0, offset) + 1 : offset].strip()

    def _parse(self, chunk: Chunk, start: str, report: bool = True) -> Tree[Token] | None:
        from lark.exceptions import LarkError

        try:
            tree = parser().parse(chunk.text, start=start)
            if _depth(tree) <= _DEEPEST:
                return tree
            if report:
                span = self.span(chunk.start, chunk.start + len(chunk.kind))
                self.complaints.add("E111", span, limit=_DEEPEST)
            return None
        except LarkError as error:
            # A text without its closing quote was already told of.
            if report and not any(match.lastgroup == "open_text" for match in _TOKEN.finditer(chunk.text)):
                self._report(error, chunk)
            return None

    def _mended(self, chunk: Chunk) -> Iterator[tuple[Chunk, Tree[Token]]]:
        """A broken rule without the clauses that do not parse, each of which is one error."""
        before = len(self.complaints.errors)
        brace = chunk.text.find("{")
        if brace < 0 or "}" not in chunk.text:
            self._parse(chunk, "item")
            return
        header = chunk.text[: brace + 1] + "}"
        self._parse(Chunk("rule", header, chunk.start), "item")
        broken, text = set[str](), chunk.text
        for clause in self._clauses(chunk, brace + 1):
            if clause.broken or self._parse(clause, "clause") is None:
                broken |= clause.broken or {clause.kind}
                start = clause.start - chunk.start
                blank = re.sub(r"[^\n]", " ", clause.text)
                text = text[:start] + blank + text[start + len(clause.text) :]
        mended = Chunk(chunk.kind, text, chunk.start, chunk.doc, broken=frozenset(broken))
        tree = self._parse(mended, "item", report=len(self.complaints.errors) == before)
        if tree is not None:
            yield mended, tree

    def _clauses(self, chunk: Chunk, begin: int) -> Iterator[Chunk]:
        body = chunk.text[: chunk.text.rindex("}")]
        starts: list[tuple[int, str, frozenset[str]]] = []
        depth = 0
        stray = False
        for match in _TOKEN.finditer(body, begin):
            what, value = match.lastgroup, match.group()
            if what in ("space", "comment", "doc", "text"):
                continue
            if what == "brace":
                depth += 1 if value == "{" else -1
            elif what == "word" and value in CLAUSES and depth == 0:
                starts.append((match.start(), value, frozenset()))
                stray = False
            elif depth == 0 and not stray and (not starts or self._unknown_clause(body, match)):
                stray = True
                place = chunk.start + match.start()
                self.complaints.add(
                    "E107", self.span(place, place + len(value)), found=value, hint=_close(value, CLAUSES)
                )
                meant = difflib.get_close_matches(value, CLAUSES, n=1, cutoff=0.5)
                starts.append((match.start(), value, frozenset(meant or (value,))))
        ends = [*(start for start, _, _ in starts[1:]), len(body)]
        for (start, kind, broken), end in zip(starts, ends, strict=True):
            yield Chunk(kind, body[start:end].rstrip(), chunk.start + start, broken=broken)

    def _unknown_clause(self, body: str, match: re.Match[str]) -> bool:
        """Whether a word at the start of a line is a misspelt clause."""
        begins = not body[body.rfind("\n", 0, match.start()) + 1 : match.start()].strip()
        return (
            begins
            and match.lastgroup == "word"
            and match.group() not in ("and", "or", "not", "because", "at", "url")
            and bool(difflib.get_close_matches(match.group(), CLAUSES, n=1, cutoff=0.7))
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
        match = _TOKEN.match(chunk.text, offset)
        found = (match.group() if match else chunk.text[offset : offset + 1]).strip() or "the end"
        place = chunk.start + offset
        span = self.span(place, place + len(found))
        if match is not None and match.lastgroup == "other" and found not in "+-*/()<>=,!":
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
                "E103", span, found=found, hint=_close(found, (*CLAUSES, "and", "or", "because", "between"))
            )
        else:
            self.complaints.add("E101", span, found=found, hint=_expected(accepted))


def _depth(tree: Tree[Token]) -> int:
    """The number of levels of a tree."""
    deepest, waiting = 0, [(tree, 1)]
    while waiting:
        node, level = waiting.pop()
        deepest = max(deepest, level)
        # None stands for what was left out.
        waiting += [(child, level + 1) for child in node.children if child and not isinstance(child, str)]
    return deepest


_READABLE = {
    "STRING": "a text in quotes", "NAME": "a name", "RULE_ID": "a rule's name (words-with-hyphens)",
    "NUMBER": "a number", "QUANTITY": "a number with its unit", "LEVEL": "info, warning or error",
    "DEGREE": "low, medium or high",
    "VERDICT": "fires, silent or unknown", "SAFETY": "safe, needs review or display only", "EQUAL": "`=`",
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


def _close(word: str, known: tuple[str, ...]) -> str:
    close = difflib.get_close_matches(word, known, n=1, cutoff=0.6)
    return f"did you mean `{close[0]}`?" if close else f"known are {', '.join(known)}."
