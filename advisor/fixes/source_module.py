"""A source file as a LibCST tree, with the places of its nodes in the text."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

import libcst as cst
from libcst.metadata import MetadataWrapper, ParentNodeProvider, PositionProvider

from advisor.findings import Edit
from advisor.text import Span

_Node = TypeVar("_Node", bound=cst.CSTNode)


class SourceModule:
    """The tree of a text; nodes are found by their place, and places are offsets into the text."""

    def __init__(self, text: str, module: cst.Module) -> None:
        self.text = text
        self.wrapper = MetadataWrapper(module, unsafe_skip_copy=True)
        self.module = self.wrapper.module
        self._positions = self.wrapper.resolve(PositionProvider)
        self._parents = self.wrapper.resolve(ParentNodeProvider)
        # Python's line ends, which are fewer than those of str.splitlines.
        self._starts = [0, *(end.end() for end in re.finditer(r"\r\n|\r|\n", text))]

    def offset(self, line: int, column: int) -> int:
        """The offset of a line (from 1) and a column (from 0)."""
        return self._starts[line - 1] + column

    def line_of(self, offset: int) -> int:
        """The line, from 1, that an offset lies in."""
        return bisect_right(self._starts, offset)

    def range_of(self, node: cst.CSTNode) -> tuple[int, int]:
        """The offsets where a node begins and ends."""
        place = self._positions[node]
        return self.offset(place.start.line, place.start.column), self.offset(
            place.end.line, place.end.column
        )

    def code_of(self, node: cst.CSTNode) -> str:
        """The text of a node as it stands."""
        begin, end = self.range_of(node)
        return self.text[begin:end]

    def written(self, node: cst.CSTNode) -> str:
        """The text of a node, also of one that was made."""
        return self.module.code_for_node(node)

    def parent(self, node: cst.CSTNode) -> cst.CSTNode | None:
        """The node that a node is part of."""
        return self._parents.get(node)

    def nodes(self, kind: type[_Node]) -> Iterator[_Node]:
        """All nodes of a kind in the order of the text."""
        found = [node for node in self._positions if isinstance(node, kind)]
        yield from sorted(found, key=lambda node: self.range_of(node))

    def replaced(self, node: cst.CSTNode, text: str) -> Edit:
        """The edit that puts a text in the place of a node."""
        return Edit(*self.range_of(node), text)


@dataclass(frozen=True)
class Place:
    """A finding's place in its module."""

    span: Span
    module: SourceModule

    @property
    def begin(self) -> int:
        """The offset where the finding begins."""
        return self.module.offset(self.span.line, self.span.column - 1)

    @property
    def end(self) -> int:
        """The offset where the finding ends."""
        return self.module.offset(self.span.end_line, self.span.end_column - 1)

    def exactly(self, kind: type[_Node]) -> _Node | None:
        """The node of a kind that begins and ends where the finding does."""
        for node in self.module.nodes(kind):
            if self.module.range_of(node) == (self.begin, self.end):
                return node
        return None

    def within(self, kind: type[_Node]) -> list[_Node]:
        """The nodes of a kind that lie in the finding."""
        found = []
        for node in self.module.nodes(kind):
            begin, end = self.module.range_of(node)
            if self.begin <= begin and end <= self.end:
                found.append(node)
        return found

    def function(self) -> cst.FunctionDef | None:
        """The innermost function that the finding lies in, or whose name or decorator it is."""
        around = []
        for node in self.module.nodes(cst.FunctionDef):
            begin, end = self.module.range_of(node)
            for decorator in node.decorators:
                begin = min(begin, self.module.range_of(decorator)[0])
            if begin <= self.begin < end:
                around.append((end - begin, node))
        return min(around, key=lambda one: one[0])[1] if around else None


def read_module(text: str) -> SourceModule | None:
    """The module of a text, None for one that LibCST cannot read."""
    try:
        return SourceModule(text, cst.parse_module(text))
    except (cst.ParserSyntaxError, RecursionError, ValueError):
        return None
