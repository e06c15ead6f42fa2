"""Loops that fetch a tile into shared memory, wait for it and use it, before they fetch the next one."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from advisor.evidence.source.kernel_walk.kernel_facts import Access, KernelFacts, LoopUse
from advisor.program.names.host_definitions import position
from advisor.program.syntax.tree_nodes import below

_Position = tuple[int, int]


def stages_tile(loop: LoopUse, accesses: Sequence[Access], facts: KernelFacts) -> bool:
    """Whether each iteration stores what it loads from global memory to a shared array, passes a barrier of
    this loop, and reads the array behind it.

    A value that an earlier iteration loaded is a tile fetched ahead, as is a store to one half of the array
    while the other is read; neither counts. `accesses` are those in the loop.
    """
    node = loop.place.node
    if not facts.barriers or not isinstance(node, ast.For | ast.While):
        return False
    counter, module = loop.context.counter, loop.place.module
    inside = {id(access.place.node): access for access in accesses if access.place.module is module}
    barriers = [
        position(barrier.place.node)
        for barrier in facts.barriers
        if barrier.place.module is module
        and barrier.place.loops
        and barrier.place.loops[-1].counter == counter
    ]
    reads = [
        (id(access.array), position(access.place.node))
        for access in inside.values()
        if access.array.space == "shared" and access.kind == "load"
    ]
    return any(
        any(stored < barrier and any(a == array and barrier < at for a, at in reads) for barrier in barriers)
        for array, stored in _filled(node, inside)
    )


def _filled(loop: ast.For | ast.While, inside: dict[int, Access]) -> Iterator[tuple[int, _Position]]:
    """The shared arrays that the loop stores loaded elements to, by identity, and where."""
    fetched: set[str] = set()
    for statement in (one for part in loop.body for one in below(part)):
        if not isinstance(statement, ast.Assign):
            continue
        loaded = any(
            (access := inside.get(id(inner))) is not None
            and access.array.space == "global"
            and access.kind == "load"
            for inner in below(statement.value)
        )
        named = isinstance(statement.value, ast.Name) and statement.value.id in fetched
        for target in statement.targets:
            access = inside.get(id(target))
            if isinstance(target, ast.Name) and loaded:
                fetched.add(target.id)
            elif access is not None and access.array.space == "shared" and (loaded or named):
                yield id(access.array), position(target)
