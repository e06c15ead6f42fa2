"""What one iteration of a loop does at most: behind its end, or where its own counter has one value."""

from __future__ import annotations

import ast

from advisor.evidence.source.kernel_walk.kernel_facts import Condition, LoopContext, Place
from advisor.evidence.source.warps.traffic_shares import leaves_the_loop
from advisor.program.syntax.module import names_in
from advisor.program.syntax.tree_nodes import below


def in_one_iteration(place: Place, loop: LoopContext) -> bool:
    """Whether at most one iteration of a loop around a place gets there: one in which the counter equals what
    the loop does not change, or the one that ends the loop.
    """
    return leaves_the_loop(place) or any(_picks_one(condition, loop) for condition in place.conditions)


def _picks_one(condition: Condition, loop: LoopContext) -> bool:
    if condition.exit or not isinstance(loop.node, ast.For) or not isinstance(loop.node.target, ast.Name):
        return False
    counter = loop.node.target.id
    changed = {
        one.id for one in below(loop.node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
    }
    tests = [condition.node]
    joined = ast.Or if condition.negated else ast.And
    if isinstance(condition.node, ast.BoolOp) and isinstance(condition.node.op, joined):
        tests = [*condition.node.values]
    return any(_compares(test, counter, changed, negated=condition.negated) for test in tests)


def _compares(test: ast.AST, counter: str, changed: set[str], *, negated: bool) -> bool:
    """Whether a test holds (or fails, `negated`) for one value of the counter only."""
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return False
    if not isinstance(test.ops[0], ast.NotEq if negated else ast.Eq):
        return False
    sides = test.left, test.comparators[0]
    return any(
        _follows(one, counter, changed) and not names_in(other) & changed and _is_plain(other)
        for one, other in (sides, sides[::-1])
    )


def _follows(side: ast.expr, counter: str, changed: set[str]) -> bool:
    """Whether a side is the counter itself, or differs from it by what the loop does not change."""
    if isinstance(side, ast.BinOp) and isinstance(side.op, ast.Add | ast.Sub):
        first, second = side.left, side.right
        return any(
            _follows(one, counter, changed) and not names_in(other) & changed and _is_plain(other)
            for one, other in ((first, second), (second, first))
        )
    return isinstance(side, ast.Name) and side.id == counter


def _is_plain(side: ast.expr) -> bool:
    """Whether a side has nothing but names, sizes and numbers, so that it changes with its names alone."""
    kinds = ast.Name | ast.Constant | ast.BinOp | ast.UnaryOp | ast.Attribute
    parts = (one for one in below(side) if isinstance(one, ast.expr))
    return all(isinstance(one, kinds) or _is_size(one) for one in parts)


def _is_size(side: ast.expr) -> bool:
    of = side.value if isinstance(side, ast.Subscript) else None
    return isinstance(of, ast.Attribute) and of.attr == "shape"
