"""Loads and stores of local memory.

Eight bytes of each lane lie side by side, so that a place which is the same for all lies together.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from advisor.simt.vector.emission import Emission
from advisor.simt.vector.lanes import I32, I64, LANES, element_of, same, vector
from advisor.simt.vector.layout import Context
from advisor.simt.vector.places import Place
from advisor.simt.vector.transfers import gather, scatter


def _local_addresses(e: Emission, place: Place, number: int, size: int) -> Any:
    builder = e.builder
    offset = builder.add(place.base, same(place.base, place.offset + number * size))
    base = e.context_word(Context.LOCAL)
    granule = builder.shl(builder.lshr(offset, same(offset, 3)), same(offset, 8))
    within = builder.and_(offset, same(offset, 7))
    real = builder.add(*builder.alike(builder.add(granule, within), base))
    lanes = ir.Constant(vector(I64), [8 * lane for lane in range(LANES)])
    return offset, builder.add(builder.broadcast(real), lanes)


def _local_inside(e: Emission, place: Place, offset: Any) -> Any:
    return e.call("inspect_local", I32, e.context, place.site, e.builder.broadcast(offset), place.mask)


def local_load(e: Emission, place: Place, kind: Any, number: int) -> Any:
    """One element of each lane from its own memory."""
    offset, addresses = _local_addresses(e, place, number, kind.width // 8)
    return gather(e, kind, addresses, _local_inside(e, place, offset))


def local_store(e: Emission, place: Place, value: Any, number: int) -> None:
    """Nothing; stores one element of each lane to its own memory."""
    offset, addresses = _local_addresses(e, place, number, element_of(value).width // 8)
    scatter(e, value, addresses, _local_inside(e, place, offset))
