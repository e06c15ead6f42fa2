"""Changes of elements in which threads meet: by the number of the elements, and by a test before a store."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Mapping, Sequence

from advisor.evidence.source.kernel_walk.affine_forms import THREAD
from advisor.evidence.source.kernel_walk.kernel_facts import Access, KernelFacts
from advisor.model.compilation_unit import StatedLaunch
from advisor.model.records import Record
from advisor.program.launches.launched_as import LaunchedAs
from advisor.program.syntax.module import ModuleSyntax
from advisor.program.syntax.written_code import as_written

_ORDER = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_BLOCKS = frozenset({"bid.x", "bid.y", "bid.z"})
_POSITION = _BLOCKS.union(THREAD)
# Atomics whose results tell threads apart, as a lock does.
_EXCHANGES = frozenset({"cas", "compare_and_swap", "exch"})


def know_lost_updates(facts: KernelFacts, launched: LaunchedAs, records: Sequence[Record]) -> None:
    """Say of each access, whose record stands at its place, whether a launch has more threads than there are
    elements to choose from, and whether it stores to an element that was tested first.
    """
    locked = any(one.operation in _EXCHANGES for one in facts.atomics)
    loads: dict[int, list[Access]] = {}
    for one in facts.accesses:
        if one.kind == "load":
            loads.setdefault(id(one.place.node), []).append(one)
    for access, record in zip(facts.accesses, records, strict=True):
        tested = access.kind == "store" and not locked and _is_tested(access, loads)
        record.know("source", tested_then_stored=tested)
        if access.kind != "load":
            record.know("source", more_threads_than_elements=_are_more(access, facts, launched))


def _is_tested(store: Access, loads: Mapping[int, Sequence[Access]]) -> bool:
    """Whether a test by order around a store has loaded the element, and threads store different values;
    `loads` are those of the kernel by the identity of their nodes.
    """
    if not store.indices or store.value_depends.isdisjoint(_POSITION):
        return False
    return any(
        load.array is store.array and _is_same_element(load, store)
        for condition in store.place.conditions
        if not condition.exit
        for side in _sides(condition.node, store.place.module)
        for load in loads.get(id(side), ())
    )


def _is_same_element(load: Access, store: Access) -> bool:
    """Whether two accesses meet one element, by their indices or, where data chooses it, by their text."""
    if load.element == store.element:
        return True
    one, other = load.place.node, store.place.node
    return (
        isinstance(one, ast.Subscript)
        and isinstance(other, ast.Subscript)
        and as_written(one.value) == as_written(other.value)
        and as_written(one.slice) == as_written(other.slice)
    )


def _sides(test: ast.AST, module: ModuleSyntax) -> Iterable[ast.AST]:
    """What a test compares by order, names by what they are bound to."""
    for compare in ast.walk(test):
        if isinstance(compare, ast.Compare) and all(isinstance(one, _ORDER) for one in compare.ops):
            for side in (compare.left, *compare.comparators):
                yield side
                if isinstance(side, ast.Name):
                    yield from _bound_to(side, module)


def _bound_to(name: ast.Name, module: ModuleSyntax) -> Iterable[ast.AST]:
    scope = module.scope_of(name)
    if isinstance(scope, ast.FunctionDef):
        for target in module.stores(name.id, scope):
            statement = module.parents.get(target)
            if isinstance(statement, ast.Assign):
                yield statement.value


def _are_more(access: Access, facts: KernelFacts, launched: LaunchedAs) -> bool | None:
    """Whether more threads than there are elements choose one: those of the launch, or of each block that has
    elements of its own. A grid that is rounded up from the data's size grows with the data, while a number of
    elements that the source fixes does not. None where the source does not tell.
    """
    elements = _chosen_from(access, facts)
    if elements is None or not launched.stated:
        return None
    apart = {
        name
        for index in access.indices
        if not facts.atoms.loaded(index.form)
        for name in facts.atoms.depends(index.form)
    }
    by_block = access.array.space == "shared" or not apart.isdisjoint(_BLOCKS)
    threads = [_threads(one, by_block) for one in launched.stated]
    if any(one is not None and one > elements for one in threads):
        return True
    grows = not by_block and bool(launched.rounded_axes) and None in threads
    return True if grows else (None if None in threads else False)


def _chosen_from(access: Access, facts: KernelFacts) -> int | None:
    """How many elements there are for the indices that data chooses, None where that is not known."""
    sizes = access.array.dims or access.array.made
    if not access.indices or len(sizes) != len(access.indices):
        return None
    chosen = [
        size for size, index in zip(sizes, access.indices, strict=True) if facts.atoms.loaded(index.form)
    ]
    known = [one for one in chosen if one is not None]
    return math.prod(known) if known and len(known) == len(chosen) else None


def _threads(launch: StatedLaunch, by_block: bool) -> int | None:
    """The threads of a launch, or of one block of it."""
    sizes = [*(launch.block or (None,)), *(() if by_block else launch.grid or (None,))]
    known = [one for one in sizes if one is not None]
    return math.prod(known) if len(known) == len(sizes) else None
