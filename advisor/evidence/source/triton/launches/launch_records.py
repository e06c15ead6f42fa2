"""Records of launches of Triton kernels, and of the sizes that they give."""

from __future__ import annotations

import math
from collections.abc import Iterator

from advisor.evidence.source.triton.kernels.kernel_records import is_power_of_two
from advisor.evidence.source.triton.launches.grids import grid_remainder, rounds_down, rounds_up
from advisor.evidence.source.triton.launches.launches import LaunchValues, TritonLaunch
from advisor.evidence.source.triton.launches.rounded_arrays import rounded_arrays
from advisor.evidence.source.triton.launches.tuning_records import dot_parameters, extent_parameters
from advisor.evidence.source.triton.record_making import number, record_at
from advisor.evidence.source.triton.walk.notes import KernelNotes
from advisor.evidence.source.triton.walk.reader import TritonReader
from advisor.model.records import Record, Value

_LANES = 32
_WARPS = 4


def launch_records(launch: TritonLaunch, reader: TritonReader) -> Iterator[Record]:
    """The record of a launch and those of the sizes that it gives to blocks."""
    notes = reader.notes(launch.kernel)
    values = LaunchValues(launch, reader)
    yield record_at(
        launch.module, "triton_launch", launch.node.func, launch.kernel.name, launch.kernel.key,
        _values(launch, notes, values, reader),
    )  # fmt: skip
    for name, node in rounded_arrays(launch):
        given: dict[str, Value | None] = {"parameter": name, "rounded": True}
        yield record_at(launch.module, "triton_argument", node, name, launch.kernel.key, given)
    extents, dots = extent_parameters(notes), dot_parameters(notes)
    for name, node in launch.given.items():
        size = values.number(node) if name in extents | dots else None
        if size is None:
            continue
        known: dict[str, Value | None] = {
            "parameter": name,
            "elements": float(size),
            "power_of_two": is_power_of_two(size),
            "run_time": False,
            "given_at": "launch",
            "of_product": name in dots,
        }
        yield record_at(launch.module, "triton_size", node, name, launch.kernel.key, known)


def _values(
    launch: TritonLaunch, notes: KernelNotes, values: LaunchValues, reader: TritonReader
) -> dict[str, Value | None]:
    kernel, context = launch.kernel, launch.context
    elements = _block_elements(notes, values)
    warps = values.option("num_warps")
    chosen = values.chooses("num_warps")
    if warps is None and chosen is False:
        warps = _WARPS
    tuned = kernel.tuning.parameters if kernel.tuning is not None else frozenset()
    given = sorted(tuned & launch.given.keys()) + [one for one in ("num_warps", "num_stages")
        if kernel.tuning is not None and one in launch.options
        and any(one in c.options for c in kernel.tuning.configurations)]  # fmt: skip
    written = [one for one in extents_given(launch, notes) if values.number(launch.given[one]) is not None]
    return {
        "tuned": True if kernel.tuning is not None else None if kernel.wrapped else False,
        "chooses_warps": chosen,
        "warps": number(warps),
        "block_elements": number(elements),
        "elements_per_thread": elements / (warps * _LANES) if elements and warps else None,
        "product_elements": number(_product_elements(notes, values)),
        "fixed_sizes": float(len(written)) if not launch.open else None,
        "given_twice": given[0] if given else None,
        "gives_twice": bool(given),
        "single_program": _single(launch, values),
        "rounds_down": rounds_down(launch, notes, values),
        "rounds_up": rounds_up(launch, reader, values),
        "sizes_known": grid_remainder(launch, reader, values) is not None,
        "host_loop_depth": float(len(context.loops)) if context else None,
        "in_test_or_benchmark": bool(context and context.timed),
    }


def _single(launch: TritonLaunch, values: LaunchValues) -> bool | None:
    """Whether the grid is one program, None where it cannot be seen."""
    return all(values.number(one) == 1 for one in launch.grid) if launch.grid else None


def extents_given(launch: TritonLaunch, notes: KernelNotes) -> list[str]:
    """The parameters of block sizes that a launch gives."""
    return sorted((extent_parameters(notes) | dot_parameters(notes)) & launch.given.keys())


def _block_elements(notes: KernelNotes, values: LaunchValues) -> int | None:
    """The elements of the largest block that the kernel loads or stores, None where one is not known."""
    largest = 0
    for one in notes.accesses:
        if one.checked or one.address.shape is None:
            return None
        extents = [one.address.shape[at] for at in range(len(one.address.shape))]
        sizes = [
            {extent} if isinstance(extent, int) else values.sizes(extent) if extent else set()
            for extent in extents
        ]
        if any(len(size) != 1 for size in sizes):
            return None
        largest = max(largest, math.prod(min(size) for size in sizes))
    return largest or None


def _product_elements(notes: KernelNotes, values: LaunchValues) -> int | None:
    """The elements of the largest result of a product in a loop."""
    found = []
    for dot in notes.dots:
        left, right = dot.left.shape, dot.right.shape
        if not dot.where.loops or left is None or right is None or len(left) < 2 or len(right) < 2:
            continue
        sizes = [
            {one} if isinstance(one, int) else values.sizes(one) if one else set()
            for one in (left[-2], right[-1])
        ]
        if all(len(size) == 1 for size in sizes):
            found.append(math.prod(min(size) for size in sizes))
    return max(found, default=None)
