"""Which threads of a launch have work, by the sizes that its grid is computed from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from advisor.evidence.source.host.data_flow.grids.sized_launches import AXES, Sample, SizedLaunch
from advisor.evidence.source.host.data_flow.grids.sizes import leaves, written
from advisor.evidence.source.kernel_walk.affine_forms import Form, atom, form, position_along
from advisor.evidence.source.kernel_walk.kernel_facts import Condition, KernelFacts, Place
from advisor.evidence.source.kernels.bounds.launched_sizes import Reach, elements_of_positions

# A bound may leave out so many elements at the edges of an array.
_BORDER = 16


@dataclass(frozen=True)
class LeftOut:
    """Elements of an array along an axis of the grid that have no thread, whatever the sizes are.

    `size` is how many there are, as the launching code writes it. `by` says why: the grid is one of whole
    blocks and leaves the `rest` out, or of a `part` of the size, comes from the size of the `other` axis or
    twice from that of `one axis`, or is `fixed`.
    """

    axis: str
    array: str
    size: str
    by: str
    guarded: bool


def left_out(facts: KernelFacts, launch: SizedLaunch) -> LeftOut | None:
    """The axis along which the grid has no thread for elements that the kernel has work for."""
    samples = launch.samples()
    for number, axis in enumerate(AXES):
        threads = [one.threads(number) for one in samples]
        if None in threads:
            continue
        rows = [_reaches(facts, axis, sample, count) for sample, count in zip(samples, threads, strict=True)]
        for key in rows[0]:
            found = [row[key] for row in rows if key in row]
            size = _size_of(found, samples)
            if size is None or len(found) < len(rows):
                continue
            by = _reason(found, samples, number, launch, size)
            if by is not None:
                return LeftOut(axis, key, written(launch.sizes[size]), by, all(one.guarded for one in found))
    return None


def _reaches(facts: KernelFacts, axis: str, sample: Sample, threads: int | None) -> dict[str, Reach]:
    """How far arrays are walked, by the sizes that conditions ask for, else by their own."""
    assert threads is not None
    asked = {
        name
        for access in facts.accesses
        for condition in access.place.conditions
        for bound in condition.bounds
        for name in bound.atoms()
    }
    by_conditions = {name: size for name, size in sample.sizes.items() if name in asked}
    every = [
        *elements_of_positions(facts, axis, threads, sample.sizes),
        *elements_of_positions(facts, axis, threads, by_conditions),
    ]
    found = {one.array: one for one in every}
    return found or {one.array: one for one in _by_guards(facts, axis, threads, by_conditions)}


def _by_guards(facts: KernelFacts, axis: str, threads: int, sizes: Mapping[str, int]) -> Iterator[Reach]:
    """How many positions conditions let come to the stores of arrays, whatever elements these take for them;
    nothing where a loop goes on in steps of the grid.
    """
    stores = [one for one in facts.accesses if one.array.parameter and one.kind != "load"]
    if any(loop.context.steps_by_grid for loop in facts.loops) or not stores:
        return
    for access in stores:
        if any(f"gdim.{axis}" in facts.atoms.depends(index.form) for index in access.indices):
            return
        limits = list(_limits(access.place.conditions, position_along(axis), axis, sizes))
        if not limits:
            return
        yield Reach(access.array.name, axis, threads, min(limits)[0])


def _size_of(found: Iterable[Reach], samples: Iterable[Sample]) -> str | None:
    """The name that the kernel has for how many positions there are."""
    names: set[str] | None = None
    for one, sample in zip(found, samples, strict=False):
        here = {name for name, size in sample.sizes.items() if 0 <= size - one.wanted <= _BORDER}
        names = here if names is None else names & here
    return min(names, default=None) if names else None


def _reason(
    found: list[Reach], samples: list[Sample], number: int, launch: SizedLaunch, size: str
) -> str | None:
    wanted, side = leaves(launch.sizes[size]), launch.data(number)
    if not wanted or wanted & launch.threads:
        return None
    short = [one.threads < one.wanted for one in found]
    if not side:
        # What the function makes itself may have just as many elements.
        handed_in = all(one.given for one in wanted) and not launch.threads
        return "fixed" if all(short) and handed_in else None
    if wanted <= side:
        if not all(short):
            return None
        blocks = [sample.block[number] or 1 for sample in samples]
        missing = [one.wanted - one.threads for one in found]
        return "rest" if all(a < b for a, b in zip(missing, blocks, strict=True)) else "part"
    if not any(short):
        return None
    if any(wanted == launch.data(one) for one in range(len(AXES))):
        return "other" if _about_as_many(found, samples, number, launch) else None
    arrays = {leaf.array for leaf in side} - {None}
    return "one axis" if {leaf.array for leaf in wanted} <= arrays else None


def _about_as_many(found: list[Reach], samples: list[Sample], number: int, launch: SizedLaunch) -> bool:
    """Whether an axis of the grid has a thread for each element of the size that it comes from, less than a
    block more, and not a block for each.
    """
    own = [name for name, size in launch.sizes.items() if leaves(size) == launch.data(number)]
    return not own or any(
        all(
            one.threads < sample.sizes[name] + (sample.block[number] or 1)
            for one, sample in zip(found, samples, strict=True)
            if name in sample.sizes
        )
        for name in own
    )


@dataclass(frozen=True)
class Unused:
    """How many times more threads a launch has along an axis than its kernel lets work. `in_block`: the block
    alone has, so that no grid is small enough. `size` is how many have work, as the launching code writes it.
    """

    axis: str
    times: float
    size: str
    in_block: bool


def unused_threads(facts: KernelFacts, launch: SizedLaunch) -> list[Unused]:
    """The axes along which conditions keep threads from all that the kernel does."""
    samples = launch.samples()
    places = [
        *(one.place for one in facts.accesses if one.array.space == "global"),
        *(one.place for one in facts.atomics),
    ]
    if not places or facts.barriers or facts.rows_handed_on or facts.calls_unknown:
        return []
    return [
        found
        for number, axis in enumerate(AXES)
        for found in [_unused(places, number, axis, samples, launch)]
        if found is not None
    ]


def _unused(
    places: list[Place], number: int, axis: str, samples: list[Sample], launch: SizedLaunch
) -> Unused | None:
    grid = [_ratio(places, number, axis, one, whole_grid=True) for one in samples]
    if all(one is not None for one in grid):
        found = [one for one in grid if one is not None]
        names = found[0][1]
        if len({one[1] for one in found}) == 1 and _is_of(names, number, launch):
            alone = all(sample.grid[number] == 1 for sample in samples)
            return Unused(axis, min(one[0] for one in found), _text(names, launch), alone)
        return None
    block = [_ratio(places, number, axis, one, whole_grid=False) for one in samples]
    found = [one for one in block if one is not None]
    if len(found) == len(samples) and len({one[1] for one in found}) == 1:
        return Unused(axis, min(one[0] for one in found), _text(found[0][1], launch), True)
    return None


def _is_of(names: tuple[str, ...], number: int, launch: SizedLaunch) -> bool:
    """Whether a side of the grid comes from nothing but the sizes that have work."""
    return launch.data(number) == frozenset().union(*(leaves(launch.sizes[name]) for name in names))


def _text(names: tuple[str, ...], launch: SizedLaunch) -> str:
    """Sizes as the launching code writes them."""
    texts = [written(launch.sizes[name]) for name in names]
    return " * ".join(texts) or "a number of the kernel's"


def _ratio(
    places: list[Place], number: int, axis: str, sample: Sample, whole_grid: bool
) -> tuple[float, tuple[str, ...]] | None:
    """How many threads there are for each that conditions let work, and what they are compared with."""
    threads = sample.threads(number) if whole_grid else sample.block[number]
    if threads is None:
        return None
    position = position_along(axis) if whole_grid else atom(f"tid.{axis}")
    limits = [min(_limits(one.conditions, position, axis, sample.sizes), default=None) for one in places]
    known = [one for one in limits if one is not None]
    if len(known) < len(limits):
        return None
    most, name = max(known)
    return (threads / most, name) if most > 1 else None


def _limits(
    conditions: Iterable[Condition], position: Form, axis: str, sizes: Mapping[str, int]
) -> Iterator[tuple[int, tuple[str, ...]]]:
    """How many positions conditions let through, each with the size that it compares them with."""
    for condition in conditions:
        for bound in condition.bounds:
            rest = position - (_at_first(bound) if position == atom(f"tid.{axis}") else bound)
            if rest.atoms() <= set(sizes):
                most = rest.evaluate(sizes.__getitem__) + 1
                if most > 0 and f"tid.{axis}" in bound.atoms():
                    yield most, tuple(sorted(rest.atoms()))


def _at_first(bound: Form) -> Form:
    """What a condition keeps at 0 or below in the first iteration of the loops that it grows with: who does
    not pass it there passes it in no other.
    """
    return form(
        {
            monomial: factor
            for monomial, factor in bound.terms
            if factor < 0 or not any("#" in name for name in monomial)
        }
    )
