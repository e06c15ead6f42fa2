"""Cells as Python: IPython's commands become comments, of which each can be undone, line by line.

What IPython understands: https://ipython.readthedocs.io/en/stable/interactive/reference.html
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from advisor.model.text.syntax_recovery import fault_of, recovered

# Their bodies run as Python in the notebook's own namespace.
_PYTHON_BODIES = frozenset({"time", "timeit", "capture", "prun", "debug"})
# The body is a file of its own: https://ipython.readthedocs.io/en/stable/interactive/magics.html#cellmagic-writefile
_WRITES = re.compile(
    r"%%(?:writefile|file)[ \t]+(?P<append>(?:-a|--append)[ \t]+)?"
    r"(?P<quote>[\"']?)(?P<file>[^\s\"']+\.py)(?P=quote)[ \t]*\r?(?:\n|\Z)"
)
_COMMAND = "#ipython: "
# Colab takes the titles of its forms, which are comments, for no part of a cell.
_MAGIC = re.compile(r"(?:\s*#[^\n]*\n)*\s*%%(?P<name>\w*)")
_WRITTEN_MAGIC = re.compile(rf"(?:\s*#(?!{_COMMAND[1:]})[^\n]*\n)*\s*{_COMMAND}")
_TIMED = "  #ipython-timed: "
_CANDIDATE = re.compile(r"^[ \t]*[%!?]|\?[ \t]*(?:#.*)?\r?$|=[ \t]*[%!]", re.MULTILINE)
_WITHOUT_SIGN = re.compile(r"[ \t]*(?:pip|conda|mamba|cd|ls|cat|mkdir|rm|cp|mv|pwd|clear)(?:[ \t]|\r?$)")
_ASSIGNED = re.compile(r"(?P<target>[^=#'\"]*[^=#'\"!<>%+*/|&^@~-]=[ \t]*)(?P<command>[%!].*)")
_TIMING = re.compile(
    r"(?P<indent>[ \t]*)(?P<prefix>%time(?:it)?(?:[ \t]+-[nrtcpqov]+[ \t]*\d*)*[ \t]+)(?P<code>[^\s-][^\r]*)"
)
_WRITTEN = re.compile(r"(?P<before>.*?)(?:pass  |None  )?#ipython: (?P<command>.*)")
_PIECE = re.compile(
    r"#.*|\"\"\"|'''|\"(?:\\.|[^\"\\])*(?:\"|\\?$)|'(?:\\.|[^'\\])*(?:'|\\?$)|[(\[{]|[)\]}]|\\\r?$"
)
_ENDS = {quote: re.compile(rf"(?:\\.|[^\\])*?{quote}") for quote in ('"""', "'''")}


class PythonText(NamedTuple):
    """A cell as Python, or what of it can be read; no text for other languages, and where nothing can.

    `fault` is what is wrong at its own `line` and `column`, `unread` the lines of functions that cannot be
    read.
    """

    text: str | None
    line: int = 1
    fault: str = ""
    column: int = 1
    unread: frozenset[int] = frozenset()


@lru_cache(maxsize=2048)
def python_of(source: str) -> PythonText:
    """The Python of a cell: its own lines, with IPython's commands as comments."""
    magic = _MAGIC.match(source)
    at = magic.start("name") - len("%%") if magic else 0
    writes = _WRITES.match(source, at) if magic else None
    if magic and not writes and magic["name"] not in _PYTHON_BODIES:
        return PythonText(None)
    if writes:
        # IPython does not read the body: what looks like one of its commands there is none.
        read = source[:at] + _COMMAND + source[at:]
    else:
        read = _Commands(without_sign=False).replaced(source) if _CANDIDATE.search(source) else source
    fault = fault_of(read)
    if fault and not writes and _WITHOUT_SIGN.search(source):
        read = _Commands(without_sign=True).replaced(source)
        fault = fault_of(read)
    if fault is None:
        return PythonText(read)
    found = recovered(read)
    if found is None:
        return PythonText(None, fault.line, fault.message, fault.column)
    first = found.faults[0]
    return PythonText(found.text, first.line, first.message, first.column, found.unread)


def as_written(line: str) -> str:
    """A line of a cell's Python as it stands in the cell."""
    if _TIMED in line:
        code, _, prefix = line.rpartition(_TIMED)
        indent = len(code) - len(code.lstrip())
        return code[:indent] + prefix + code[indent + len(prefix) :]
    found = _WRITTEN.fullmatch(line) if _COMMAND in line else None
    return found["before"] + found["command"] if found else line


