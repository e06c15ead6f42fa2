"""Loops over data that have an iteration for each thread of a block, or each block of the grid, where the
data that the launches in sight pass goes on behind the last of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from advisor.evidence.source.kernel_walk.affine_forms import atom, number
from advisor.evidence.source.kernel_walk.kernel_facts import Access, KernelFacts, LoopUse
from advisor.evidence.source.kernels.bounds.exact_fits import last_index, last_positions
from advisor.evidence.source.kernels.bounds.launched_sizes import sizes_of
from advisor.model.compilation_unit import StatedLaunch

_WORDS = {"bdim": "blockDim", "gdim": "gridDim"}


@dataclass(frozen=True)
class LeftOut:
    """An axis of an array of which a loop meets the first elements only: how many, and how many there are."""

    count: str
    array: str
    axis: int
    reached: int
    elements: int


def elements_left_out(
    loop: LoopUse, inside: Sequence[Access], facts: KernelFacts, launches: Sequence[StatedLaunch]
) -> LeftOut | None:
    """What a loop that counts the threads of a block or the blocks of the grid leaves out of the arrays that
    some launch passes; None where it does not, or nothing tells. `inside` are the accesses in the loop.

    An array that the kernel stores to, or meets elsewhere, may have another use for the rest, as may one that
    has an element for each block.
    """
    count = _counted(loop)
    if count is None:
        return None
    counter = loop.context.counter
    elsewhere = {
        one.array.name
        for one in facts.accesses
        if one.kind != "load" or counter not in {around.counter for around in one.place.loops}
    }
    walked = [one for one in inside if one.array.parameter and one.array.name not in elsewhere]
    found = (
        left for launch in launches for one in walked for left in _left_out(one, loop, count, facts, launch)
    )
    return next(found, None)


def _counted(loop: LoopUse) -> str | None:
    """What a loop over a range from 0 in steps of one ends with: a size of the launch."""
    context = loop.context
    if not context.over_range or context.start != number(0) or context.step != number(1):
        return None
    return next(
        (f"{size}.{axis}" for size in _WORDS for axis in "xyz" if context.stop == atom(f"{size}.{axis}")),
        None,
    )


def _left_out(
    access: Access, loop: LoopUse, count: str, facts: KernelFacts, launch: StatedLaunch
) -> Iterator[LeftOut]:
    sizes = sizes_of(facts.declaration.parameters, launch.arguments)
    ends = {**sizes, **last_positions(launch)}
    counter = loop.context.counter
    if count not in ends:
        return
    for axis, index in enumerate(access.indices):
        of_blocks = count.startswith("gdim.") and index.form == atom(counter)
        if counter not in index.form.atoms() or of_blocks:
            continue
        last = last_index(index.form, {**ends, counter: ends[count] - 1})
        size = sizes.get(f"{access.array.name}.shape[{axis}]")
        if last is not None and size is not None and last + 1 < size:
            kind, _, along = count.partition(".")
            yield LeftOut(f"{_WORDS[kind]}.{along}", access.array.name, axis, last + 1, size)
