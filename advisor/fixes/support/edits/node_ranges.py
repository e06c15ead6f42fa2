"""Where the nodes of a LibCST tree begin and end in their text, and what node each is part of.

LibCST's `PositionProvider` and `ParentNodeProvider` give the same. They take five times as long: each visits
the tree again, and one searches each token for line ends and makes three objects for each node.
"""

from __future__ import annotations

from typing import Any

import libcst as cst
from libcst._nodes.internal import CodegenState

Ranges = dict[cst.CSTNode, tuple[int, int]]
Parents = dict[cst.CSTNode, cst.CSTNode]


def ranges_and_parents(module: cst.Module) -> tuple[Ranges, Parents]:
    """The offsets where each node begins and ends, without the white space around it; the parent of each."""
    state = _CountingState(module.default_indent, module.default_newline)
    module._codegen(state)
    return state.ranges, state.parents


class _CountingState(CodegenState):
    """The state of writing a tree's code that counts the characters written.

    A node is written while the one that it is part of is.
    """

    def __init__(self, default_indent: str, default_newline: str) -> None:
        super().__init__(default_indent, default_newline)
        self.offset = 0
        self.ranges: Ranges = {}
        self.parents: Parents = {}
        self._begun: list[tuple[cst.CSTNode, int]] = []

    def add_indent_tokens(self) -> None:
        for token in self.indent_tokens:
            self.add_token(token)

    def add_token(self, value: str) -> None:
        self.tokens.append(value)
        self.offset += len(value)

    def pop_trailing_newline(self) -> None:
        if self.tokens:
            self.offset -= len(self.tokens.pop())

    def before_codegen(self, node: cst.CSTNode) -> None:
        if self._begun:
            self.parents[node] = self._begun[-1][0]
        self._begun.append((node, self.offset))

    def after_codegen(self, node: cst.CSTNode) -> None:
        _, begin = self._begun.pop()
        # A node that knows where it begins without its white space has said so already.
        if node not in self.ranges:
            self.ranges[node] = begin, self.offset

    def record_syntactic_position(
        self,
        node: cst.CSTNode,
        *,
        start_node: cst.CSTNode | None = None,
        end_node: cst.CSTNode | None = None,
    ) -> Any:
        return _Recorded(self, node, start_node, end_node)


class _Recorded:
    """A context in which the code of a node without its white space is written."""

    __slots__ = ("begin", "end_node", "node", "start_node", "state")

    def __init__(
        self,
        state: _CountingState,
        node: cst.CSTNode,
        start_node: cst.CSTNode | None,
        end_node: cst.CSTNode | None,
    ) -> None:
        self.state, self.node, self.start_node, self.end_node = state, node, start_node, end_node

    def __enter__(self) -> None:
        self.begin = self.state.offset

    def __exit__(self, *_: object) -> None:
        ranges = self.state.ranges
        begin = self.begin if self.start_node is None else ranges[self.start_node][0]
        end = self.state.offset if self.end_node is None else ranges[self.end_node][1]
        ranges[self.node] = begin, end
