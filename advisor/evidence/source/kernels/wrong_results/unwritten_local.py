"""Reads of local arrays to which a kernel has stored nothing by then."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from advisor.evidence.source.kernel_walk.kernel_facts import Access, AccessGroups, Array, KernelFacts
from advisor.model.records import Record
from advisor.program.syntax.statement_places import begin
from advisor.program.syntax.tree_nodes import below


def know_unwritten_reads(facts: KernelFacts, groups: AccessGroups, records: Sequence[Record]) -> None:
    """Say of each access, whose record stands at its place, whether it reads what nothing has stored."""
    told = {(id(one.place.node), id(one.array)) for one in _unwritten_reads(facts, groups)}
    for access, record in zip(facts.accesses, records, strict=True):
        record.know("source", unwritten=(id(access.place.node), id(access.array)) in told)


def _unwritten_reads(facts: KernelFacts, groups: AccessGroups) -> list[Access]:
    if not facts.complete or facts.calls_unknown:
        return []
    found = []
    for array in facts.arrays:
        uses = _once(groups.of(array)) if array.space == "local" and not array.parameter else []
        atomic = any(one.array is array for one in facts.atomics)
        if not uses or atomic or not _is_followed(array):
            continue
        if _comes_first(uses[0], uses[1:]):
            found.append(uses[0])
        else:
            found += [one[0] for one in _by_element(uses) if _comes_first(one[0], one[1:])]
    return found


def _once(uses: Sequence[Access]) -> list[Access]:
    """Each access once, where the walk came to it last: before the body of a loop it looks at its sums."""
    last = {id(one.place.node): number for number, one in enumerate(uses)}
    return [uses[number] for number in sorted(last.values())]


def _by_element(uses: Sequence[Access]) -> list[list[Access]]:
    """The accesses of each element, in order; none where an index is no number, and may be that of any."""
    groups: dict[str, list[Access]] = {}
    for one in uses:
        node = one.place.node
        if not isinstance(node, ast.Subscript) or one.whole or not _is_number(node.slice):
            return []
        if not isinstance(node.value, ast.Name) or node.value.id != one.array.name:
            return []
        groups.setdefault(ast.unparse(node.slice), []).append(one)
    return list(groups.values())


def _is_number(index: ast.expr) -> bool:
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    return all(isinstance(one, ast.Constant) and type(one.value) is int for one in parts)


def _comes_first(first: Access, others: Sequence[Access]) -> bool:
    """Whether an access that comes first in the text reads what nothing has stored, in the first iteration of
    its loops.

    An iteration before may have stored it, where the text has the store behind the read, and something keeps
    the first iteration from reading. An update reads by itself.
    """
    if first.kind == "store":
        return False
    storing = {"store"} if first.kind == "update" else {"store", "update"}
    loops = {id(loop.node) for loop in first.place.loops}
    behind = [
        [loop.node for loop in one.place.loops if id(loop.node) in loops]
        for one in others
        if one.kind in storing
    ]
    return all(len(around) in (0, len(loops)) for around in behind) and all(
        _is_read_at_once(first, around[0]) for around in behind if around
    )


def _is_read_at_once(access: Access, loop: ast.AST) -> bool:
    """Whether each iteration of a loop comes to an access, whatever it finds."""
    module, node = access.place.module, access.place.node
    ways_out = (ast.Continue, ast.Break, ast.Return)
    if any(begin(one) < begin(node) for one in below(loop) if isinstance(one, ways_out)):
        return False
    while node is not loop:
        around = module.parents.get(node)
        if around is None or isinstance(around, ast.If | ast.IfExp | ast.BoolOp):
            return False
        node = around
    return True


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
