"""Questions that a loop asks of its own counter and that its bounds could answer.

Where the whole body of a loop stands under `if 0 <= i + k < n`, the iterations that the question lets pass
are a run of neighbours: the loop can begin at the first of them and end at the last.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from advisor.evidence.source.kernel_walk.kernel_facts import BranchUse
from advisor.program.syntax.module import stored_names
from advisor.program.syntax.tree_nodes import below

Term: TypeAlias = tuple[int, ast.expr]

_PURE_CALLS = frozenset({"abs", "float", "int", "len", "max", "min"})
_STEADY = (
    ast.Attribute, ast.BinOp, ast.UnaryOp, ast.USub, ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod,
    ast.expr_context,
)  # fmt: skip
_FLIPPED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt,
    ast.LtE: ast.GtE,
    ast.Gt: ast.Lt,
    ast.GtE: ast.LtE,
}


@dataclass(frozen=True)
class CounterBound:
    """A bound of a loop's counter as a sum of terms, each with its sign: `counter < sum` where it is an upper
    one, else `counter >= sum`.
    """

    loop: ast.For
    upper: bool
    terms: tuple[Term, ...]


@dataclass(frozen=True)
class GuardedLoops:
    """Loops over `range`, the outermost first, each of which holds nothing but plain assignments and the next
    one, the last a question instead; the bounds that the question gives their counters, and what else it
    asks.

    `definitions` are the assignments by name, for names that are given a value once.
    """

    loops: tuple[ast.For, ...]
    bounds: tuple[CounterBound, ...]
    kept: tuple[ast.expr, ...]
    definitions: dict[str, ast.Assign]


def counter_bounds(branch: BranchUse) -> tuple[float, float | None]:
    """How many comparisons of a branch could be bounds of the loops around it, and the iterations of these
    loops where they are constant.
    """
    node = branch.place.node
    around = [one.node for one in branch.place.loops]
    found = guarded_loops(node, around) if isinstance(node, ast.If) else None
    if found is None:
        return 0.0, None
    first = min((found.loops.index(one.loop) for one in found.bounds), default=0)
    trips = {id(one.node): one.trip_count for one in branch.place.loops}
    iterations = 1.0
    for loop in found.loops[first:]:
        count = trips.get(id(loop))
        if count is None:
            return float(len(found.bounds)), None
        iterations *= count
    return float(len(found.bounds)), iterations


def guarded_loops(branch: ast.If, around: Sequence[ast.AST]) -> GuardedLoops | None:
    """The loops whose counters a branch bounds; None where it has an `else` or is not all that they hold.

    `around` are the loops around the branch, the outermost first.
    """
    loops: list[ast.For] = []
    inner: ast.stmt = branch
    for loop in reversed(around):
        if not isinstance(loop, ast.For) or not _counts_by_one(loop) or not _holds_only(loop, inner):
            break
        loops.insert(0, loop)
        inner = loop
    if branch.orelse or not loops:
        return None
    stores = Counter(
        name.id
        for name in below(loops[0])
        if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store | ast.Del)
    )
    counted = [loop for loop in loops if stores[counter_of(loop)] == 1]
    definitions = {
        line.targets[0].id: line
        for loop in loops
        for line in loop.body[:-1]
        if isinstance(line, ast.Assign)
        and isinstance(line.targets[0], ast.Name)
        and len(line.targets) == 1
        and stores[line.targets[0].id] == 1
    }
    bounds: list[CounterBound] = []
    kept: list[ast.expr] = []
    for part in _parts(branch.test):
        bound = _bound(part, counted, definitions)
        if bound is None:
            kept.append(part)
        else:
            bounds.append(bound)
    return GuardedLoops(tuple(loops), tuple(bounds), tuple(kept), definitions)


def counter_of(loop: ast.For) -> str:
    """The name of the counter of a loop."""
    assert isinstance(loop.target, ast.Name)
    return loop.target.id


def terms_of(node: ast.expr, definitions: dict[str, ast.Assign], sign: int = 1) -> list[Term]:
    """The terms of a sum, where names of `definitions` stand for what they are assigned."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        right = sign if isinstance(node.op, ast.Add) else -sign
        return [*terms_of(node.left, definitions, sign), *terms_of(node.right, definitions, right)]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        return terms_of(node.operand, definitions, -sign if isinstance(node.op, ast.USub) else sign)
    if isinstance(node, ast.Name) and node.id in definitions:
        return terms_of(definitions[node.id].value, definitions, sign)
    return [(sign, node)]


