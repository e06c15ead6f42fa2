"""What the record of a launch says of its grid beside the sizes that its kernel has work for."""

from __future__ import annotations

import math
from collections.abc import Sequence

from advisor.evidence.source.host.data_flow.grids.covered_axes import LeftOut, left_out, unused_threads
from advisor.evidence.source.host.data_flow.grids.sized_launches import AXES, SizedLaunch, sized_launch
from advisor.evidence.source.host.data_flow.grids.sizes import Leaf, leaves, written
from advisor.evidence.source.kernel_walk.kernel_facts import KernelFacts
from advisor.evidence.source.kernel_walk.walk import WalkedKernels
from advisor.model.records import Value
from advisor.program.arrays.host_arrays import HostScope
from advisor.program.arrays.host_evaluator import HostValues
from advisor.program.launches.grid_rounding import refuses_remainders
from advisor.program.launches.launches import Launch


def grid_values(launch: Launch, walked: WalkedKernels, values: HostValues) -> dict[str, Value | None]:
    """The values of a launch's metrics about the threads that have work; none where nothing is known."""
    if launch.kernel is None:
        return {}
    facts = walked.facts(launch.kernel)
    sized = sized_launch(launch, facts, values)
    if sized is None:
        return {}
    return {
        **_left_out(left_out(facts, sized), launch, values),
        **_unused(facts, sized),
        **_over_limit(sized, launch.sized_grid or ()),
    }


def _left_out(found: LeftOut | None, launch: Launch, values: HostValues) -> dict[str, Value | None]:
    module = launch.module
    scope = HostScope(module, module.function_around(launch.node), values)
    if found is None or (found.by == "rest" and refuses_remainders(scope)):
        return {"left_out_by": ""}
    return {
        "left_out_by": found.by,
        "left_out_axis": found.axis,
        "left_out_array": found.array,
        "left_out_size": found.size,
        "left_out_guarded": found.guarded,
    }


def _unused(facts: KernelFacts, sized: SizedLaunch) -> dict[str, Value | None]:
    found = unused_threads(facts, sized)
    values: dict[str, Value | None] = {}
    for kind, in_block in (("unused", False), ("idle", True)):
        several = [one for one in found if one.in_block is in_block and one.times > 1]
        # A grid in whole blocks has a few threads more.
        values[f"{kind}_times"] = round(math.prod(one.times for one in several), 1)
        if several:
            values[f"{kind}_axis"] = " and ".join(one.axis for one in several)
            values[f"{kind}_size"] = " and ".join(dict.fromkeys(one.size for one in several))
    return values


def _over_limit(sized: SizedLaunch, in_sight: Sequence[int | None]) -> dict[str, Value | None]:
    """The axis other than x along which a grid has the most blocks: a block for each of a size of data as it
    is, or a number that the source fixes; `in_sight` is the grid by the sizes that the program's data has.
    """
    samples = sized.samples()
    found: list[tuple[int, dict[str, Value | None]]] = []
    for number, axis in list(enumerate(AXES))[1:]:
        side = sized.grid[number]
        counts = [one.grid[number] for one in samples]
        blocks = [one for one in counts if one is not None]
        if side is None or len(blocks) < len(counts) or (leaves(side) and side not in sized.sizes.values()):
            continue
        size = in_sight[number] if number < len(in_sight) else None
        known: dict[str, Value | None] = {
            "limited_axis": axis,
            "limited_size": written(side),
            "limited_blocks": size if leaves(side) else float(min(blocks)),
            "limited_by_data": isinstance(side, Leaf) and _is_length(side, sized),
        }
        found.append((min(blocks), known))
    return max(found, key=lambda one: one[0])[1] if found else {"limited_axis": ""}


def _is_length(size: Leaf, sized: SizedLaunch) -> bool:
    """Whether a size is the length of an array of one axis, or the grid has it along x as well: rows of an
    array whose other axis lies along x are as few as their columns allow.
    """
    every = {leaf for one in sized.sizes.values() for leaf in leaves(one)}
    others = {one for one in every if one.array == size.array and one != size}
    return size.array is not None and (not others or size in sized.data(0))
