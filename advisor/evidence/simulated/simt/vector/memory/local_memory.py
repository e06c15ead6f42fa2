"""Loads and stores of local memory.

Eight bytes of each lane lie side by side, so that a place which is the same for all lies together.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from advisor.evidence.simulated.simt.vector.lanes import I32, I64, LANES, element_of, same, vector
from advisor.evidence.simulated.simt.vector.layout import Context
from advisor.evidence.simulated.simt.vector.memory.places import Place
from advisor.evidence.simulated.simt.vector.memory.transfers import gather, scatter
from advisor.evidence.simulated.simt.vector.translation.emission import Emission


def _local_offsets(e: Emission, place: Place, further: int = 0) -> Any:
    return e.builder.add(place.base, same(place.base, place.offset + further))


def _local_addresses(e: Emission, offset: Any) -> Any:
    builder = e.builder
    base = e.context_word(Context.LOCAL)
    granule = builder.shl(builder.lshr(offset, same(offset, 3)), same(offset, 8))
    within = builder.and_(offset, same(offset, 7))
    real = builder.add(*builder.alike(builder.add(granule, within), base))
    lanes = ir.Constant(vector(I64), [8 * lane for lane in range(LANES)])
    return builder.add(builder.broadcast(real), lanes)


def _local_inside(e: Emission, place: Place) -> Any:
    offsets = e.builder.broadcast(_local_offsets(e, place))
    return e.call("inspect_local", I32, e.context, place.site, offsets, place.mask)


def local_load(e: Emission, place: Place, kind: Any, count: int) -> list[Any]:
    """So many elements of each lane from its own memory."""
    inside, size = _local_inside(e, place), kind.width // 8
    offsets = [_local_offsets(e, place, number * size) for number in range(count)]
    return [gather(e, kind, _local_addresses(e, offset), inside) for offset in offsets]


def local_store(e: Emission, place: Place, values: list[Any]) -> None:
    """Store the elements of each lane side by side in its own memory."""
    inside = _local_inside(e, place)
    for number, value in enumerate(values):
        offset = _local_offsets(e, place, number * element_of(value).width // 8)
        scatter(e, value, _local_addresses(e, offset), inside)
