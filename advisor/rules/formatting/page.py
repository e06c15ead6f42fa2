"""The lines of a formatted file, and the comments between them."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from itertools import pairwise

from advisor.rules.formatting.tokens import PER, UNARY, Comment, Word

WIDTH = 110
_CALLED = ("NAME", "FUNCTION")


class Blank(Enum):
    """Which blank lines stand before a word that begins a line and its comments."""

    NEVER = "none"
    FIRST = "behind an opening brace: only those behind a comment"
    LAST = "before a closing brace: only those before a comment"
    BESIDE_COMMENTS = "only those that were written before or behind a comment"
    AS_WRITTEN = "those that were written"
    SOMEWHERE = "those that were written, at least one"
    ALWAYS = "those that were written, and one in front"


def blank_lines(word: Word, blank: Blank) -> list[bool]:
    """Whether a blank line stands before each comment with a line of its own, and last before the word."""
    lines = [comment.after_blank for comment in word.comments if comment.own_line] + [word.after_blank]
    if blank is Blank.NEVER or (blank is Blank.BESIDE_COMMENTS and len(lines) == 1):
        return [False] * len(lines)
    if blank is Blank.FIRST:
        lines[0] = False
    elif blank is Blank.LAST:
        lines[-1] = False
    elif blank is Blank.ALWAYS or (blank is Blank.SOMEWHERE and not any(lines)):
        lines[0] = True
    return lines


def space(before: Word, word: Word) -> str:
    """The space between two words of one line."""
    if word.kind in (",", ")", "ATTR", PER) or before.kind in ("(", UNARY, PER):
        return ""
    if word.kind == "(" and before.kind in _CALLED:
        return ""
    return " "


def width(words: Sequence[Word]) -> int:
    """The number of characters that `words` take on one line."""
    spaces = sum(len(space(before, word)) for before, word in pairwise(words))
    return spaces + sum(len(word.text) for word in words)


class Page:
    """Takes words in their order and sets them into lines. No line ends in space."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._line: str | None = None
        self._last: Word | None = None

    @property
    def column(self) -> int:
        """The length of the line that is being written."""
        return len(self._line or "")

    def text(self) -> str:
        """Everything that was written."""
        self._end_line()
        return "".join(f"{line}\n" for line in self._lines)

    def begin(self, word: Word, indent: int, blank: Blank = Blank.NEVER, comments_at: int = -1) -> None:
        """Put `word` on a new line, and its comments before it."""
        blanks = blank_lines(word, blank)
        self.remark(word.comments, indent if comments_at < 0 else comments_at, blanks)
        self._open(word.text, indent, blanks[-1])
        self._last = word

    def put(self, word: Word, indent: int, gap: str | None = None) -> None:
        """Put `word` on the same line, or behind its comments on a new line at `indent`."""
        if word.comments or self._line is None or self._last is None:
            self.begin(word, indent)
            return
        self._line += (space(self._last, word) if gap is None else gap) + word.text
        self._last = word

    def break_line(self) -> None:
        """Let the next word begin a line."""
        self._end_line()
        self._line = None

    def put_all(self, words: Sequence[Word], indent: int) -> None:
        """Put each of `words` on the same line."""
        for word in words:
            self.put(word, indent)

    def remark(self, comments: Sequence[Comment], indent: int, blanks: Sequence[bool]) -> None:
        """Write comments: those behind a word stay there, others get a line of their own each."""
        waiting = iter(blanks)
        for comment in comments:
            if comment.own_line or self._line is None:
                self._open(comment.text, indent, next(waiting))
            else:
                self._line += f"  {comment.text}"

    def _open(self, text: str, indent: int, blank: bool) -> None:
        self._end_line()
        if blank:
            self._lines.append("")
        self._line = " " * indent + text

    def _end_line(self) -> None:
        if self._line is not None:
            self._lines.append(self._line)
        self._line = None
