"""A source file as a LibCST tree, with the places of its nodes in the text."""

from __future__ import annotations

import dataclasses
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, TypeVar

import libcst as cst

from advisor.fixes.support.edits.node_ranges import ranges_and_parents
from advisor.fixes.unread_statements import fill, is_gap, names_of_variables
from advisor.model.findings import Edit

_Node = TypeVar("_Node", bound=cst.CSTNode)
_Asked = TypeVar("_Asked", bound=cst.CSTNode)
_Answer = TypeVar("_Answer")


class SourceModule:
    """The tree of a text; nodes are found by their place, and places are offsets into the text.

    Each `0` on one of the lines `unread` stands for a statement that could not be read: in the tree it is a
    call with all parameters and variables of its function.
    """

    def __init__(self, text: str, module: cst.Module, unread: frozenset[int] = frozenset()) -> None:
        self.text = text
        self.module = module
        self._answers: dict[tuple[object, cst.CSTNode], Any] = {}
        self._by_kind: dict[type[cst.CSTNode], tuple[list[Any], list[int]]] = {}
        self._ranges, self._parents = ranges_and_parents(module)
        # Python's line ends, which are fewer than those of str.splitlines.
        self._starts = [0, *(end.end() for end in re.finditer(r"\r\n|\r|\n", text))]
        if unread:
            self._note_unread(unread)
            self._parents = _parents(self.module)

    def _note_unread(self, unread: frozenset[int]) -> None:
        for gap in [one for one in self._ranges if is_gap(one) and self._line_of_node(one) in unread]:
            function = self._scope(gap)
            if function is not None:
                begin, end = self._ranges[function]
                inside = [one for one, place in self._ranges.items() if begin <= place[0] and place[1] <= end]
                fill(gap, names_of_variables(function, _bound, inside), self._ranges)

    def _line_of_node(self, node: cst.CSTNode) -> int:
        return self.line_of(self._ranges[node][0])

    def offset(self, line: int, column: int) -> int:
        """The offset of a line (from 1) and a column (from 0)."""
        return self._starts[line - 1] + column

    def line_of(self, offset: int) -> int:
        """The line, from 1, that an offset lies in."""
        return bisect_right(self._starts, offset)

    def range_of(self, node: cst.CSTNode) -> tuple[int, int]:
        """The offsets where a node begins and ends."""
        return self._ranges[node]

    def code_of(self, node: cst.CSTNode) -> str:
        """The text of a node as it stands."""
        begin, end = self.range_of(node)
        return self.text[begin:end]

    def answer(self, question: Callable[[SourceModule, _Asked], _Answer], node: _Asked) -> _Answer:
        """What a function says of a node of this module, which never changes: each is asked once."""
        key = question, node
        if key not in self._answers:
            self._answers[key] = question(self, node)
        found: _Answer = self._answers[key]
        return found

    def written(self, node: cst.CSTNode) -> str:
        """The text of a node, also of one that was made."""
        return self.module.code_for_node(node)

    def parent(self, node: cst.CSTNode) -> cst.CSTNode | None:
        """The node that a node is part of."""
        return self._parents.get(node)

    def nodes(self, kind: type[_Node]) -> Iterator[_Node]:
        """All nodes of a kind in the order of the text."""
        yield from self._of_kind(kind)[0]

    def _of_kind(self, kind: type[_Node]) -> tuple[list[_Node], list[int]]:
        """The nodes of a kind in order, and where each begins."""
        if kind not in self._by_kind:
            found = [node for one, nodes in self._by_type.items() if issubclass(one, kind) for node in nodes]
            found.sort(key=self.range_of)
            self._by_kind[kind] = found, [self.range_of(node)[0] for node in found]
        return self._by_kind[kind]

    @cached_property
    def _by_type(self) -> dict[type[cst.CSTNode], list[Any]]:
        found: dict[type[cst.CSTNode], list[Any]] = {}
        for node in self._ranges:
            found.setdefault(type(node), []).append(node)
        return found

    @cached_property
    def names(self) -> dict[str, list[cst.Name]]:
        """The places of each name, attributes and keywords too, in the order of the text."""
        found: dict[str, list[cst.Name]] = {}
        for node in self.nodes(cst.Name):
            found.setdefault(node.value, []).append(node)
        return found

    def nodes_between(self, kind: type[_Node], begin: int, end: int) -> Iterator[_Node]:
        """The nodes of a kind that lie between two offsets."""
        nodes, begins = self._of_kind(kind)
        for number in range(bisect_left(begins, begin), bisect_right(begins, end)):
            if self.range_of(nodes[number])[1] <= end:
                yield nodes[number]

    def nodes_in(self, kind: type[_Node], outer: cst.CSTNode) -> Iterator[_Node]:
        """The nodes of a kind in another node, that itself included."""
        yield from self.nodes_between(kind, *self.range_of(outer))

    def node_at(self, kind: type[_Node], begin: int, end: int) -> _Node | None:
        """The node of a kind that begins and ends at two offsets."""
        return next(
            (one for one in self.nodes_between(kind, begin, end) if self.range_of(one) == (begin, end)), None
        )

    def function_around(self, offset: int) -> cst.FunctionDef | None:
        """The innermost function that an offset lies in, its decorators included."""
        begins, ends, functions = self._functions
        # Functions lie apart or in each other: of those around the offset the innermost begins last.
        for number in range(bisect_right(begins, offset) - 1, -1, -1):
            if offset < ends[number]:
                return functions[number]
        return None

    @cached_property
    def _functions(self) -> tuple[list[int], list[int], list[cst.FunctionDef]]:
        """Where each function, its decorators included, begins and ends, in order of their beginnings."""
        found = []
        for node in self.nodes(cst.FunctionDef):
            begin, end = self.range_of(node)
            first = min([begin, *(self.range_of(one)[0] for one in node.decorators)])
            found.append((first, end, node))
        found.sort(key=lambda one: one[:2])
        return [one[0] for one in found], [one[1] for one in found], [one[2] for one in found]

    @cached_property
    def called_names(self) -> frozenset[str]:
        """The plain names that are called anywhere."""
        return frozenset(one.func.value for one in self.nodes(cst.Call) if isinstance(one.func, cst.Name))

    def bindings(self, name: str, function: cst.FunctionDef | None) -> list[cst.CSTNode]:
        """The nodes that bind a name in a function's own body, or at module level for None: assignments,
        imports, loops, `with`, functions and classes.
        """
        return self._bindings.get((function, name), [])

    @cached_property
    def _bindings(self) -> dict[tuple[cst.FunctionDef | None, str], list[cst.CSTNode]]:
        found: dict[tuple[cst.FunctionDef | None, str], list[cst.CSTNode]] = {}
        for kind in (
            cst.Assign, cst.AnnAssign, cst.AugAssign, cst.NamedExpr, cst.For, cst.With, cst.Import,
            cst.ImportFrom, cst.FunctionDef, cst.ClassDef, cst.ExceptHandler, cst.Del, cst.Global,
            cst.Nonlocal,
        ):  # fmt: skip
            for node in self.nodes(kind):
                for name in _bound(node):
                    found.setdefault((self._scope(node), name), []).append(node)
        return {key: sorted(nodes, key=self.range_of) for key, nodes in found.items()}

    def _scope(self, node: cst.CSTNode) -> cst.FunctionDef | None:
        above = self.parent(node)
        while above is not None and not isinstance(above, cst.FunctionDef):
            above = self.parent(above)
        return above

    def indentation(self, node: cst.CSTNode) -> str:
        """The white space before a statement on its line."""
        begin, _ = self.range_of(node)
        start = self._starts[self.line_of(begin) - 1]
        line = self.text[start:begin]
        return line if not line.strip() else line[: len(line) - len(line.lstrip())]

    def line_start(self, offset: int) -> int:
        """The offset where the line of an offset begins."""
        return self._starts[self.line_of(offset) - 1]

    @property
    def line_end(self) -> str:
        """The line end that the file uses."""
        return "\r\n" if "\r\n" in self.text else "\n"

    def replaced(self, node: cst.CSTNode, text: str) -> Edit:
        """The edit that puts a text in the place of a node."""
        return Edit(*self.range_of(node), text)


