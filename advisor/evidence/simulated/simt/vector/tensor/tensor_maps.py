"""Tensor maps, by which boxes of tensors are copied; PTX ISA, "Tensor-map", "tensormap.replace".

The 128 bytes of a map are opaque on a GPU. Here they hold the address, strides, extents and the rest as they
are given. `cuTensorMapEncodeTiled` writes the maps of the host, so does `encoded`.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from enum import IntEnum

from llvmlite import ir

from advisor.evidence.simulated.simt.ptx.ptx_program import Address, Instruction, Integer
from advisor.evidence.simulated.simt.vector.lanes import I8, I32, I64, VOID, splat, vector
from advisor.evidence.simulated.simt.vector.memory.places import addresses_of, place_of
from advisor.evidence.simulated.simt.vector.translation.emission import Emission, handles

MAP_BYTES = 128
MOST_AXES = 5


class TensorMap(IntEnum):
    """Byte offsets in a map; strides are those of the second axis on, RANK is the number of axes less one."""

    ADDRESS = 0
    STRIDES = 8
    EXTENTS = 40
    BOX = 60
    STEPS = 80
    RANK = 100
    ELEMENT = 101
    SWIZZLE = 102
    INTERLEAVE = 103
    FILL = 104


# The bytes of an element by its number in `tensormap.replace`; the numbers of those that are rounded to tf32.
ELEMENT_SIZES = (1, 2, 4, 4, 8, 8, 2, 4, 4, 8, 2, 4, 4)
ELEMENT_TF32 = (11, 12)
_PLACES = (("shared", "b1024"), ("global", "b1024"))
_REPLACED = {
    "global_address": (TensorMap.ADDRESS, 64, 0),
    "global_stride": (TensorMap.STRIDES, 64, 8),
    "global_dim": (TensorMap.EXTENTS, 32, 4),
    "box_dim": (TensorMap.BOX, 32, 4),
    "element_stride": (TensorMap.STEPS, 32, 4),
    "rank": (TensorMap.RANK, 8, 0),
    "elemtype": (TensorMap.ELEMENT, 8, 0),
    "swizzle_mode": (TensorMap.SWIZZLE, 8, 0),
    "interleave_layout": (TensorMap.INTERLEAVE, 8, 0),
    "fill_mode": (TensorMap.FILL, 8, 0),
}


def encoded(
    address: int, extents: Sequence[int], strides: Sequence[int], box: Sequence[int], element: int,
    swizzle: int, fill: int = 0,
) -> bytes:  # fmt: skip
    """A map of a tensor: extents and box in elements, the fastest axis first, strides of the others in bytes.

    Raises ValueError for what no map holds.
    """
    axes = len(extents)
    if not 1 <= axes <= MOST_AXES or len(box) != axes or len(strides) != axes - 1:
        raise ValueError(f"a tensor map has one to {MOST_AXES} axes, each with an extent and one of the box")
    if not 0 <= element < len(ELEMENT_SIZES):
        raise ValueError(f"the type of number {element} has no elements of whole bytes")
    held = bytearray(MAP_BYTES)
    struct.pack_into("<Q", held, TensorMap.ADDRESS, address)
    struct.pack_into(f"<{axes - 1}Q", held, TensorMap.STRIDES, *strides)
    for place, values in ((TensorMap.EXTENTS, extents), (TensorMap.BOX, box), (TensorMap.STEPS, [1] * axes)):
        struct.pack_into(f"<{axes}I", held, place, *values)
    struct.pack_into("<5B", held, TensorMap.RANK, axes - 1, element, swizzle, 0, fill)
    return bytes(held)


@handles("tensormap")
def _change(e: Emission, item: Instruction) -> None:
    if item.modifiers[:1] == ("cp_fenceproxy",):
        _copy(e, item)
    elif item.modifiers[:2] == ("replace", "tile") and item.modifiers[3:] in _PLACES:
        _replace(e, item)
    else:
        raise e.unsupported(item, "another change of a tensor map")


def _replace(e: Emission, item: Instruction) -> None:
    """Store one field of a map."""
    field = _REPLACED.get(item.modifiers[2])
    address, *rest = item.operands
    if field is None or not isinstance(address, Address) or len(rest) != (2 if field[2] else 1):
        raise e.unsupported(item, "another change of a tensor map")
    offset, width, step = field
    number = rest[0] if step else Integer(0)
    if not isinstance(number, Integer) or not 0 <= number.value < MOST_AXES:
        raise e.unsupported(item, "an axis that is no constant")
    kind = ir.IntType(width)
    value = e.read_vector(rest[-1], I64 if width == 64 else I32)
    place = place_of(e, item, address)
    addresses = addresses_of(e, place)
    inspect = f"inspect_{item.modifiers[3]}_16"
    inside = e.call(inspect, I32, e.context, place.site, addresses, place.mask)
    at = e.builder.add(addresses, splat(I64, offset + step * number.value))
    narrow = e.builder.trunc(value, vector(I8)) if width == 8 else value
    e.call(f"scatter_{kind.width}", VOID, narrow, at, inside)


def _copy(e: Emission, item: Instruction) -> None:
    """Copy a map from shared to global memory; the lanes of a warp do it together."""
    target, source, size = item.operands
    whole = item.modifiers[1:3] == ("global", "shared") and size == Integer(MAP_BYTES)
    if not whole or not isinstance(target, Address) or not isinstance(source, Address):
        raise e.unsupported(item, "another change of a tensor map")
    into, from_ = place_of(e, item, target), place_of(e, item, source, part=1)
    e.call(
        "copy_map", VOID, e.context, into.site, from_.site, addresses_of(e, into), addresses_of(e, from_),
        e.active(item),
    )  # fmt: skip
