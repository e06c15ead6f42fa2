"""Names that loops of a fixed number of iterations count up, whose values are known behind them."""

from __future__ import annotations

import ast
from collections.abc import Callable

from advisor.evidence.source.kernel_walk.affine_forms import Form, atom, number
from advisor.evidence.source.kernel_walk.kernel_facts import LoopContext
from advisor.program.syntax.module import names_in, stored_names
from advisor.program.syntax.tree_nodes import below

# The number of iterations of a loop whose range holds none of the names, None where it is not fixed.
Iterations = Callable[[ast.For], int | None]


def step_of_inner_loops(
    loop: ast.For | ast.While, name: str, iterations: Iterations, whole: Callable[[ast.expr], int | None]
) -> int | None:
    """By how much each iteration of a loop raises a name that nothing in it changes but one `name += number`
    of inner loops, all of a fixed number of iterations; None for any other name.
    """
    changed = stored_names(loop)
    writes = [one for one in below(loop) if isinstance(one, ast.Name) and one.id == name and _is_stored(one)]
    if len(writes) != 1:
        return None
    total, around = 1, loop
    while True:
        inner = next((one for one in around.body if writes[0] in below(one)), None)
        if isinstance(inner, ast.For):
            times = None if names_in(inner.iter) & changed else iterations(inner)
            if times is None or inner.orelse or leaves_early(inner):
                return None
            total, around = total * times, inner
            continue
        if not isinstance(inner, ast.AugAssign) or not isinstance(inner.op, ast.Add | ast.Sub):
            return None
        step = None if names_in(inner.value) & changed else whole(inner.value)
        if around is loop or step is None or leaves_early(loop):
            return None
        return total * step if isinstance(inner.op, ast.Add) else -total * step


def value_behind(before: Form, after_one: Form, loop: LoopContext) -> Form | None:
    """The value that a loop leaves of a name with the value `before`, `after_one` at the end of each
    iteration: where it takes a constant step in a fixed number of iterations, else None.
    """
    if loop.trip_count is None or leaves_early(loop.node):
        return None
    raised = after_one - before
    step = raised.offset
    if raised != number(step) * atom(loop.counter) + number(step):
        return None
    return before + number(step * loop.trip_count)


def is_plain(node: ast.expr) -> bool:
    """Whether an expression is one of names and numbers, so that nothing is noted where it is evaluated."""
    if isinstance(node, ast.UnaryOp):
        return is_plain(node.operand)
    if isinstance(node, ast.BinOp):
        sums = isinstance(node.op, ast.Add | ast.Sub | ast.Mult)
        return sums and is_plain(node.left) and is_plain(node.right)
    return isinstance(node, ast.Name | ast.Constant)


def leaves_early(loop: ast.AST) -> bool:
    """Whether some iteration of a loop, or of one in it, may be left before its end."""
    return any(isinstance(one, ast.Break | ast.Continue) for one in below(loop))


def _is_stored(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)