def is_steady(node: ast.expr, loop: ast.For) -> bool:
    """Whether a term of a bound is an integer's form that the loop does not change: made of names, numbers,
    sizes of arrays and products of them.
    """
    changed = stored_names(loop)
    for one in below(node):
        if isinstance(one, ast.Name):
            if one.id in changed:
                return False
        elif isinstance(one, ast.Constant):
            if type(one.value) is not int:
                return False
        elif isinstance(one, ast.Subscript):
            if not (isinstance(one.value, ast.Attribute) and one.value.attr == "shape"):
                return False
        elif not isinstance(one, _STEADY):
            return False
    return True


def _counts_by_one(loop: ast.For) -> bool:
    call = loop.iter
    return (
        isinstance(loop.target, ast.Name)
        and isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id == "range"
        and 1 <= len(call.args) <= 2
        and not call.keywords
        and not any(isinstance(one, ast.Starred) for one in call.args)
        and not loop.orelse
    )


def _holds_only(loop: ast.For, last: ast.stmt) -> bool:
    """Whether a loop holds plain assignments and one other statement, its last."""
    return loop.body[-1] is last and all(
        isinstance(line, ast.Assign)
        and all(isinstance(one, ast.Name) for one in line.targets)
        and not any(_does_more(one) for one in below(line))
        for line in loop.body[:-1]
    )


def _does_more(node: ast.AST) -> bool:
    """Whether a part of an expression may do more than give a value."""
    if isinstance(node, ast.Call):
        return not (isinstance(node.func, ast.Name) and node.func.id in _PURE_CALLS)
    return isinstance(node, ast.NamedExpr | ast.Yield | ast.YieldFrom | ast.Await)


def _parts(test: ast.expr) -> list[ast.expr]:
    """The comparisons that all have to hold, two of a chain one by one."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return [part for value in test.values for part in _parts(value)]
    if isinstance(test, ast.Compare) and len(test.ops) > 1:
        operands = [test.left, *test.comparators]
        if not any(_does_more(one) for operand in operands for one in below(operand)):
            return [
                ast.copy_location(ast.Compare(left, [op], [right]), test)
                for left, op, right in zip(operands, test.ops, operands[1:], strict=False)
            ]
    return [test]


def _bound(
    part: ast.expr, loops: Sequence[ast.For], definitions: dict[str, ast.Assign]
) -> CounterBound | None:
    """The bound that a comparison gives the counter of one of the loops."""
    if not isinstance(part, ast.Compare) or len(part.ops) != 1 or type(part.ops[0]) not in _FLIPPED:
        return None
    terms = [*terms_of(part.left, definitions), *terms_of(part.comparators[0], definitions, -1)]
    counters = {counter_of(loop): loop for loop in loops}
    hits = [
        (number, counters[node.id])
        for number, (_, node) in enumerate(terms)
        if isinstance(node, ast.Name) and node.id in counters
    ]
    # The counter of an outer loop stays the same in an inner one.
    for number, loop in reversed(hits):
        rest = terms[:number] + terms[number + 1 :]
        if all(is_steady(node, loop) for _, node in rest):
            sign = terms[number][0]
            kind = type(part.ops[0]) if sign > 0 else _FLIPPED[type(part.ops[0])]
            limit = [(-sign * one, node) for one, node in rest]
            if kind in (ast.Gt, ast.LtE):
                limit.append((1, ast.Constant(1)))
            return CounterBound(loop, kind in (ast.Lt, ast.LtE), tuple(limit))
    return None
