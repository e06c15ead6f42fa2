"""Elements of global memory that are read again: by the same thread, by others, by the next iteration."""

from __future__ import annotations

import ast
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby
from typing import TypeAlias

from advisor.evidence.source.kernel_walk.affine_forms import Atoms, Form
from advisor.evidence.source.kernel_walk.kernel_facts import (
    Access,
    AtomicUse,
    KernelFacts,
    LoopContext,
    Place,
)
from advisor.evidence.source.warps.single_iterations import in_one_iteration
from advisor.evidence.source.warps.traffic_shares import leaves_the_loop
from advisor.program.launches.block_shape import BlockShape
from advisor.program.syntax.tree_nodes import below

_AXES = ("tid.x", "tid.y", "tid.z")
# The counters of loops, and the identity of a condition, 0 for none.
_Way: TypeAlias = tuple[tuple[str, ...], int]


def repeated_loads(facts: KernelFacts) -> set[int]:
    """The positions in `facts.accesses` of loads for which the compiler needs no access: the thread met the
    element before, on every way that leads there, and no store to global memory lies between.

    Whatever is stored may be the element, since arrays may overlap; so may what an atomic changes. Only other
    fields of the same record are known to lie elsewhere.
    """
    stores = [at for at, access in enumerate(facts.accesses) if _stores(access)]
    storing = {loop.counter for at in stores for loop in facts.accesses[at].place.loops}
    storing |= {loop.counter for atomic in facts.atomics for loop in atomic.place.loops}
    atomics = _FirstAtomics(facts.atomics)
    met: dict[object, dict[_Way, list[int]]] = defaultdict(lambda: defaultdict(list))
    found = set()
    for at, access in enumerate(facts.accesses):
        if access.array.space != "global" or not access.indices:
            continue
        element = (*access.element, field_of(access))
        same = met[element]
        ways = () if access.kind != "load" or atomics.may_precede(access) else _ways(access, storing)
        if any(_is_met_before(facts, same[way], at, stores) for way in ways if way in same):
            found.add(at)
        else:
            same[_way_of(access)].append(at)
    return found


def same_address_again(access: Access, depends: frozenset[str], facts: KernelFacts) -> bool:
    """Whether the innermost loop meets one address in each iteration, and not in one only; for an update also
    a loop further out, where the loops inside of it walk to their ends and do not search for the element.
    `depends` is what the indices depend on.
    """
    for loop in reversed(access.place.loops):
        if loop.counter not in depends:
            return not in_one_iteration(access.place, loop) and not _looked_up_anew(access, loop, facts)
        if access.kind != "update" or any(isinstance(one, ast.Break) for one in below(loop.node)):
            return False
    return False


def _looked_up_anew(access: Access, loop: LoopContext, facts: KernelFacts) -> bool:
    """Whether each iteration of a loop loads an index anew from memory that the loop may change: of an array
    that it stores to as well, as where each iteration fetches another part of a list, or by what is not seen.
    """
    forms = (index.form for index in access.indices)
    if not any(facts.atoms.loaded(one) and not facts.atoms.is_older(one, loop.counter) for one in forms):
        return False
    inside = [one for one in facts.accesses if loop in one.place.loops and one.array is not access.array]
    loaded = {id(one.array) for one in inside if one.kind != "store"}
    return facts.calls_unknown or any(one.kind != "load" and id(one.array) in loaded for one in inside)


def _way_of(access: Access) -> _Way:
    """The loops around an access, and the last condition on the way there."""
    place = access.place
    return tuple(loop.counter for loop in place.loops), id(place.conditions[-1]) if place.conditions else 0


def _ways(access: Access, storing: set[str]) -> Iterator[_Way]:
    """The ways to what an access may come from in the same turn of each loop that stores."""
    loops, _ = _way_of(access)
    conditions = (0, *map(id, access.place.conditions))
    for outer in range(len(loops), -1, -1):
        yield from ((loops[:outer], condition) for condition in conditions)
        if outer and loops[outer - 1] in storing:
            return


def _is_met_before(facts: KernelFacts, met: list[int], at: int, stores: list[int]) -> bool:
    """Whether what reaches an access has been at one of those that met its element, unchanged since."""
    for one in reversed(met):
        # What has changed since this one has changed since all before it.
        if _changed_between(facts, stores, one, at):
            return False
        if _leads_to(facts.accesses[one], facts.accesses[at]):
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


