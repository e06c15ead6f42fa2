"""What the pattern of an access rests on where the source does not tell: block, layout, sizes."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.evidence.source.kernel_walk.kernel_facts import Array
from advisor.evidence.source.warps.lanes import LanePattern
from advisor.program.launches.block_shape import BlockShape, assumed_in_words


def assumptions_of(array: Array, shapes: Sequence[BlockShape]) -> tuple[str, ...]:
    """What the pattern of an access to `array` rests on, as sentences."""
    found = []
    if any(not shape.stated for shape in shapes):
        found.append(assumed_in_words(shapes))
    if array.parameter:
        least, most = array.likely_itemsizes
        size = f"{least} to {most} bytes" if least < most else "one byte" if least == 1 else f"{least} bytes"
        found.append(f"Array `{array.name}` {_layout(array)} with elements of {size}.")
    length = length_of_row(array)
    if length is not None:
        side = "column" if array.order == "F" else "row"
        found.append(f"A {side} of `{array.name}` has {length} elements where a launch makes it.")
    return tuple(found)


def assumptions_of_rows(array: Array, extents: Sequence[int | None], pattern: LanePattern) -> tuple[str, ...]:
    """What is assumed of the length of rows where lanes lie in different ones and no launch tells it.

    `extents` are the sizes of the array along its axes as far as they are known.
    """
    if pattern.lane_axis != "slow" or array.dims or length_of_row(array) is not None:
        return ()
    side = "column" if array.order == "F" else "row"
    if pattern.lane_stride is None:
        return ()
    named = extents[0 if array.order == "F" else -1] if extents else None
    if named is None:
        return ()
    elements = "one element" if named == 1 else f"{named} elements"
    return (f"A {side} of `{array.name}` is taken to have {elements}, as many as the kernel names.",)


def length_of_row(array: Array) -> int | None:
    """The elements of a row, those that lie together, of an array of several axes that a launch makes."""
    return array.made[0 if array.order == "F" else -1] if len(array.made) > 1 else None


def _layout(array: Array) -> str:
    if array.order == "F":
        return "is column-major where a launch makes it,"
    unknown = array.order == "unknown"
    return "may be in C order or column-major," if unknown else "is taken to be C-contiguous"
