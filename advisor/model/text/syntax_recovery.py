"""Python text with syntax errors: which of its statements can be read all the same.

A statement ends where the next line is indented no deeper, or where a scan over brackets and strings says
so; what does not parse either way is broken, and of a compound statement only those statements of its body
that are.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from advisor.model.text.syntax_trees import MOST_LEVELS, TOO_DEEP, syntax_tree, too_deep

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_COMPOUND = re.compile(r"(?:async[ \t]+)?(?:def|class|if|for|while|with|try)\b|@")
_DEFINITION = re.compile(r"(?:async[ \t]+def|def|class)\b|@")
_DEFINED = re.compile(r"(?:async[ \t]+def|def|class)\b")
_CLAUSE = re.compile(r"(?:else|elif|except|finally)\b")
_BARE_HEAD = re.compile(r"(?:try|else|finally)[ \t]*:[ \t]*(?:#.*)?$")
_HEAD_END = re.compile(r":[ \t]*(?:#.*)?$")
# What begins no line inside of brackets: brackets that are open there were never closed.
_NEW_STATEMENT = re.compile(
    r"(?:(?:async[ \t]+)?def[ \t]+\w|class[ \t]+\w|@\w|import[ \t]|from[ \t]+[\w.]+[ \t]+import\b|return\b"
    r"|with\b|while\b|try[ \t]*:|raise\b|del\b|global\b|pass\b|break\b|continue\b|assert\b)"
)
_TOKEN = re.compile(
    r"#[^\r\n]*|(?P<triple>\"\"\"|''')|\"(?:\\.|[^\"\\\r\n])*\"?|'(?:\\.|[^'\\\r\n])*'?"
    r"|(?P<open>[(\[{])|(?P<close>[)\]}])|\\(?:\r\n|\r|\n)|(?P<end>\r\n|\r|\n)"
)
_TRIPLE_ENDS = {quote: re.compile(rf"(?:\\.|[^\\])*?{quote}", re.DOTALL) for quote in ('"""', "'''")}
# What Python says of a print statement, of `except A, b:`, and of tabs that count as eight columns.
_OF_PYTHON_2 = (
    "Missing parentheses in call to 'print'",
    "multiple exception types must be parenthesized",
    "inconsistent use of tabs and spaces in indentation",
)
_MOST_HEAD_LINES = 60
_MOST_FAULTS = 20
# How often a text may be parsed in all, in parts: no text of so many errors is worth more time.
_MOST_PASSES = 24


@dataclass(frozen=True, slots=True)
class SyntaxFault:
    """What Python's parser says of a text, at a line and a column, both from 1, the column in characters."""

    line: int
    column: int
    message: str


@dataclass(frozen=True, slots=True)
class BrokenLines:
    """Lines that cannot be read, from 1, both ends included, in a block of statements indented by `level`.

    `level` is None for decorators, which stand for no statement. `strays` where lines are indented as no
    statement of their block can be: the function before may go on in them.
    """

    first: int
    last: int
    level: int | None
    strays: bool = False


@dataclass(frozen=True)
class Recovered:
    """What could be read of a text. `text` has the same lines, as long as before, those of `broken` blank
    but for a `0` where a statement is needed, so that it parses.

    `faults` are what Python's parser says at each of them. `unread` are the lines of functions of which a
    part is broken, without those of intact functions inside.
    """

    text: str
    broken: tuple[BrokenLines, ...]
    faults: tuple[SyntaxFault, ...]
    unread: frozenset[int]

    @property
    def for_python_2(self) -> bool:
        """Whether a statement that cannot be read is one of Python 2."""
        return any(said in fault.message for fault in self.faults for said in _OF_PYTHON_2)


def recovered(text: str) -> Recovered | None:
    """What can be read of a text that does not parse; None where nothing can, or where it does parse."""
    first = fault_of(text)
    if first is None:
        return None
    reading = _Reading(text)
    broken = reading.broken_lines()
    for _ in range(5):
        blanked = reading.without(broken)
        fault = fault_of(blanked)
        if fault is None:
            faults = _faults(first, reading, broken)
            return Recovered(blanked, tuple(broken), faults, _unread(syntax_tree(blanked), broken))
        broken = reading.widened(broken, fault.line)
    return None


def fault_of(text: str) -> SyntaxFault | None:
    """What Python's parser says of a text, None where it parses and is not nested too deeply."""
    try:
        tree = syntax_tree(text)
    except SyntaxError as error:
        return fault_from(error)
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        return SyntaxFault(
            line, error.start - text.rfind("\n", 0, error.start), "a lone surrogate stands in it"
        )
    except (RecursionError, MemoryError, ValueError) as error:
        return SyntaxFault(1, 1, f"cannot be parsed: {type(error).__name__}")
    deep = too_deep(tree) if len(text) > MOST_LEVELS else None
    return SyntaxFault(deep.lineno, 1, TOO_DEEP) if deep is not None else None


