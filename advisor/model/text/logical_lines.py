"""Comments and the statements around them, by Python's tokenizer: no syntax tree needed."""

from __future__ import annotations

import io
import tokenize
from dataclasses import dataclass, field

from advisor.model.text.source_text import SourceText

_CONTINUATIONS = frozenset({"else", "elif", "except", "finally"})
_LAYOUT = frozenset(
    {tokenize.NL, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER, tokenize.ENCODING}
)


@dataclass(frozen=True, slots=True)
class Comment:
    """One comment, `#` included; `alone` when nothing stands before it on its line."""

    text: str
    line: int
    column: int
    alone: bool


@dataclass(frozen=True, slots=True)
class LogicalLine:
    """The lines of a simple statement or of a compound statement's head; `word` is its first token."""

    first: int
    last: int
    indent: int
    word: str


@dataclass
class LogicalLines:
    """The comments of a file and its logical lines in order; all line numbers count from 1."""

    comments: list[Comment] = field(default_factory=list)
    lines: list[LogicalLine] = field(default_factory=list)
    last_line: int = 1

    @property
    def first_statement(self) -> int:
        """The line of the first statement other than a docstring; past the end when there is none."""
        for line in self.lines:
            if not line.word.lstrip("rRbBuU").startswith(("'", '"')):
                return line.first
        return self.last_line + 1

    def lines_beside(self, comment: Comment) -> tuple[int, int]:
        """The lines a comment behind code speaks of: its own, and the whole statement when it ends there."""
        for line in self.lines:
            if line.last == comment.line:
                return line.first, line.last
        return comment.line, comment.line

    def statement_after(self, comment: Comment) -> tuple[int, int]:
        """The lines of the statement that follows; of a decorated definition, decorators and head."""
        inside = next((line for line in self.lines if line.first < comment.line < line.last), None)
        if inside is not None:
            return comment.line + 1, comment.line + 1
        index = self._index_after(comment)
        if index is None:
            return comment.line, comment.line
        return self.lines[index].first, self.lines[self._head(index)].last

    def block_after(self, comment: Comment) -> tuple[int, int]:
        """The lines of the whole statement that follows, with everything indented below it."""
        index = self._index_after(comment)
        if index is None:
            return comment.line, comment.line
        head = self._head(index)
        indent, last = self.lines[head].indent, self.lines[head].last
        for line in self.lines[head + 1 :]:
            if line.indent < indent or (line.indent == indent and line.word not in _CONTINUATIONS):
                break
            last = line.last
        return self.lines[index].first, last

    def _index_after(self, comment: Comment) -> int | None:
        return next((index for index, line in enumerate(self.lines) if line.first > comment.line), None)

    def _head(self, index: int) -> int:
        while self.lines[index].word == "@" and index + 1 < len(self.lines):
            index += 1
        return index


def read_logical_lines(text: SourceText) -> LogicalLines:
    """The comments and logical lines of `text`, as far as it can be tokenized."""
    result = LogicalLines(last_line=len(text.lines))
    first: tokenize.TokenInfo | None = None
    try:
        for token in tokenize.generate_tokens(io.StringIO(text.text).readline):
            if token.type == tokenize.COMMENT:
                line, column = token.start
                alone = not token.line[:column].strip()
                result.comments.append(Comment(token.string, line, column + 1, alone))
            elif token.type == tokenize.NEWLINE and first is not None:
                statement = LogicalLine(first.start[0], token.start[0], first.start[1], first.string)
                result.lines.append(statement)
                first = None
            elif first is None and token.type not in _LAYOUT:
                first = token
    except (tokenize.TokenError, SyntaxError):
        # The syntax error is reported where the file is parsed.
        return result
    return result
