"""Where the statements of a scope lie in its text, and which of them a place lies in."""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

Position = tuple[int, int]

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
LOOPS = (ast.For, ast.AsyncFor, ast.While)
TRIES = (ast.Try, *((ast.TryStar,) if hasattr(ast, "TryStar") else ()))
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_DEFINITIONS = frozenset(DEFINITIONS)
_COMPOUND = frozenset({ast.If, *LOOPS, ast.With, ast.AsyncWith, ast.Match, *TRIES})
# These have no place of their own, only that of their parts.
_OF_PARTS = frozenset({ast.arguments, ast.withitem, ast.match_case, ast.comprehension})


@dataclass(frozen=True, slots=True, eq=False)
class PlacedStatement:
    """A statement, the one around it, and its number in its block."""

    node: ast.stmt
    around: PlacedStatement | None
    block: list[ast.stmt]
    number: int
    end: Position


class StatementPlaces:
    """The statements of a scope, without those of the functions and classes in it."""

    def __init__(self, body: list[ast.stmt]) -> None:
        found: list[tuple[Position, PlacedStatement]] = []
        _add(body, None, found)
        found.sort(key=lambda one: one[0])
        self._begins = [place for place, _ in found]
        self._statements = [statement for _, statement in found]
        jumps = (one for one in self._statements if isinstance(one.node, ast.Break | ast.Continue))
        self._left_by = {(_loop_of(one), type(one.node)) for one in jumps}

    def at(self, place: Position) -> PlacedStatement | None:
        """The innermost statement that a place lies in."""
        number = bisect_right(self._begins, place) - 1
        found = self._statements[number] if number >= 0 else None
        while found is not None and place >= found.end:
            found = found.around
        return found

    def is_left_by(self, loop: ast.stmt, kind: type[ast.Break | ast.Continue]) -> bool:
        """Whether a loop of the scope is left, or gone on with, from within its body."""
        return (loop, kind) in self._left_by


def _loop_of(jump: PlacedStatement) -> ast.stmt | None:
    """The loop that a `break` or `continue` belongs to; what stands behind a loop's `else` is not in it."""
    inner, around = jump, jump.around
    while around is not None:
        if isinstance(around.node, LOOPS) and inner.block is around.node.body:
            return around.node
        inner, around = around, around.around
    return None


def _add(
    block: list[ast.stmt], around: PlacedStatement | None, found: list[tuple[Position, PlacedStatement]]
) -> None:
    for number, node in enumerate(block):
        one = PlacedStatement(node, around, block, number, end(node))
        found.append((begin(node), one))
        if node.__class__ in _COMPOUND:
            for inner in blocks(node):
                _add(inner, one, found)


def begin(node: ast.AST) -> Position:
    """The line and column where a node begins, its decorators included."""
    kind = node.__class__
    if kind in _DEFINITIONS:
        decorators: list[ast.expr] = node.decorator_list  # type: ignore[attr-defined]
        node = decorators[0] if decorators else node
    elif kind in _OF_PARTS:
        return min((begin(one) for one in ast.iter_child_nodes(node)), default=(0, 0))
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def end(node: ast.AST) -> Position:
    """The line and column behind a node."""
    if node.__class__ in _OF_PARTS:
        return max((end(one) for one in ast.iter_child_nodes(node)), default=(0, 0))
    return getattr(node, "end_lineno", None) or 0, getattr(node, "end_col_offset", None) or 0


def holds(node: ast.AST, place: Position) -> bool:
    """Whether a place lies in a node."""
    return begin(node) <= place < end(node)


def blocks(around: ast.AST) -> Iterator[list[ast.stmt]]:
    """The blocks of statements that a module, a statement or a part of one consists of."""
    for field in ("body", "orelse", "finalbody"):
        yield getattr(around, field, [])
    for part in (*getattr(around, "handlers", ()), *getattr(around, "cases", ())):
        yield part.body


def nodes_around(statement: ast.stmt, place: Position) -> Iterator[ast.AST]:
    """The nodes that a place lies in, from a statement to the innermost."""
    node: ast.AST | None = statement
    while node is not None:
        yield node
        node = _child_at(node, place)


def _child_at(node: ast.AST, place: Position) -> ast.AST | None:
    """The part of a node that a place lies in."""
    for block in blocks(node) if isinstance(node, ast.stmt) else ():
        if inner := _statement_at(block, place):
            return inner
    return next((one for one in ast.iter_child_nodes(node) if holds(one, place)), None)


def _statement_at(block: Sequence[ast.stmt], place: Position) -> ast.stmt | None:
    """The statement of a block that a place lies in."""
    number = bisect_right(block, place, key=begin) - 1
    return block[number] if number >= 0 and place < end(block[number]) else None
