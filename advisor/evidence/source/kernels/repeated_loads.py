"""Loads of elements whose value a register holds already."""

from __future__ import annotations

import ast
from bisect import bisect_left, bisect_right
from collections import defaultdict

from advisor.evidence.source.kernel_walk.kernel_facts import Access, AtomicUse, KernelFacts


def repeated_loads(facts: KernelFacts) -> set[int]:
    """The positions in `facts.accesses` of loads for which the compiler needs no access: the thread met the
    element before, on every way that leads there, and no store to global memory lies between.

    Whatever is stored may be the element, since arrays may overlap; so may what an atomic changes. Only other
    fields of the same record are known to lie elsewhere.
    """
    stores = [at for at, access in enumerate(facts.accesses) if _stores(access)]
    storing = {loop.counter for at in stores for loop in facts.accesses[at].place.loops}
    storing |= {loop.counter for atomic in facts.atomics for loop in atomic.place.loops}
    met: dict[object, list[int]] = defaultdict(list)
    found = set()
    for at, access in enumerate(facts.accesses):
        if access.array.space != "global" or not access.indices:
            continue
        element = (*access.element, field_of(access))
        if access.kind == "load" and _is_met_before(facts, met[element], at, stores, storing):
            found.add(at)
        else:
            met[element].append(at)
    return found


def _is_met_before(facts: KernelFacts, met: list[int], at: int, stores: list[int], storing: set[str]) -> bool:
    """Whether what reaches an access has been at one of those that met its element, unchanged since."""
    for one in reversed(met):
        # What has changed since this one has changed since all before it.
        if _changed_between(facts, stores, one, at):
            return False
        if _leads_to(facts.accesses[one], facts.accesses[at], storing):
            return True
    return False


def _stores(access: Access) -> bool:
    return access.kind != "load" and access.array.space == "global"


def field_of(access: Access) -> str:
    """The field of a record that an access names, "" for a plain element."""
    node = access.place.node
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return node.slice.value if isinstance(node.slice.value, str) else ""
    return ""


def _leads_to(before: Access, access: Access, storing: set[str]) -> bool:
    """Whether what reaches an access has been at the other one, in the same turn of each loop that stores."""
    if before.place.node is access.place.node:
        # The body of a loop is walked twice; that is no second load.
        return False
    around = [loop.counter for loop in before.place.loops]
    loops = [loop.counter for loop in access.place.loops]
    if around != loops[: len(around)] or storing.intersection(loops[len(around) :]):
        return False
    conditions = {id(condition) for condition in access.place.conditions}
    return all(id(condition) in conditions for condition in before.place.conditions)


def _changed_between(facts: KernelFacts, stores: list[int], before: int, at: int) -> bool:
    access = facts.accesses[at]
    between = stores[bisect_right(stores, before) : bisect_left(stores, at)]
    if any(not _otherfield_of(facts.accesses[store], access) for store in between):
        return True
    return any(_may_precede(atomic, access) for atomic in facts.atomics)


def _otherfield_of(store: Access, access: Access) -> bool:
    fields = {field_of(store), field_of(access)}
    return len(fields) == 2 and "" not in fields and store.element == access.element


def _may_precede(atomic: AtomicUse, access: Access) -> bool:
    """Whether an atomic may run before an access: by its line, unless both are of different functions."""
    one, other = atomic.place, access.place
    if one.module is not other.module or (atomic.array is not None and atomic.array.space == "shared"):
        return atomic.array is None or atomic.array.space != "shared"
    return getattr(one.node, "lineno", 0) <= getattr(other.node, "lineno", 0)
