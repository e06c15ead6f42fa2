"""Python's own tree of a module beside LibCST's: offsets of its nodes, and the nodes at the same place."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeVar

import libcst as cst

from advisor.fixes.support.edits.source_module import SourceModule

_Node = TypeVar("_Node", bound=cst.CSTNode)


class SyntaxPlaces:
    """The `ast` tree of a module that LibCST has read, by offsets into its text."""

    def __init__(self, module: SourceModule) -> None:
        self._module, self._tree = module, ast.parse(module.text)

    def begin(self, node: ast.expr | ast.stmt) -> int:
        """The offset where a node begins."""
        return self._offset(node.lineno, node.col_offset)

    def end(self, node: ast.expr | ast.stmt) -> int:
        """The offset where a node ends."""
        assert node.end_lineno is not None and node.end_col_offset is not None
        return self._offset(node.end_lineno, node.end_col_offset)

    def _offset(self, line: int, column: int) -> int:
        """Columns of `ast` count bytes of UTF-8."""
        start = self._module.offset(line, 0)
        text = self._module.text[start : start + column]
        return start + (column if text.isascii() else len(text.encode()[:column].decode(errors="ignore")))

    def at(self, kind: type[_Node], node: ast.expr | ast.stmt) -> _Node | None:
        """The outermost LibCST node of a kind that begins where a node does and ends not before it."""
        begin, end = self.begin(node), self.end(node)
        text = len(self._module.text)
        found = self._module.nodes_between(kind, begin, text)
        here = [one for one in found if self._module.range_of(one)[0] == begin]
        return next((one for one in here if self._module.range_of(one)[1] >= end), None)

    def questions(self) -> Iterator[tuple[ast.If, list[ast.AST]]]:
        """Each `if` of the module with the nodes around it, the outermost first, up to its function."""
        waiting: list[tuple[ast.AST, list[ast.AST]]] = [(self._tree, [])]
        while waiting:
            node, around = waiting.pop()
            if isinstance(node, ast.If):
                yield node, around
            function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda)
            inner = [] if function else [*around, node]
            waiting += [(child, inner) for child in ast.iter_child_nodes(node)]

    def has_long_text(self, node: ast.AST) -> bool:
        """Whether a text in a node runs over several lines."""
        return any(
            isinstance(one, ast.Constant | ast.JoinedStr) and one.end_lineno != one.lineno
            for one in ast.walk(node)
        )
