"""A source file as its syntax tree, with the places of the nodes in the text."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, TypeAlias, TypeVar

from advisor.model.errors import SourceProblem
from advisor.model.findings import Edit
from advisor.model.text.source_text import SourceText
from advisor.program.syntax.bound_names import bound_names
from advisor.program.syntax.module import FunctionNode, ModuleSyntax, parse_module
from advisor.program.syntax.statement_places import DEFINITIONS, LOOPS, TRIES, blocks
from advisor.program.syntax.statement_places import begin as first_place
from advisor.program.syntax.statement_places import end as last_place
from advisor.program.syntax.tree_nodes import below

_Node = TypeVar("_Node", bound=ast.AST)
_Asked = TypeVar("_Asked", bound=ast.AST)
_Answer = TypeVar("_Answer")
# A class of nodes, or several of them.
_Kind: TypeAlias = type[_Node] | tuple[type[_Node], ...]

# The statements that consist of other statements.
COMPOUND = (*DEFINITIONS, *LOOPS, *TRIES, ast.If, ast.With, ast.AsyncWith, ast.Match)
# Strings with expressions in them; templates are of Python 3.14 and later.
_INTERPOLATED = (ast.JoinedStr, *((ast.TemplateStr,) if hasattr(ast, "TemplateStr") else ()))
_NOT_CODE = re.compile(r"(?:[ \t\f\r\n]|\\(?:\r\n|\r|\n)|#[^\r\n]*)*")
# Python's line ends, which are fewer than those of str.splitlines.
_LINE_END = re.compile(r"\r\n|\r|\n")


class NotEditable(Exception):
    """Raised where a node that is to be replaced has no place of its own in the text."""


class SourceModule:
    """The tree of a text, which is that of `syntax`; nodes are found by their place, and places are offsets.

    What stands inside an f-string counts as a node at the place of the whole string: Python before 3.12 does
    not say where else, and fixes are the same under each Python.
    """

    def __init__(self, syntax: ModuleSyntax) -> None:
        self.syntax = syntax
        self.text = syntax.source.text
        self.tree = syntax.tree
        self._offsets = _TextOffsets(self.text)
        self._answers: dict[tuple[object, ast.AST], Any] = {}
        self._by_kind: dict[object, tuple[list[Any], list[int]]] = {}

    def offset(self, line: int, column: int) -> int:
        """The offset of a line (from 1) and a column (from 0, in characters)."""
        return self._offsets.offset(line, column)

    def line_of(self, offset: int) -> int:
        """The line, from 1, that an offset lies in."""
        return self._offsets.line_of(offset)

    def line_start(self, offset: int) -> int:
        """The offset where the line of an offset begins."""
        return self._offsets.line_start(offset)

    @property
    def line_end(self) -> str:
        """The line end that the file uses."""
        return "\r\n" if "\r\n" in self.text else "\n"

    def range_of(self, node: ast.AST) -> tuple[int, int]:
        """The offsets where a node begins and ends, without parentheses around it.

        A tuple's own parentheses belong to it, decorators do not belong to their function or class.
        """
        node = self._strings_around.get(node, node)
        if isinstance(node, ast.Module):
            return 0, len(self.text)
        line: int | None = getattr(node, "lineno", None)
        if line is not None:
            begin, end = (line, node.col_offset), (node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]
        elif next(ast.iter_child_nodes(node), None) is not None:
            begin, end = first_place(node), last_place(node)
        else:
            # The parameters of a function that has none.
            place = self.range_of(self.syntax.parents[node])[0]
            return place, place
        return self._offsets.offset_of_bytes(*begin), self._offsets.offset_of_bytes(*end)

    def outer_range(self, node: ast.AST) -> tuple[int, int]:
        """The offsets of an expression with the parentheses that are written around it."""
        begin, end = self.range_of(node)
        parent = self.parent(node)
        if not isinstance(node, ast.expr) or isinstance(parent, ast.pattern) or node in self._strings_around:
            return begin, end
        # A call ends with a parenthesis of its own.
        limit = self.range_of(parent)[1] - 1 if isinstance(parent, ast.Call) else len(self.text)
        while True:
            closing = self._code_behind(end)
            if closing >= limit or self.text[closing] != ")":
                break
            opening = self._offsets.code_before(begin, self._is_in_string)
            if opening is None or self.text[opening] != "(":
                break
            if isinstance(parent, ast.ClassDef) and self.text[self._code_behind(closing + 1)] == ":":
                # These are the parentheses around the classes that a class inherits from.
                break
            begin, end = opening, closing + 1
        return begin, end

    def is_parenthesized(self, node: ast.AST) -> bool:
        """Whether an expression has parentheses around it, those of a tuple or generator among them."""
        if isinstance(node, ast.Tuple):
            begin, _ = self.range_of(node)
            first = self.outer_range(node.elts[0])[0] if node.elts else begin + 1
            if begin < first:
                return True
        return isinstance(node, ast.GeneratorExp) or self.outer_range(node) != self.range_of(node)

    def code_of(self, node: ast.AST) -> str:
        """The text of a node as it stands, without parentheses around it."""
        if node in self._strings_around:
            return ast.unparse(node)
        begin, end = self.range_of(node)
        return self.text[begin:end]

    def outer_code_of(self, node: ast.AST) -> str:
        """The text of an expression with the parentheses around it."""
        if node in self._strings_around:
            return ast.unparse(node)
        begin, end = self.outer_range(node)
        return self.text[begin:end]

    def block_range(self, statements: Sequence[ast.stmt]) -> tuple[int, int]:
        """The offsets where a block of statements begins, decorators included, and ends."""
        return self._offsets.offset_of_bytes(*first_place(statements[0])), self.range_of(statements[-1])[1]

    def replaced(self, node: ast.AST, text: str) -> Edit:
        """The edit that puts a text in the place of a node.

        Raises NotEditable for a node inside of an f-string.
        """
        if node in self._strings_around:
            raise NotEditable
        return Edit(*self.range_of(node), text)

    def answer(self, question: Callable[[SourceModule, _Asked], _Answer], node: _Asked) -> _Answer:
        """What a function says of a node of this module, which never changes: each is asked once."""
        key = question, node
        if key not in self._answers:
            self._answers[key] = question(self, node)
        found: _Answer = self._answers[key]
        return found

    def parent(self, node: ast.AST) -> ast.AST | None:
        """The node that a node is part of."""
        return self.syntax.parents.get(node)

    def statement_of(self, node: ast.AST) -> ast.stmt:
        """The innermost statement that a node is part of; a statement is part of itself."""
        while not isinstance(node, ast.stmt):
            node = self.syntax.parents[node]
        return node

    def block_of(self, statement: ast.stmt) -> list[ast.stmt]:
        """The list of statements that a statement stands in."""
        parent = self.syntax.parents[statement]
        return next(block for block in blocks(parent) if any(one is statement for one in block))

    def scope_of(self, node: ast.AST) -> FunctionNode | None:
        """The innermost function that a node is part of, None at module level."""
        above = self.parent(node)
        while above is not None and not isinstance(above, ast.FunctionDef | ast.AsyncFunctionDef):
            above = self.parent(above)
        return above

    def shares_line(self, statement: ast.stmt) -> bool:
        """Whether a statement has `;` behind it, or stands behind one or behind the head of its block."""
        behind = self._code_behind(self.range_of(statement)[1])
        return not self.begins_line(statement) or self.text[behind : behind + 1] == ";"

    def on_header_line(self, statement: ast.stmt) -> bool:
        """Whether a simple statement stands on the line of its block's head, or a body on that of a compound
        statement: `if x: y`.
        """
        own = next((block for block in blocks(statement) if block), None)
        return not self.begins_line((own or self.block_of(statement))[0])

    def begins_line(self, statement: ast.stmt) -> bool:
        """Whether no code stands before a statement on its line, nor on one that `\\` joins to it."""
        offset, _ = self.range_of(statement)
        start = self.line_start(offset)
        if self.text[start:offset].strip():
            return False
        code = self._offsets.code_before(start, self._is_in_string)
        between = "" if code is None else self.text[code + 1 : offset]
        return "\\" not in between or "#" in between

    def indentation(self, node: ast.AST) -> str:
        """The white space before a statement on its line."""
        begin, _ = self.range_of(node)
        line = self.text[self.line_start(begin) : begin]
        return line if not line.strip() else line[: len(line) - len(line.lstrip())]

    def nodes(self, kind: _Kind[_Node]) -> Iterator[_Node]:
        """All nodes of a kind in the order of the text."""
        yield from self._of_kind(kind)[0]

    def nodes_between(self, kind: _Kind[_Node], begin: int, end: int) -> Iterator[_Node]:
        """The nodes of a kind that lie between two offsets."""
        nodes, begins = self._of_kind(kind)
        for number in range(bisect_left(begins, begin), bisect_right(begins, end)):
            if self.range_of(nodes[number])[1] <= end:
                yield nodes[number]

    def nodes_in(self, kind: _Kind[_Node], outer: ast.AST | Sequence[ast.stmt]) -> Iterator[_Node]:
        """The nodes of a kind in another node or in a block, that itself included, decorators of a function
        not.
        """
        if isinstance(outer, ast.AST):
            place = self.range_of(outer)
        elif outer:
            place = self.block_range(outer)
        else:
            return
        for node in self.nodes_between(kind, *place):
            if self.range_of(node) != place or self._is_part(node, outer):
                yield node

    def _is_part(self, node: ast.AST, outer: ast.AST | Sequence[ast.stmt]) -> bool:
        tops = [outer] if isinstance(outer, ast.AST) else outer
        above: ast.AST | None = node
        while above is not None and above not in tops:
            above = self.parent(above)
        return above is not None

    def node_at(self, kind: _Kind[_Node], begin: int, end: int) -> _Node | None:
        """The node of a kind that begins and ends at two offsets."""
        return next(
            (one for one in self.nodes_between(kind, begin, end) if self.range_of(one) == (begin, end)), None
        )

    def _of_kind(self, kind: _Kind[_Node]) -> tuple[list[_Node], list[int]]:
        """The nodes of a kind in order, and where each begins."""
        if kind not in self._by_kind:
            found = [node for one, nodes in self._by_type.items() if issubclass(one, kind) for node in nodes]
            found.sort(key=self.range_of)
            self._by_kind[kind] = found, [self.range_of(node)[0] for node in found]
        return self._by_kind[kind]

    @cached_property
    def _by_type(self) -> dict[type[ast.AST], list[Any]]:
        found: dict[type[ast.AST], list[Any]] = {ast.Module: [self.tree]}
        for node in self.syntax.parents:
            found.setdefault(node.__class__, []).append(node)
        return found

    @cached_property
    def names(self) -> dict[str, list[ast.Name]]:
        """The places of each plain name, in the order of the text."""
        found: dict[str, list[ast.Name]] = {}
        for node in self.nodes(ast.Name):
            found.setdefault(node.id, []).append(node)
        return found

    @cached_property
    def called_names(self) -> frozenset[str]:
        """The plain names that are called anywhere."""
        return frozenset(one.func.id for one in self.nodes(ast.Call) if isinstance(one.func, ast.Name))

    def function_around(self, offset: int) -> FunctionNode | None:
        """The innermost function that an offset lies in, its decorators included."""
        begins, ends, functions = self._functions
        # Functions lie apart or in each other: of those around the offset the innermost begins last.
        for number in range(bisect_right(begins, offset) - 1, -1, -1):
            if offset < ends[number]:
                return functions[number]
        return None

    @cached_property
    def _functions(self) -> tuple[list[int], list[int], list[FunctionNode]]:
        """Where each function, its decorators included, begins and ends, in order of their beginnings."""
        found = [(*self.block_range([node]), node) for node in self.syntax.functions]
        found.sort(key=lambda one: one[:2])
        return [one[0] for one in found], [one[1] for one in found], [one[2] for one in found]

    def bindings(self, name: str, function: FunctionNode | None) -> list[ast.AST]:
        """The nodes that bind a name in a function's own body, or at module level for None: assignments,
        imports, loops, `with`, functions, classes and what else does, `global` too; parameters do not.
        """
        return self._bindings.get((function, name), [])

    @cached_property
    def _bindings(self) -> dict[tuple[FunctionNode | None, str], list[ast.AST]]:
        found: dict[tuple[FunctionNode | None, str], list[ast.AST]] = {}
        for node in self.syntax.parents:
            for name in _bound(node):
                found.setdefault((self.scope_of(node), name), []).append(node)
        return {key: sorted(nodes, key=self.range_of) for key, nodes in found.items()}

    def _code_behind(self, offset: int) -> int:
        """The offset of the first code behind a piece of code, the end of the text where there is none."""
        found = _NOT_CODE.match(self.text, offset)
        return found.end() if found else offset

    def _is_in_string(self, offset: int) -> bool:
        begins, ends = self._strings
        number = bisect_right(begins, offset) - 1
        return number >= 0 and offset < ends[number]

    @cached_property
    def _strings(self) -> tuple[list[int], list[int]]:
        """Where each string begins and ends; those in an f-string are part of that."""
        constants = (one for one in self.nodes(ast.Constant) if isinstance(one.value, str | bytes))
        found = sorted({self.range_of(one) for one in (*constants, *self.nodes(_INTERPOLATED))})
        return [begin for begin, _ in found], [end for _, end in found]

    @cached_property
    def _strings_around(self) -> dict[ast.AST, ast.AST]:
        """The outermost f-string around each node that stands inside of one."""
        found: dict[ast.AST, ast.AST] = {}
        for node in (one for kind in _INTERPOLATED for one in self._by_type.get(kind, ())):
            if node not in found:
                found.update(dict.fromkeys(below(node)[1:], node))
        return found


def _bound(node: ast.AST) -> Iterable[str]:
    return node.names if isinstance(node, ast.Global | ast.Nonlocal) else bound_names(node)


def read_module(text: str, unread: frozenset[int] = frozenset(), path: str = "") -> SourceModule | None:
    """The module of a text; None where it cannot be read.

    Each `0` on one of the lines `unread` stands for a statement that could not be read: in the tree it is a
    call with all parameters and variables of its function.
    """
    try:
        return SourceModule(parse_module(SourceText(path, text, unread)))
    except SourceProblem:
        return None


class _TextOffsets:
    """The places of a text as offsets, counted in characters."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts = [0, *(end.end() for end in _LINE_END.finditer(text))]
        self._is_ascii = text.isascii()

    def offset(self, line: int, column: int) -> int:
        """The offset of a line (from 1) and a column (from 0)."""
        return self._starts[line - 1] + column

    def offset_of_bytes(self, line: int, column: int) -> int:
        """The offset of a line (from 1) and a column that counts bytes of UTF-8, as those of `ast` do."""
        start = self._starts[line - 1]
        if not self._is_ascii:
            # A character has at least one byte.
            before = self.text[start : start + column]
            if not before.isascii():
                return start + len(before.encode()[:column].decode(errors="ignore"))
        return start + column

    def line_of(self, offset: int) -> int:
        """The line, from 1, that an offset lies in."""
        return bisect_right(self._starts, offset)

    def line_start(self, offset: int) -> int:
        """The offset where the line of an offset begins."""
        return self._starts[self.line_of(offset) - 1]

    def code_before(self, offset: int, in_string: Callable[[int], bool]) -> int | None:
        """The offset of the last character of code before a piece of code, None where it is the first.

        White space, comments and `\\` at the end of a line are no code. `in_string` says whether an offset
        lies in a string, where `#` begins no comment.
        """
        line, end = self.line_of(offset), offset
        while line:
            start = self._starts[line - 1]
            code = self.text[start:end].rstrip(" \t\f\r\n\\")
            if code:
                return start + len(code) - 1
            line -= 1
            if line:
                end = self._code_end(line, in_string)
        return None

    def _code_end(self, line: int, in_string: Callable[[int], bool]) -> int:
        """Where the comment of a line begins, the end of the line where it has none."""
        start, end = self._starts[line - 1], self._starts[line]
        place = self.text.find("#", start, end)
        while place >= 0 and in_string(place):
            place = self.text.find("#", place + 1, end)
        return end if place < 0 else place
