"""Elements of global memory that a loop keeps in a register, since it meets nothing else."""

from __future__ import annotations

import ast

from advisor.evidence.source.kernel_walk.kernel_facts import Access, AtomicUse, KernelFacts, LoopContext
from advisor.program.syntax.tree_nodes import below


def stays_in_register(access: Access, facts: KernelFacts) -> bool:
    """Whether the innermost loop around a store or update meets this element alone, in each iteration: the
    compiler loads it before the loop and stores it behind, as no other array can overlap it there.
    """
    if access.kind == "load" or not access.place.loops or not facts.complete:
        return False
    loop = access.place.loops[-1]
    nodes = below(loop.node)
    inside = {id(one) for one in nodes if one is not loop.node}
    if any(isinstance(one, ast.Break | ast.Return | ast.Continue) for one in nodes):
        return False
    if any(id(condition.node) in inside for condition in access.place.conditions):
        return False
    depends: set[str] = set()
    for index in access.indices:
        depends |= facts.atoms.depends(index.form)
    uses: list[Access | AtomicUse] = [*facts.accesses, *facts.atomics]
    here = [one for one in uses if _is_in(one.place.loops, loop)]
    alone = all(isinstance(one, Access) and one.element == access.element for one in here)
    barriers = any(_is_in(one.place.loops, loop) for one in facts.barriers)
    return alone and not barriers and loop.counter not in depends


def _is_in(loops: tuple[LoopContext, ...], loop: LoopContext) -> bool:
    return any(one.node is loop.node for one in loops)
