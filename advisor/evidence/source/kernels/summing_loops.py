"""Loops that leave nothing but sums, products, minima or maxima behind, of elements or random samples.

More threads could share their iterations.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from advisor.evidence.source.kernel_walk.affine_forms import THREAD
from advisor.evidence.source.kernel_walk.kernel_facts import Access, KernelFacts, LoopUse
from advisor.evidence.source.kernel_walk.kernel_loops import loop_dependences
from advisor.evidence.source.kernels.carried_values import reads_before
from advisor.evidence.source.warps.thread_use import single_thread
from advisor.program.syntax.calls import called_name
from advisor.program.syntax.module import stored_names
from advisor.program.syntax.tree_nodes import below

_DRAWS = ("xoroshiro128p_uniform", "xoroshiro128p_normal")
_CHOICES = frozenset({"max", "min", "fmax", "fmin"})


def sums_elements(loop: LoopUse, inside: Sequence[Access], facts: KernelFacts) -> bool:
    """Whether an outermost loop reads an element of the kernel's arrays in each iteration and leaves nothing
    but sums, products, minima or maxima behind, so that several threads could each do a part; `inside` are
    the accesses in the loop.
    """
    node, counter = loop.place.node, loop.context.counter
    if loop.place.loops or not isinstance(node, ast.For | ast.While):
        return False
    if loop.context.trips_loaded or any(one.kind != "load" for one in inside):
        return False
    if any(around.counter == counter for atomic in facts.atomics for around in atomic.place.loops):
        return False
    walks = any(
        one.array.parameter and any(counter in facts.atoms.depends(index.form) for index in one.indices)
        for one in inside
    )
    return walks and _leaves_only_sums(node)


def summed_alike(loop: LoopUse, inside: Sequence[Access], facts: KernelFacts) -> str:
    """Which threads all sum the same elements in a loop, `grid` or `block`, of an array whose elements the
    threads share out at another place; `thread` where one does it for the others, empty for any other loop.
    """
    # What a thread or a block has in an array of its own is another thing for each.
    own = any(not one.array.parameter for one in inside)
    if own or not sums_elements(loop, inside, facts):
        return ""
    depends = loop.takes.union(loop.context.trips, *(_depends(one, facts) for one in inside))
    if not depends.isdisjoint(THREAD):
        return ""
    walked = {id(one.array) for one in inside if one.array.parameter}
    others = [one for one in facts.accesses if one not in inside and id(one.array) in walked]
    if all(_depends(one, facts).isdisjoint(THREAD) for one in others):
        return ""
    if _of_some_threads(loop):
        return "thread"
    return "block" if any(name.startswith("bid.") for name in depends) else "grid"


def _of_some_threads(loop: LoopUse) -> bool:
    """Whether a loop is for single lanes or threads."""
    return single_thread(loop.place) or any(one.single_lane for one in loop.place.conditions)


def _depends(access: Access, facts: KernelFacts) -> frozenset[str]:
    return frozenset().union(*(facts.atoms.depends(index.form) for index in access.indices))


def draws_samples(loop: LoopUse, inside: Sequence[Access]) -> bool:
    """Whether each iteration draws random numbers, asks neither for the counter nor for what another one
    left, and leaves nothing but sums behind, so that any number of threads could share the iterations;
    `inside` are the accesses in the loop.
    """
    node = loop.place.node
    if not isinstance(node, ast.For) or any(one.kind != "load" for one in inside):
        return False
    parts = [inner for statement in node.body for inner in below(statement)]
    if any(isinstance(one, ast.Break | ast.Return) for one in parts):
        return False
    return any(called_name(one).startswith(_DRAWS) for one in parts) and not _needs_another(node, parts)


def _needs_another(loop: ast.For, parts: Sequence[ast.AST]) -> bool:
    sums = {
        one.target.id
        for one in parts
        if isinstance(one, ast.AugAssign) and isinstance(one.op, ast.Add) and isinstance(one.target, ast.Name)
    }
    if any(isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load) and one.id in sums for one in parts):
        return True
    bound = {name for statement in loop.body for name in stored_names(statement)}
    return reads_before(loop.body, (bound | stored_names(loop.target)) - sums, set())


def _leaves_only_sums(loop: ast.For | ast.While) -> bool:
    parts = [inner for statement in loop.body for inner in below(statement)]
    if any(isinstance(one, ast.Break | ast.Return) for one in parts):
        return False
    steps = set(loop_dependences(loop).steps)
    counters = stored_names(loop.target) if isinstance(loop, ast.For) else _names(loop.test) & steps
    if not counters:
        return False
    kept = [sum_of(one) for one in parts if isinstance(one, ast.Assign | ast.AugAssign)]
    sums = {name for name in kept if name} - counters
    reads = sum(
        isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load) and one.id in sums for one in parts
    )
    # `s = max(s, x)` reads the name once, `s += x` not at all.
    expected = sum(isinstance(one, ast.Assign) and sum_of(one) in sums for one in parts)
    bound = {name for statement in loop.body for name in stored_names(statement)}
    return bool(sums) and reads == expected and not reads_before(loop.body, bound - sums - counters, set())


def sum_of(statement: ast.Assign | ast.AugAssign) -> str:
    """The name that a statement adds to, multiplies, or keeps the larger or smaller of; empty for none."""
    target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
    if not isinstance(target, ast.Name):
        return ""
    if isinstance(statement, ast.AugAssign):
        return target.id if isinstance(statement.op, ast.Add | ast.Sub | ast.Mult) else ""
    value = statement.value
    if len(statement.targets) != 1 or not isinstance(value, ast.Call | ast.BinOp):
        return ""
    if isinstance(value, ast.BinOp):
        operands = [value.left, value.right] if isinstance(value.op, ast.Add | ast.Mult) else [value.left]
        known = isinstance(value.op, ast.Add | ast.Sub | ast.Mult)
    else:
        operands, known = value.args, called_name(value) in _CHOICES
    return target.id if known and any(_is_name(one, target.id) for one in operands) else ""


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _names(node: ast.expr) -> set[str]:
    return {one.id for one in below(node) if isinstance(one, ast.Name)}
