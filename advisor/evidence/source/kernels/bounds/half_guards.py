"""Guards that join the bounds of several axes by the wrong operator: one of them is enough to pass."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from advisor.evidence.source.kernel_walk.index_bounds import half_guards
from advisor.evidence.source.kernel_walk.kernel_facts import KernelFacts
from advisor.model.records import Record


def know_half_guards(facts: KernelFacts, records: Sequence[Record]) -> frozenset[ast.AST]:
    """The tests of such guards, said too of each access of global memory, whose record stands at its place,
    to which they let threads through that are outside of the array.
    """
    found: set[ast.AST] = set()
    for access, record in zip(facts.accesses, records, strict=True):
        guards = half_guards(access, facts.atoms) if access.array.space == "global" else []
        record.know("source", half_guarded=bool(guards))
        found.update(one.node for one in guards)
    return frozenset(found)
