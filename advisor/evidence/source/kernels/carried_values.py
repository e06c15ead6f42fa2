"""Which names an iteration of a loop may read as the one before it left them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from advisor.program.syntax.module import stored_names
from advisor.program.syntax.tree_nodes import below


def carries_values(loop: ast.For) -> bool:
    """Whether an iteration may read a name that the one before has bound."""
    bound: set[str] = set()
    for statement in loop.body:
        bound |= stored_names(statement)
    return reads_before(loop.body, bound, stored_names(loop.target))


def reads_before(body: Sequence[ast.stmt], bound: set[str], known: set[str]) -> bool:
    """Whether a body may read one of the `bound` names before it binds it; adds to `known` what it binds."""
    for statement in body:
        if isinstance(statement, ast.If | ast.For | ast.While):
            head = statement.iter if isinstance(statement, ast.For) else statement.test
            target = stored_names(statement.target) if isinstance(statement, ast.For) else set()
            first, second = known | target, set(known)
            if (
                _reads([head], bound - known)
                or reads_before(statement.body, bound, first)
                or reads_before(statement.orelse, bound, second)
            ):
                return True
            if isinstance(statement, ast.If):
                known |= first & second
            continue
        if isinstance(statement, ast.AugAssign) and _reads([statement.target], bound - known, stored=True):
            return True
        if _reads([statement], bound - known):
            return True
        known |= stored_names(statement)
    return False


def _reads(nodes: Iterable[ast.AST], names: set[str], stored: bool = False) -> bool:
    return any(
        isinstance(inner, ast.Name)
        and inner.id in names
        and (isinstance(inner.ctx, ast.Load) or (stored and inner is node))
        for node in nodes
        for inner in below(node)
    )
