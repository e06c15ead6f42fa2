"""How far the threads of one launch reach along the axes of the arrays that it passes, where the source fixes
its grid, its block and their sizes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from advisor.evidence.source.kernel_walk.affine_forms import Form, position_along
from advisor.evidence.source.kernel_walk.kernel_facts import Access, Condition, KernelFacts
from advisor.model.compilation_unit import ArgumentValue, StatedLaunch

_AXES = "xyz"
_POSITIONS = ("tid.", "bid.")


@dataclass(frozen=True)
class Reach:
    """The threads of a launch along an axis of its grid, and how many of them the kernel has work for, by the
    conditions around an access of an array; where it is not `guarded` by any, by the size of the array.
    """

    array: str
    axis: str
    threads: int
    wanted: int
    guarded: bool = True


def elements_without_thread(facts: KernelFacts, launch: StatedLaunch) -> Reach | None:
    """The axis along which a launch has the smallest part of the threads that the kernel's conditions let
    through, where each takes the element at its own position; None where there are enough on all axes.
    """
    sizes = sizes_of(facts.declaration.parameters, launch.arguments)
    threads = threads_along(launch)
    short = [
        reach
        for axis in threads
        for reach in elements_of_positions(facts, axis, threads[axis], sizes)
        if reach.threads < reach.wanted
    ]
    return min(short, key=lambda one: one.threads / one.wanted, default=None)


def threads_along(launch: StatedLaunch) -> dict[str, int]:
    """The threads of a launch along each axis of its grid, as far as they are known."""
    if launch.grid is None or launch.block is None:
        return {}
    blocks, threads = ([*sizes, 1, 1][:3] for sizes in (launch.grid, launch.block))
    found = zip(_AXES, blocks, threads, strict=True)
    return {axis: count * size for axis, count, size in found if count is not None and size is not None}


def sizes_of(parameters: Sequence[str], arguments: Sequence[Sequence[ArgumentValue]]) -> dict[str, int]:
    """What the numbers and the sizes of arrays are that a launch passes, by the names that the walk through
    the kernel has for them.
    """
    found: dict[str, int] = {}
    for name, values in zip(parameters, arguments, strict=False):
        for value in values:
            if value.item:
                continue
            if value.number is not None and value.number.is_integer():
                found[name] = int(value.number)
            shape = value.shape or ()
            known = [size for size in shape if size is not None]
            found |= {f"{name}.shape[{axis}]": size for axis, size in enumerate(shape) if size is not None}
            if known and len(known) == len(shape):
                found[f"{name}.size"] = math.prod(known)
    return found


def elements_of_positions(
    facts: KernelFacts, axis: str, threads: int, sizes: Mapping[str, int]
) -> Iterator[Reach]:
    """The arrays of which each thread takes the element at its own position along an axis, and no other."""
    if not facts.complete:
        return
    given = [one for one in facts.accesses if one.array.parameter]
    # What a kernel stores it is launched for; of an array that it only reads it may need a part.
    stores = [one for one in given if one.kind != "load"]
    by_array: dict[str, list[Access]] = {}
    for access in stores or given:
        by_array.setdefault(access.array.name, []).append(access)
    for name, used in by_array.items():
        beside = [(one, _beside_position(one, axis)) for one in used]
        if any(place is None for _, place in beside):
            continue
        ends = [_end(name, place, sizes) for _, place in beside if place is not None]
        limits = [_last_thread(one, axis, sizes) for one in used]
        guarded = [_least(one, end) for one, end in zip(limits, ends, strict=True) if one is not None]
        if guarded:
            yield Reach(name, axis, threads, max(guarded))
        elif not any(_asks_for_position(one.place.conditions) for one in used):
            known = [one for one in ends if one is not None]
            if known:
                yield Reach(name, axis, threads, max(known), guarded=False)


def _least(last: int, end: int | None) -> int:
    """How many positions there are, by the last one that conditions allow and the size of the array."""
    return last + 1 if end is None else min(last + 1, end)


def _beside_position(access: Access, axis: str) -> tuple[int, int] | None:
    """The index of an access that is the thread's position along an axis, and how far it is beside that; None
    where no index is.
    """
    for dimension, index in enumerate(access.indices):
        beside = (index.form - position_along(axis)).constant
        if beside is not None:
            return dimension, beside
    return None


def _asks_for_position(conditions: Sequence[Condition]) -> bool:
    return any(name.startswith(_POSITIONS) for one in conditions for name in one.depends)


def _end(array: str, place: tuple[int, int], sizes: Mapping[str, int]) -> int | None:
    """How many positions there are for an array, by its size."""
    dimension, beside = place
    size = sizes.get(f"{array}.shape[{dimension}]")
    return None if size is None else size - beside


def _last_thread(access: Access, axis: str, sizes: Mapping[str, int]) -> int | None:
    """The last position along an axis that conditions let come to an access; None where that is not known."""
    limits = [_limit(bound, axis, sizes) for bound in _upper_bounds(access.place.conditions, axis)]
    known = [one for one in limits if one is not None]
    return min(known) if known and len(known) == len(limits) else None


def _upper_bounds(conditions: Sequence[Condition], axis: str) -> Iterator[Form]:
    """What conditions keep at 0 or below that grows with the position along an axis."""
    for condition in conditions:
        for bound in condition.bounds:
            grows = any(
                coefficient > 0 and any(name in (f"tid.{axis}", f"bid.{axis}") for name in monomial)
                for monomial, coefficient in bound.terms
            )
            if grows:
                yield bound


def _limit(bound: Form, axis: str, sizes: Mapping[str, int]) -> int | None:
    """The last position along an axis that a bound allows, None where it is about something else too."""
    rest = position_along(axis) - bound
    if not rest.atoms() <= set(sizes):
        return None
    return rest.evaluate(sizes.__getitem__)
