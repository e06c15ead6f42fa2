"""Rule files cut into items without parsing them, so that one broken item leaves the others alone."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from advisor.model.text.source_text import Span
from advisor.rules.language.problems import Complaints

ITEMS = (
    "edition", "pack", "metric", "entity", "define", "rule", "override", "suppress", "except", "renamed",
    "retired",
)  # fmt: skip
CLAUSES = (
    "for", "param", "let", "when", "unless", "doubt", "once", "severity", "confidence", "effort", "say",
    "why", "try", "gain", "without", "source", "covers", "see", "deprecated", "fix", "given", "example",
)  # fmt: skip
_ON_ONE_LINE = ("edition", "pack")
WORDS = re.compile(
    r'(?P<doc>///[^\n]*)|(?P<comment>//[^\n]*)|(?P<text>"(?:[^"\\\n]|\\.)*")|(?P<open_text>"[^\n]*)'
    r"|(?P<word>[A-Za-zµ_.][\w.-]*)|(?P<brace>[{}])|(?P<space>\s+)|(?P<other>.)"
)
# What says nothing between the braces of an item: all but braces and texts without a closing quote.
_CONTENT = re.compile(r'(?:[^"{}/]+|"(?:[^"\\\n]|\\.)*"|//[^\n]*|/)*')


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


class ChunkedFile:
    """The text of one file, its items, and its errors."""

    def __init__(self, path: str, text: str) -> None:
        self.path, self.text = path, text
        lines = text.split("\n")
        self.complaints = Complaints(path, lines)
        self._line_starts = [0]
        for line in lines:
            self._line_starts.append(self._line_starts[-1] + len(line) + 1)

    def span(self, start: int, end: int) -> Span:
        """The span of a stretch of the file given by offsets."""
        starts = self._line_starts
        line = end_line = bisect_right(starts, start)
        end = max(end, start + 1)
        if end >= starts[line]:
            end_line = min(bisect_right(starts, end, line), len(starts) - 1)
        return Span(line, start - starts[line - 1] + 1, end_line, end - starts[end_line - 1] + 1)

    def chunks(self) -> Iterator[Chunk]:
        """The items of the file; what stands outside of them is noted as an error."""
        at, depth, begin, kind, braces, ended = 0, 0, -1, "", False, 0
        docs: list[str] = []
        doc = ""
        while not self.complaints.full and (match := self._next_word(at, depth)):
            what, value, at = match.lastgroup, match.group(), match.end()
            if what == "open_text":
                self.complaints.add("E108", self.span(match.start(), at))
            if what in ("space", "comment"):
                continue
            if what == "doc" and depth == 0:
                docs.append(value[3:].strip())
                continue
            # No word of these two can be taken for an item's.
            behind = begin >= 0 and kind in _ON_ONE_LINE
            first = depth == 0 and (behind or self._is_first(match.start(), ended))
            if first and begin < 0:
                self._check_begin(match, ended, bool(docs))
            if first and what == "word" and value in ITEMS:
                if begin >= 0:
                    yield Chunk(kind, self.text[begin : match.start()], begin, doc, not braces)
                begin, kind, braces, doc, docs = match.start(), value, False, "\n".join(docs), []
            elif begin < 0:
                # Documentation belongs to what stands below it, even where that is no item.
                docs = [] if first else docs
                depth += {"{": 1, "}": -1}.get(value, 0) if what == "brace" else 0
                depth = max(depth, 0)
            elif what == "brace":
                depth = depth + 1 if value == "{" else max(depth - 1, 0)
                braces = depth > 0
                if depth == 0 and value == "}":
                    yield Chunk(kind, self.text[begin:at], begin, doc)
                    begin, ended = -1, at
        if begin >= 0:
            yield Chunk(kind, self.text[begin:], begin, doc, depth == 0)

    def _check_begin(self, match: re.Match[str], ended: int, documented: bool) -> None:
        """Note what begins outside of items and is none, or does not begin on its own line."""
        value, span = match.group(), self.span(match.start(), match.end())
        if ended and "\n" not in self.text[ended : match.start()]:
            hint = "an item begins on a line of its own."
            self.complaints.add("E101", span, found=value, hint=hint)
        elif match.lastgroup != "word" or value not in ITEMS:
            code = "E101" if documented else "E105"
            self.complaints.add(code, span, found=value, hint=close_to(value, ITEMS))

    def _next_word(self, at: int, depth: int) -> re.Match[str] | None:
        """The next word; between braces the next that matters."""
        if depth:
            content = _CONTENT.match(self.text, at)
            at = content.end() if content else at
        return WORDS.match(self.text, at)

    def _is_first(self, offset: int, ended: int) -> bool:
        """Whether only space stands before a place on its line, or since the item that ended there."""
        begin = max(self.text.rfind("\n", 0, offset) + 1, ended)
        return not self.text[begin:offset].strip()


def close_to(word: str, known: tuple[str, ...]) -> str:
    """ "did you mean …" or the list of what is known."""
    import difflib

    close = difflib.get_close_matches(word, known, n=1, cutoff=0.6)
    return f"did you mean `{close[0]}`?" if close else f"known are {', '.join(known)}."