class Writing(NamedTuple):
    """The Python file that a cell writes its body to, or adds it to."""

    file: str
    appends: bool


def writing(text: str) -> Writing | None:
    """What file the Python of a cell is written to instead of being run, None where it is run."""
    command = _WRITTEN_MAGIC.match(text)
    found = _WRITES.match(text, command.end()) if command else None
    return Writing(found["file"], found["append"] is not None) if found else None


def repeats(text: str, index: int) -> bool:
    """Whether `timeit` repeats a line of a cell's Python, or the whole cell; `index` counts from 0."""
    lines = text.split("\n")
    first = next((line for line in lines if line.strip()), "")
    if first.startswith(f"{_COMMAND}%%timeit"):
        return True
    return 0 <= index < len(lines) and f"{_TIMED}%timeit" in lines[index]


def times(text: str, index: int) -> range | None:
    """The lines, counted from 0, that `time` or `timeit` measures together with a line of a cell's Python:
    the whole cell, or that line; None where neither does.
    """
    lines = text.split("\n")
    first = next((number for number, line in enumerate(lines) if line.strip()), 0)
    if lines[first].startswith(f"{_COMMAND}%%time"):
        return range(first + 1, len(lines))
    return range(index, index + 1) if 0 <= index < len(lines) and _TIMED in lines[index] else None


class _Commands:
    """Turns the commands of one cell into comments; knows which lines continue a statement or a string."""

    def __init__(self, without_sign: bool) -> None:
        self._without_sign = without_sign
        self._depth = 0
        self._quote = ""
        self._continued = False
        self._command_goes_on = False

    def replaced(self, source: str) -> str:
        """The cell with commands as comments, each on its line."""
        return "\n".join([self._line(line) for line in source.split("\n")])

    def _line(self, line: str) -> str:
        if self._command_goes_on:
            return self._as_comment(line, "")
        begins = not (self._depth or self._quote or self._continued)
        if begins and (line.lstrip()[:1] in ("%", "!", "?") and line.strip()):
            return _timed(line) or self._as_comment(line)
        if begins and self._without_sign and _WITHOUT_SIGN.match(line):
            return self._as_comment(line)
        assigned = _ASSIGNED.fullmatch(line) if begins else None
        if assigned:
            self._command_goes_on = line.rstrip("\r").endswith("\\")
            return f"{assigned['target']}None  {_COMMAND}{assigned['command']}"
        asks = self._follow(line)
        if begins and asks and not self._depth:
            return self._as_comment(line)
        return line

    def _as_comment(self, line: str, statement: str = "pass  ") -> str:
        self._command_goes_on = line.rstrip("\r").endswith("\\")
        rest = line.lstrip(" \t")
        indent = line[: len(line) - len(rest)]
        return f"{indent}{statement if indent else ''}{_COMMAND}{rest}"

    def _follow(self, line: str) -> bool:
        """Whether the line's code ends with a question mark; what it leaves open is noted."""
        at, self._continued, last = 0, False, ""
        if self._quote:
            end = _ENDS[self._quote].match(line)
            if end is None:
                return False
            at, self._quote = end.end(), ""
        while piece := _PIECE.search(line, at):
            last = line[at : piece.start()].rstrip() or last
            at, sign = piece.end(), piece[0]
            if sign.startswith("#"):
                break
            if sign in _ENDS:
                end = _ENDS[sign].match(line, at)
                if end is None:
                    self._quote = sign
                    return False
                at = end.end()
            elif sign in "([{" or sign in ")]}":
                self._depth = max(0, self._depth + (1 if sign in "([{" else -1))
            elif sign.rstrip("\r").endswith("\\"):
                self._continued = True
            last = sign
        else:
            last = line[at:].rstrip() or last
        return last.endswith("?")


def _timed(line: str) -> str | None:
    """The statement that `%time` or `%timeit` runs, in its own column; None for other commands."""
    found = _TIMING.fullmatch(line)
    if found is None or fault_of(found["code"]) is not None:
        return None
    prefix = found["prefix"]
    return f"{found['indent']}{'pass;':{len(prefix)}}{found['code']}{_TIMED}{prefix}"