def _leads_to(before: Access, access: Access) -> bool:
    """Whether what reaches an access has been at the other one, whose loops are around both."""
    if before.place.node is access.place.node:
        # The body of a loop is walked twice; that is no second load.
        return False
    conditions = {id(condition) for condition in access.place.conditions}
    return all(id(condition) in conditions for condition in before.place.conditions)


def _changed_between(facts: KernelFacts, stores: list[int], before: int, at: int) -> bool:
    access = facts.accesses[at]
    between = range(bisect_right(stores, before), bisect_left(stores, at))
    return any(not _otherfield_of(facts.accesses[stores[number]], access) for number in between)


def _otherfield_of(store: Access, access: Access) -> bool:
    fields = {field_of(store), field_of(access)}
    return len(fields) == 2 and "" not in fields and store.element == access.element


class _FirstAtomics:
    """The first line of each file that has atomics of a kernel on other than shared memory."""

    def __init__(self, atomics: Iterable[AtomicUse]) -> None:
        self._lines: dict[int, int] = {}
        for atomic in atomics:
            if atomic.array is None or atomic.array.space != "shared":
                module, line = id(atomic.place.module), _line(atomic.place)
                self._lines[module] = min(line, self._lines.get(module, line))

    def may_precede(self, access: Access) -> bool:
        """Whether one may run before an access: by its line, unless it is in another file."""
        own, line = id(access.place.module), _line(access.place)
        return any(module != own or first <= line for module, first in self._lines.items())


def _line(place: Place) -> int:
    return getattr(place.node, "lineno", 0)


def block_axes(facts: KernelFacts, shapes: Sequence[BlockShape]) -> frozenset[str]:
    """The thread indices that the kernel uses and that differ within a block of every given shape."""
    sizes = [dict(zip(_AXES, (shape.x, shape.y, shape.z), strict=True)) for shape in shapes]
    used = {f"tid.{axis}" for axis in facts.thread_dimensions}
    return frozenset(axis for axis in used if all(size[axis] != 1 for size in sizes))


def loaded_by_many(facts: KernelFacts, axes: Collection[str]) -> frozenset[int]:
    """The positions in `facts.accesses` of loads in a loop that threads along one of `axes` do as well, where
    the loop does this with two arrays or more, as with the factors of a product of matrices.
    """
    found: dict[str, list[tuple[int, Access]]] = {}
    for position, access in enumerate(facts.accesses):
        if len(axes) > 1 and _same_for_an_axis(access, axes, facts.atoms):
            found.setdefault(access.place.loops[-1].counter, []).append((position, access))
    pairs = [group for group in found.values() if len({id(access.array) for _, access in group}) > 1]
    return frozenset(position for group in pairs for position, _ in group)


def _same_for_an_axis(access: Access, axes: Collection[str], atoms: Atoms) -> bool:
    """Whether the innermost loop loads what some of `axes`, and not all, have a part in."""
    if access.kind != "load" or access.array.space != "global" or not access.place.loops:
        return False
    depends: set[str] = set()
    for index in access.indices:
        depends |= atoms.depends(index.form)
    inside = depends & set(axes)
    return access.place.loops[-1].counter in depends and bool(inside) and inside < set(axes)


def carried_loads(facts: KernelFacts) -> frozenset[int]:
    """The positions in `facts.accesses` of loads of what the iteration before stored, as in running sums."""
    found: set[int] = set()
    numbered = [item for item in enumerate(facts.accesses) if item[1].place.loops]
    for _, group in groupby(sorted(numbered, key=_array_and_loop), key=_array_and_loop):
        accesses = list(group)
        stores = [one for _, one in accesses if one.kind != "load" and not leaves_the_loop(one.place)]
        stored = {tuple(i.form for i in one.indices) for one in stores}
        if not stored:
            continue
        for position, access in accesses:
            if access.kind == "load" and access.array.space == "global" and _next(access) in stored:
                found.add(position)
    return frozenset(found)


def _array_and_loop(item: tuple[int, Access]) -> tuple[int, str]:
    return id(item[1].array), item[1].place.loops[-1].counter


def _next(access: Access) -> tuple[Form, ...] | None:
    """The indices of the access one iteration later, with the loop as it counts; None where they stay."""
    counter = access.place.loops[-1].counter
    forms = tuple(_advanced(index.form, counter) for index in access.indices)
    return forms if forms != tuple(index.form for index in access.indices) else None


def _advanced(form: Form, counter: str) -> Form:
    """The form with the counter one higher, where it stands alone in its term."""
    steps = sum(coefficient for monomial, coefficient in form.terms if monomial == (counter,))
    return form + Form((((), steps),)) if steps else form