def fault_from(error: SyntaxError) -> SyntaxFault:
    """The fault that an exception of the parser tells of."""
    return SyntaxFault(error.lineno or 1, max(error.offset or 1, 1), f"syntax error: {error.msg}")


def _faults(whole: SyntaxFault, reading: _Reading, broken: Sequence[BrokenLines]) -> tuple[SyntaxFault, ...]:
    """What the parser says at each of the broken lines; of the whole text where that lies in them."""
    found = []
    for number, lines in enumerate(broken[:_MOST_FAULTS]):
        # The text ends after them: a string that is never closed shows where the next one begins.
        last = reading.next_code(lines.last)
        fault = whole if lines.first <= whole.line <= last else None
        fault = fault or fault_of(reading.until(lines.last, broken[:number])) or whole
        found.append(
            fault if lines.first <= fault.line <= last else replace(fault, line=lines.first, column=1)
        )
    return tuple(found)


def _unread(tree: ast.Module, broken: Sequence[BrokenLines]) -> frozenset[int]:
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    torn = {id(one): one for lines in broken for one in _torn(functions, lines)}
    found: set[int] = set()
    for function in torn.values():
        found |= set(_lines_of(function))
    for function in functions:
        if id(function) not in torn:
            inside = any(_holds(one, function) for one in torn.values())
            found -= set(_lines_of(function)) if inside else set()
    return frozenset(found.union(*(range(one.first, one.last + 1) for one in broken)))


_Function = ast.FunctionDef | ast.AsyncFunctionDef


def _torn(functions: Sequence[_Function], lines: BrokenLines) -> Iterator[_Function]:
    """The innermost function that lines are a part of, and for strays also the one that ends before them."""
    around = [one for one in functions if one.lineno < lines.first <= (one.end_lineno or 0)]
    if around:
        yield max(around, key=lambda one: one.lineno)
    if lines.level is None:
        yield min((one for one in functions if one.lineno > lines.last), key=lambda one: one.lineno)
    elif lines.strays:
        level = lines.level
        before = [one for one in functions if (one.end_lineno or 0) < lines.first and one.col_offset >= level]
        if before:
            last = max(one.end_lineno or 0 for one in before)
            yield from (one for one in before if one.end_lineno == last)


def _lines_of(function: _Function) -> range:
    first = min([function.lineno, *(one.lineno for one in function.decorator_list)])
    return range(first, (function.end_lineno or function.lineno) + 1)


def _holds(outer: _Function, inner: _Function) -> bool:
    return outer.lineno < inner.lineno <= (outer.end_lineno or 0)


