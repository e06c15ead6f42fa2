"""What the pattern of an access rests on where the source does not tell: block, layout, sizes."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.evidence.source.kernel_walk.kernel_facts import Array
from advisor.evidence.source.warps.lanes import UNKNOWN_ITEMSIZES
from advisor.program.launches.block_shape import BlockShape


def assumptions_of(array: Array, shapes: Sequence[BlockShape]) -> tuple[str, ...]:
    """What the pattern of an access to `array` rests on, as sentences."""
    found = []
    if any(not shape.stated for shape in shapes):
        assumed = " or ".join(str(shape) for shape in shapes)
        found.append(f"The block shape is not known here; {assumed} threads are assumed.")
    if array.parameter:
        least, most = UNKNOWN_ITEMSIZES
        size = f"{array.itemsize} bytes" if array.itemsize else f"{least} to {most} bytes"
        found.append(f"Array `{array.name}` {_layout(array)} with elements of {size}.")
    length = length_of_row(array)
    if length is not None:
        side = "column" if array.order == "F" else "row"
        found.append(f"A {side} of `{array.name}` has {length} elements where a launch makes it.")
    return tuple(found)


def length_of_row(array: Array) -> int | None:
    """The elements that lie together, where a launch makes the array."""
    return array.made[0 if array.order == "F" else -1] if array.made else None


def _layout(array: Array) -> str:
    if array.order == "F":
        return "is column-major where a launch makes it,"
    unknown = array.order == "unknown"
    return "may be in C order or column-major," if unknown else "is taken to be C-contiguous"
