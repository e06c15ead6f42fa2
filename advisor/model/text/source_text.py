"""Source text with positions: reading it from disk, and the spans that everything else points with."""

from __future__ import annotations

import io
import tokenize
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from advisor.model.errors import SourceProblem
from advisor.model.storage.regular_files import content_of
from advisor.model.text.notebooks import is_notebook


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A stretch of one file; lines and columns count from 1, columns in characters, the end is exclusive."""

    line: int
    column: int = 1
    end_line: int = 0
    end_column: int = 0

    def __post_init__(self) -> None:
        if not self.end_line:
            object.__setattr__(self, "end_line", self.line)
        if not self.end_column:
            object.__setattr__(self, "end_column", self.column + 1)


@dataclass(frozen=True)
class SourceText:
    """The decoded text of one file and the path it is reported under (POSIX separators).

    `unread` are the lines of functions of which a part could not be read: a `0` alone on one of them stands
    for what nobody knows. `for_python_2`: what could not be read is of Python 2.
    """

    path: str
    text: str
    unread: frozenset[int] = frozenset()
    for_python_2: bool = False

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The lines without their line ends, split as Python's tokenizer splits them."""
        return tuple(line.rstrip("\r\n") for line in io.StringIO(self.text, newline=None))

    @cached_property
    def is_ascii(self) -> bool:
        """Whether byte offsets and character offsets agree on every line."""
        return self.text.isascii()

    def column(self, line: int, utf8_offset: int) -> int:
        """The 1-based character column of a 0-based UTF-8 byte offset (the unit of `ast`) in `line`."""
        if self.is_ascii or not 1 <= line <= len(self.lines):
            return utf8_offset + 1
        return len(self.lines[line - 1].encode()[:utf8_offset].decode(errors="ignore")) + 1


def decode_source(data: bytes, path: str) -> SourceText:
    """The text of Python source `data`, honouring a BOM and a coding line (PEP 263).

    Of a notebook it is the joined text of its code cells. Raises SourceProblem when the bytes do not decode,
    the declared encoding is unknown, or a notebook cannot be read.
    """
    if is_notebook(path):
        from advisor.model.text.notebooks.joined_text import cells_of, notebook_text

        joined = notebook_text(data, path)
        return SourceText(path, joined, cells_of(joined).unread())
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        text = data.decode(encoding)
    except SyntaxError as error:
        raise SourceProblem(path, 1, f"cannot be decoded: {error.msg}") from None
    except (UnicodeError, LookupError) as error:
        line = data[: getattr(error, "start", 0)].count(b"\n") + 1
        column = getattr(error, "start", 0) - data.rfind(b"\n", 0, getattr(error, "start", 0))
        raise SourceProblem(path, line, f"cannot be decoded: {error}", max(column, 1)) from None
    if "\0" in text:
        raise SourceProblem(path, text[: text.index("\0")].count("\n") + 1, "contains a null byte")
    return SourceText(path, text)


def read_source(file: Path, path: str) -> SourceText:
    """The decoded content of `file`, reported as `path`; raises SourceProblem with place and cause."""
    try:
        data = content_of(file)
    except OSError as error:
        raise SourceProblem(path, 1, f"cannot be read: {error.strerror or error}") from None
    return decode_source(data, path)
