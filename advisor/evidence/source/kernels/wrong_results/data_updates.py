"""Updates of elements that data choose: what speaks for several threads meeting in one."""

from __future__ import annotations

import ast

from advisor.evidence.source.kernel_walk.kernel_facts import Access, KernelFacts


def counts(access: Access) -> bool:
    """Whether an update adds a constant: of elements that are chosen once each there is nothing to count."""
    if access.kind != "update":
        return False
    statement = access.place.module.parents.get(access.place.node)
    if isinstance(statement, ast.AugAssign):
        return isinstance(statement.op, ast.Add | ast.Sub) and isinstance(statement.value, ast.Constant)
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.BinOp):
        return False
    sides = statement.value.left, statement.value.right
    return isinstance(statement.value.op, ast.Add | ast.Sub) and any(
        isinstance(one, ast.Constant) for one in sides
    )


def has_several_places(access: Access, facts: KernelFacts) -> bool:
    """Whether the thread updates the array at another place that data choose as well, as at both ends of an
    edge: no element would be chosen twice only if no two edges met.
    """
    others = (
        one
        for one in facts.accesses
        if one.kind == "update" and one.array is access.array and len(one.indices) == len(access.indices)
    )
    return access.kind == "update" and any(_chosen_apart(access, one, facts) for one in others)


def _chosen_apart(first: Access, second: Access, facts: KernelFacts) -> bool:
    atoms = facts.atoms
    pairs = [(a.form, b.form) for a, b in zip(first.indices, second.indices, strict=True) if a.form != b.form]
    return bool(pairs) and all(
        atoms.loaded(a) and atoms.loaded(b) and (a - b).constant is None for a, b in pairs
    )
