"""Loops that draw random samples and add up what they see: no iteration needs another one."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from advisor.evidence.source.kernel_walk.kernel_facts import Access, LoopUse
from advisor.evidence.source.kernels.carried_values import reads_before
from advisor.program.syntax.calls import called_name
from advisor.program.syntax.module import stored_names
from advisor.program.syntax.tree_nodes import below

_DRAWS = ("xoroshiro128p_uniform", "xoroshiro128p_normal")


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
