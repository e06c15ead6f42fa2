"""Elements of global memory that threads or iterations read again: what a tile or a register would save."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import groupby

from advisor.evidence.source.kernel_walk.affine_forms import Atoms, Form
from advisor.evidence.source.kernel_walk.kernel_facts import Access, KernelFacts
from advisor.program.launches.block_shape import BlockShape

_AXES = ("tid.x", "tid.y", "tid.z")


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
        stored = {tuple(i.form for i in one.indices) for _, one in accesses if one.kind != "load"}
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
