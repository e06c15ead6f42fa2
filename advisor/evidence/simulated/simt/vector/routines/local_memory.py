"""Routines that know which bytes of local memory were written, in the blocks that are looked at closely."""

from __future__ import annotations

from typing import Any

from advisor.evidence.simulated.simt.vector.lanes import I32, I64, POINTER, lane_numbers, splat, vector
from advisor.evidence.simulated.simt.vector.layout import LOCAL_GRANULE, Context
from advisor.evidence.simulated.simt.vector.routines.builder import Routine, routine

_OFFSETS = vector(I64)


def _granules(r: Routine, context: Any, offsets: Any, mask: Any, size: Any) -> tuple[Any, Any, Any, Any]:
    """Of elements in local memory: the lanes within it, where the granules' maps lie, the maps, and the
    elements' own bytes in them.
    """
    room = r.context_word(context, Context.LOCAL_SIZE)
    inside = r.bits(r.icmp_unsigned("<=", offsets, r.broadcast(r.sub(room, size))))
    good = r.and_(mask, inside)
    shadow = r.context_word(context, Context.LOCAL_SHADOW)
    warp = r.sub(r.context_word(context, Context.LOCAL), r.context_word(context, Context.FIRST_THREAD))
    granule = r.shl(r.lshr(offsets, splat(I64, 3)), splat(I64, 8))
    begin = r.broadcast(r.add(shadow, warp))
    places = r.add(r.add(granule, lane_numbers(I64, LOCAL_GRANULE)), begin)
    maps = r.call(r.module.globals["gather_64"], [places, good])
    every = r.lshr(r.number(-1), r.sub(r.number(64), r.shl(size, r.number(3))))
    shift = r.shl(r.and_(offsets, splat(I64, LOCAL_GRANULE - 1)), splat(I64, 3))
    return good, places, maps, r.shl(r.broadcast(every), shift)


@routine("undefined_local", I32, POINTER, _OFFSETS, I32, I64)
def _undefined(r: Routine) -> None:
    """Emit the bits of the lanes that read elements of which no byte was written."""
    good, _, maps, own = _granules(r, *r.arguments)
    r.ret(r.and_(good, r.bits(r.icmp_unsigned("==", r.and_(maps, own), splat(I64, 0)))))


@routine("define_local", I32, POINTER, _OFFSETS, I32, I64, I32)
def _define(r: Routine) -> None:
    """Note elements as written, or as unwritten where what is stored is undefined."""
    *first, undefined = r.arguments
    good, places, maps, own = _granules(r, *first)
    without = r.and_(maps, r.not_(own))
    with_them = r.or_(maps, own)
    now = r.select(r.lanes_of(undefined), without, with_them)
    r.call(r.module.globals["scatter_64"], [now, places, good])
    r.ret(r.number(0, I32))