def _parents(module: cst.Module) -> dict[cst.CSTNode, cst.CSTNode]:
    """The parent of each node, those that stand for what could not be read too: they are never written."""
    found: dict[cst.CSTNode, cst.CSTNode] = {}
    fields: dict[type[cst.CSTNode], tuple[str, ...]] = {}
    waiting: list[cst.CSTNode] = [module]
    while waiting:
        node = waiting.pop()
        kind = type(node)
        if kind not in fields:
            fields[kind] = tuple(one.name for one in dataclasses.fields(kind))
        for name in fields[kind]:
            value = getattr(node, name)
            for child in value if isinstance(value, tuple | list) else (value,):
                if isinstance(child, cst.CSTNode):
                    found[child] = node
                    waiting.append(child)
    return found


def read_module(text: str, unread: frozenset[int] = frozenset()) -> SourceModule | None:
    """The module of a text with `unread` lines as SourceModule has them; None where LibCST cannot read it."""
    try:
        return SourceModule(text, cst.parse_module(text), unread)
    except (cst.ParserSyntaxError, RecursionError, ValueError):
        return None


def _bound(node: cst.CSTNode) -> set[str]:
    """The names that a statement binds."""
    if isinstance(node, cst.FunctionDef | cst.ClassDef):
        return {node.name.value}
    if isinstance(node, cst.Import | cst.ImportFrom):
        return _imported(node)
    if isinstance(node, cst.Assign):
        targets: list[cst.CSTNode] = [one.target for one in node.targets]
    elif isinstance(node, cst.AnnAssign | cst.AugAssign | cst.NamedExpr | cst.For | cst.Del):
        targets = [node.target]
    elif isinstance(node, cst.With):
        targets = [item.asname.name for item in node.items if item.asname]
    elif isinstance(node, cst.ExceptHandler):
        targets = [node.name.name] if node.name else []
    elif isinstance(node, cst.Global | cst.Nonlocal):
        targets = [item.name for item in node.names]
    else:
        targets = []
    return {name for target in targets for name in _names(target)}


def _names(target: cst.CSTNode) -> set[str]:
    if isinstance(target, cst.Name):
        return {target.value}
    if isinstance(target, cst.Tuple | cst.List):
        return {name for element in target.elements for name in _names(element.value)}
    return set()


def _imported(node: cst.Import | cst.ImportFrom) -> set[str]:
    if isinstance(node.names, cst.ImportStar):
        return set()
    found = set()
    for alias in node.names:
        if alias.asname is not None and isinstance(alias.asname.name, cst.Name):
            found.add(alias.asname.name.value)
        else:
            first: cst.CSTNode = alias.name
            while isinstance(first, cst.Attribute):
                first = first.value
            found |= _names(first)
    return found