class _Reading:
    """One text in lines, counted from 0 in here, and what of it parses."""

    def __init__(self, text: str) -> None:
        self._lines: list[str] = _LINE.findall(text)
        if self._lines and not self._lines[-1]:
            self._lines.pop()
        self._code = [line.strip() for line in self._lines]
        self._indents = [
            None if not code or code[0] == "#" else _width(line)
            for line, code in zip(self._lines, self._code, strict=True)
        ]
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line))
        self._text = text
        self._left = _MOST_PASSES * max(len(text), 1000)

    def broken_lines(self) -> list[BrokenLines]:
        """The lines that cannot be read, in order."""
        return self._statements(0, len(self._lines), 0)

    def without(self, broken: Sequence[BrokenLines]) -> str:
        """The text with broken lines blanked."""
        lines = list(self._lines)
        for one in broken:
            for number in range(one.first - 1, one.last):
                lines[number] = self._blank(number, one.level if number == one.first - 1 else None)
        return "".join(lines)

    def next_code(self, line: int) -> int:
        """The line of the next statement after one, where the parser misses what should have come before."""
        return next((one + 1 for one in range(line, len(self._code)) if self._code[one]), line)

    def until(self, last: int, broken: Sequence[BrokenLines]) -> str:
        """The text up to a line, with broken lines blanked."""
        return self.without(broken)[: self._starts[last]]

    def widened(self, broken: Sequence[BrokenLines], line: int) -> list[BrokenLines]:
        """The broken lines with those of the whole top-level statement around a line."""
        count = len(self._lines)
        at = min(max(line - 1, 0), count - 1)
        first = next((one for one in range(at, -1, -1) if self._indents[one] == 0), 0)
        last = self._end_by_indentation(first, count, 0)
        rest = [one for one in broken if one.last <= first or one.first > last]
        return sorted([*rest, BrokenLines(first + 1, last, 0)], key=lambda one: one.first)

    def _blank(self, number: int, level: int | None) -> str:
        line = self._lines[number]
        body = line.rstrip("\r\n")
        end = line[len(body) :]
        if level is None or len(body) <= level:
            return " " * len(body) + end
        own = body[: len(body) - len(body.lstrip())]
        margin = own if self._indents[number] == level else " " * level
        return margin + "0" + " " * (len(body) - len(margin) - 1) + end

    def _statements(self, low: int, high: int, level: int) -> list[BrokenLines]:
        """The broken lines in a block of statements indented by `level`."""
        found: list[BrokenLines] = []
        at = low
        before: int | None = None
        while at < high:
            if self._indents[at] is None:
                at += 1
            elif self._indents[at] != level:
                end = at + 1
                while end < high and self._indents[end] != level:
                    end += 1
                found.append(BrokenLines(at + 1, self._trimmed(at, end), level, strays=True))
                at = end
            else:
                end, inside = self._statement(at, high, level)
                dedented = self._dedented(before, at, end, level) if inside and inside[0].strays else None
                if dedented:
                    found = [*(one for one in found if one.last <= (before or 0)), dedented]
                else:
                    found += inside
                before, at = at, end
        return found

    def _dedented(self, before: int | None, at: int, end: int, level: int) -> BrokenLines | None:
        """A line that is indented too little, where the statement before it goes on after it; else None."""
        deeper = next((one for one in self._indents[at + 1 : end] if one is not None and one > level), None)
        if before is None or deeper is None:
            return None
        line = BrokenLines(at + 1, at + 1, deeper)
        lines = [*self._lines[before:at], self._blank(at, deeper), *self._lines[at + 1 : end]]
        return None if self._fails(("if 1:\n" if level else "") + "".join(lines)) else line

    def _statement(self, at: int, high: int, level: int) -> tuple[int, list[BrokenLines]]:
        """Where a statement ends, and what of it is broken."""
        near = self._end_by_indentation(at, high, level)
        if self._parses(at, near, level):
            return near, []
        far = self._end_by_scan(at, high, level)
        if far is None or far == near:
            return near, self._inside(at, near, level)
        if self._parses(at, far, level):
            return far, []
        if far < near or any(
            self._indents[one] == level and _NEW_STATEMENT.match(self._code[one]) for one in range(near, far)
        ):
            # A string that is never closed ends where the next one begins, in another definition.
            return near, self._inside(at, near, level)
        as_far = self._inside(at, far, level)
        as_near = [*self._inside(at, near, level), *self._statements(near, far, level)]
        return far, min(as_near, as_far, key=_count)

    def _inside(self, at: int, end: int, level: int) -> list[BrokenLines]:
        """What is broken of a statement that does not parse."""
        last = self._trimmed(at, end)
        if self._left <= 0 or not _COMPOUND.match(self._code[at]):
            deeper = next((one for one in range(at + 1, end) if (self._indents[one] or 0) > level), None)
            if deeper is not None and self._parses(at, deeper, level):
                at = deeper
            return [BrokenLines(at + 1, last, level, strays=deeper is not None)]
        if self._code[at][0] == "@" and self._body_after(at, end, level) is None:
            return self._decorated(at, end, level)
        found: list[BrokenLines] = []
        skeleton: list[str] = []
        for head, body, stop in self._clauses(at, end, level):
            if body is None:
                return [BrokenLines(at + 1, last, level)]
            skeleton += [*self._lines[head:body], " " * (level + 1) + "pass\n"]
            inside = self._body(body, stop, level)
            if inside is None:
                return [BrokenLines(at + 1, last, level)]
            found += inside
        margin = "if 1:\n" if level else ""
        if not found or self._fails(margin + "".join(skeleton)):
            return [BrokenLines(at + 1, last, level)]
        return found

    def _decorated(self, at: int, end: int, level: int) -> list[BrokenLines]:
        """What is broken of a definition with decorators or a head that cannot be read."""
        defined = next(
            (
                one
                for one in range(at, end)
                if self._indents[one] == level and _DEFINED.match(self._code[one])
            ),
            None,
        )
        if defined is None or self._body_after(defined, end, level) is None:
            return [BrokenLines(at + 1, self._trimmed(at, end), level)]
        inside = [] if self._parses(defined, end, level) else self._inside(defined, end, level)
        return [BrokenLines(at + 1, self._trimmed(at, defined), None), *inside]

    def _body(self, low: int, high: int, level: int) -> list[BrokenLines] | None:
        """The broken lines of a clause's body, None where it has none."""
        indents = [one for one in self._indents[low:high] if one is not None]
        if not indents or indents[0] <= level:
            return None
        levels = {indents[0], min((one for one in indents if one > level), default=indents[0])}
        return min((self._statements(low, high, one) for one in sorted(levels)), key=_count)

    def _clauses(self, at: int, end: int, level: int) -> Iterator[tuple[int, int | None, int]]:
        """Head, body and end of each clause of a compound statement; no body where a head cannot be read."""
        heads = [at] + [
            one
            for one in range(at + 1, end)
            if self._indents[one] == level and _CLAUSE.match(self._code[one])
        ]
        for head, stop in zip(heads, [*heads[1:], end], strict=True):
            yield head, self._body_after(head, stop, level), stop

    def _body_after(self, head: int, stop: int, level: int) -> int | None:
        if _BARE_HEAD.match(self._code[head]):
            return head + 1
        for last in range(head, min(stop, head + _MOST_HEAD_LINES)):
            if _HEAD_END.search(self._code[last]) and self._is_head(head, last + 1, level):
                return last + 1
        return None

    def _is_head(self, head: int, end: int, level: int) -> bool:
        text = "".join(self._lines[head:end])
        if self._code[head].startswith("elif"):
            text = text.replace("elif", "if", 1)
        elif self._code[head].startswith("except"):
            text = f"{' ' * level}try:\n{' ' * level} pass\n{text}"
        margin = "if 1:\n" if level else ""
        return not self._fails(f"{margin}{text}{' ' * (level + 1)}pass\n")

    def _end_by_indentation(self, at: int, high: int, level: int) -> int:
        """The line after a statement; deeper lines, closing brackets, clauses, definitions continue it."""
        end = at + 1
        while end < high and (
            (indent := self._indents[end]) is None
            or indent > level
            or (indent == level and self._goes_on(at, end, True))
        ):
            end += 1
        return self._trimmed(at, end)

    def _goes_on(self, at: int, line: int, only_joined: bool) -> bool:
        code = self._code[line]
        if code[0] in ")]}":
            return True
        if self._code[at][0] == "@":
            # Decorators belong to what follows; an empty line ends those of a definition not yet written.
            before = next(
                (one for one in range(line - 1, at, -1) if self._indents[one] == self._indents[line]), at
            )
            decorators = all(
                self._code[one][0] in "@)]}"
                for one in range(at, before + 1)
                if self._indents[one] == self._indents[at]
            )
            if decorators and _DEFINITION.match(code):
                return not only_joined or all(self._code[one] for one in range(before, line))
        return bool(_CLAUSE.match(code) and _COMPOUND.match(self._code[at]))

    def _end_by_scan(self, at: int, high: int, level: int) -> int | None:
        """The line after a statement by its brackets and strings; None where one of these is never closed."""
        position, stop, depth, line = self._starts[at], self._starts[high], 0, at
        self._left -= stop - position if self._left > 0 else 0
        while position < stop:
            token = _TOKEN.search(self._text, position, stop)
            if token is None:
                break
            position = token.end()
            if token["triple"]:
                close = _TRIPLE_ENDS[token["triple"]].match(self._text, position, stop)
                if close is None:
                    return None
                position = close.end()
            elif token["open"]:
                depth += 1
            elif token["close"]:
                depth = max(depth - 1, 0)
            elif token["end"]:
                while line < high and self._starts[line] < position:
                    line += 1
                if line >= high:
                    break
                indent = self._indents[line]
                if indent is None or indent > level:
                    continue
                if depth and _NEW_STATEMENT.match(self._code[line]):
                    depth = 0
                if not depth and (indent < level or not self._goes_on(at, line, False)):
                    return self._trimmed(at, line)
        return None if depth else high

    def _trimmed(self, at: int, end: int) -> int:
        """The end without empty lines and comments before it."""
        while end > at + 1 and self._indents[end - 1] is None:
            end -= 1
        return end

    def _parses(self, at: int, end: int, level: int) -> bool:
        margin = "if 1:\n" if level else ""
        return not self._fails(margin + "".join(self._lines[at:end]))

    def _fails(self, text: str) -> bool:
        self._left -= len(text)
        return self._left <= 0 or fault_of(text) is not None


def _width(line: str) -> int:
    margin = line[: len(line) - len(line.lstrip())]
    return len(margin.expandtabs(8).lstrip("\f"))


def _count(broken: Sequence[BrokenLines]) -> int:
    return sum(one.last - one.first + 1 for one in broken)
