"""Range tests that decide nothing: their halves cover all numbers, or none."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterator
from itertools import combinations
from typing import Literal, NamedTuple

from advisor.evidence.source.warps.thread_use import is_given_size
from advisor.program.syntax.module import ModuleSyntax
from advisor.program.syntax.written_code import as_written

Outcome = Literal["holds", "fails"]
_ASCENDING = ast.Lt | ast.LtE
_DESCENDING = ast.Gt | ast.GtE


class _Half(NamedTuple):
    """A comparison of something with a bound: below it, or from it on, `strict` without the bound itself."""

    tested: Hashable
    below: bool
    strict: bool
    bound: ast.expr


def range_test_outcome(test: ast.AST, module: ModuleSyntax) -> Outcome | None:
    """What a test, or a part of it, always does: `i >= 0 or i < n` holds for each `i`, `i < 0 and i >= n` for
    none; None where that is not certain.
    """
    for inner in ast.walk(test):
        if isinstance(inner, ast.BoolOp):
            halves = [half for value in inner.values for half in _halves(value)]
            outcome: Outcome = "holds" if isinstance(inner.op, ast.Or) else "fails"
            if any(_leave_nothing(*pair, outcome, module) for pair in combinations(halves, 2)):
                return outcome
    return None


def _halves(test: ast.expr) -> Iterator[_Half]:
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return
    left, operator, right = test.left, test.ops[0], test.comparators[0]
    if isinstance(operator, _ASCENDING | _DESCENDING):
        below, strict = isinstance(operator, _ASCENDING), isinstance(operator, ast.Lt | ast.Gt)
        yield _Half(as_written(left), below, strict, right)
        yield _Half(as_written(right), not below, strict, left)


def _leave_nothing(one: _Half, other: _Half, outcome: Outcome, module: ModuleSyntax) -> bool:
    """Whether two comparisons of one number in opposite directions cover all numbers, or share none."""
    if one.tested != other.tested or one.below == other.below:
        return False
    lower, upper = (other, one) if one.below else (one, other)
    if outcome == "holds":
        # From the lower bound on, or below the upper one.
        return _is_at_most(lower.bound, upper.bound, module, apart=lower.strict and upper.strict)
    return _is_at_most(upper.bound, lower.bound, module, apart=not (lower.strict or upper.strict))


def _is_at_most(low: ast.expr, high: ast.expr, module: ModuleSyntax, apart: bool) -> bool:
    """Whether one bound is at most another for certain, or below it where they have to be `apart`."""
    lowest, highest = written_number(low), written_number(high)
    if lowest is not None and highest is not None:
        return lowest < highest if apart else lowest <= highest
    return lowest is not None and lowest <= (-1 if apart else 0) and is_given_size(high, module)


def written_number(node: ast.expr) -> float | None:
    """Return the number that stands there, None for anything else."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = written_number(node.operand)
        return None if inner is None else -inner
    known = isinstance(node, ast.Constant) and type(node.value) in (int, float)
    return node.value if known and isinstance(node, ast.Constant) else None  # type: ignore[return-value]
