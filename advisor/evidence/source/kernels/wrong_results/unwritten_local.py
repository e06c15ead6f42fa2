"""Reads of local arrays to which a kernel has stored nothing by then."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from advisor.evidence.source.kernel_walk.kernel_facts import Access, AccessGroups, Array, KernelFacts
from advisor.model.records import Record


def know_unwritten_reads(facts: KernelFacts, groups: AccessGroups, records: Sequence[Record]) -> None:
    """Say of each access, whose record stands at its place, whether it reads what nothing has stored."""
    told = {id(one) for one in _unwritten_reads(facts, groups)}
    for access, record in zip(facts.accesses, records, strict=True):
        record.know("source", unwritten=id(access) in told)


def _unwritten_reads(facts: KernelFacts, groups: AccessGroups) -> list[Access]:
    if not facts.complete or facts.calls_unknown:
        return []
    found = []
    for array in facts.arrays:
        uses = groups.of(array) if array.space == "local" and not array.parameter else []
        atomic = any(one.array is array for one in facts.atomics)
        if uses and not atomic and _is_followed(array) and _comes_first(uses[0], uses[1:]):
            found.append(uses[0])
    return found


def _comes_first(first: Access, others: Sequence[Access]) -> bool:
    """Whether an access that comes first in the text reads, also in the first iteration of its loops.

    An iteration before may store, where the text has the store behind the read. An update reads by itself.
    """
    if first.kind == "store":
        return False
    storing = {"store"} if first.kind == "update" else {"store", "update"}
    loops = {id(loop.node) for loop in first.place.loops}
    return not any(
        one.kind in storing and any(id(loop.node) in loops for loop in one.place.loops) for one in others
    )


def _is_followed(array: Array) -> bool:
    """Whether all uses of an array are known: its elements, and calls that it is handed to."""
    module = array.module
    function = module.function_around(array.node)
    if function is None or len(module.stores(array.name, function)) != 1:
        return False
    return all(_is_plain(name, module.parents) for name in module.loads(array.name, function))


def _is_plain(name: ast.Name, parents: Mapping[ast.AST, ast.AST]) -> bool:
    """Whether a name stands for an element, not for a field of one, or is handed to a call."""
    parent = parents.get(name)
    if isinstance(parent, ast.Call):
        return name in parent.args
    if not isinstance(parent, ast.Subscript) or parent.value is not name:
        return False
    return not isinstance(parents.get(parent), ast.Attribute)
